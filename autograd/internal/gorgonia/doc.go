// Package gorgonia is all that touches gorgonia: functions as graphs of gorgonia nodes, the
// TapeMachine that runs them, and gorgonia's operations as operations of the compiler.
//
// Nodes of a function are not gorgonia nodes while it grows: an ExprGraph finds every new
// node by walking all of them, and takes two operations for one whose operands have equal
// 32-bit hashes.
// [NewTape] makes the graph at once, when somebody asks for that engine. Its operations carry
// the number of the value that they belong to, so that none is taken for another.
package gorgonia
