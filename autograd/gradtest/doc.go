// Package gradtest checks derivatives by finite differences, for tests of
// expression graphs and of derivatives written by hand. Every check returns an
// error and needs no testing framework.
//
// The derivative along a direction v is estimated from central differences
//
//	D(h) = (f(x+hv) − f(x−hv)) / 2h = f′ + c₂h² + c₄h⁴ + …
//
// at h, h/2, h/4, … and Richardson's extrapolation, which removes one power of
// h² per column of its table. The entry that agrees best with its neighbours
// is the estimate, so one step size serves curved and flat functions alike, and
// a kink near the point is stepped over as soon as h is smaller than its
// distance. At a kink itself differences converge to the mean of both slopes:
// check there by hand what the operation promises.
//
// [Check] builds a graph from a function of nodes, [CheckGraph] takes one that
// is built already, with mapped axes if wanted, and [Derivative] serves plain
// Go code. The graph checks compare, in this order: the compiled engine with
// itself on a second run, with the reference engine, the inputs with what they
// were before, and the gradient with differences of the value.
//
// Differencing a graph's own value finds a wrong derivative, not a wrong value:
// compare that with independent code.
//
// All functions are safe for concurrent use on different graphs.
//
// References: C. J. F. Ridders, Accurate computation of F′(x) and F′(x)F″(x),
// Advances in Engineering Software 4 (1982) 75–76.
package gradtest
