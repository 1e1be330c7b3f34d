// Package passes rewrites functions of package ir and finds out about their
// values what the engines owe their speed to.
//
// A [Pass] is a value with a name, the facts that it needs, those that it leaves
// true, and those that it finds out. [Run] runs a list of them in order, refuses
// one whose needs are not met, and shows the function to an observer after each:
// tests verify it there, and a dump between passes is
//
//	passes.Run(f, list, func(p passes.Pass, f *ir.Func) { fmt.Println(p.Name, f) })
//
// A pass keeps what a function computes, up to the rounding that its comment
// states. [Flatten] and [Split], which choose how mapped axes are computed, come
// before the others.
package passes
