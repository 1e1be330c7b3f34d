// Package hidden has the evidence that two variables depend on each other because of a cause of
// both that is not in the table,
//
//	x = a(h) + e^λ u,   y = b(h) + e^κ v,   h ~ N(0, 1),
//
// with polynomials a and b of the third degree and sinh–arcsinh noise u and v (Jones and Pewsey
// 2009). The hidden cause is integrated out by a sum over a grid, and the parameters by Laplace's
// approximation, whose Hessian is of differences of the gradient. The climb to the mode takes the
// outer products of the scores of the rows for the negative Hessian (Berndt and others 1974).
package hidden
