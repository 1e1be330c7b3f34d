// Package gorgonia exchanges graphs with gorgonia (gorgonia.org/gorgonia v0.9.18), and is
// the only package that imports it. [Import] makes expressions of gorgonia nodes, [Export]
// gorgonia nodes of expressions. [Apply] adds an operation of gorgonia's to an expression.
// [Tape] is the engine that runs expressions on gorgonia's TapeMachine.
//
// Nodes of a function are not gorgonia nodes while it grows: an ExprGraph finds every new
// node by walking all of them, and takes two operations for one whose operands have equal
// 32-bit hashes. [Export] and [Tape] make the graph at once, when somebody asks for it.
// Its operations carry the number of the value that they belong to, so that none is taken
// for another.
package gorgonia
