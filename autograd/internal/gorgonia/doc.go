// Package gorgonia is all that touches gorgonia: functions as graphs of gorgonia nodes, the
// TapeMachine that runs them, and gorgonia's operations as operations of the compiler.
//
// Nodes of a function are not gorgonia nodes while it grows: an ExprGraph looks for every
// operand by walking all nodes, and takes two nodes for one whose 32-bit hashes are equal.
// [NewTape] makes the graph at once, when somebody asks for that engine. Its operations carry
// the number of the value that they belong to, so that none is taken for another.
package gorgonia
