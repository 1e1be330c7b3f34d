// Package gorgonia is all that touches gorgonia: functions as graphs of gorgonia nodes and
// back, the TapeMachine that runs them, and gorgonia's operations as operations of the compiler.
//
// Nodes of a function are not gorgonia nodes while it grows: an ExprGraph finds every new
// node by walking all of them, and takes two operations for one whose operands have equal
// 32-bit hashes. [Export] and [NewTape] make the graph at once, when somebody asks for it.
// Its operations carry the number of the value that they belong to, so that none is taken
// for another. [Decode] tells what a gorgonia node computes.
package gorgonia
