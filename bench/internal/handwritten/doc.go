// Package handwritten computes the score of TOBAC with the linear Gaussian model
// in plain Go, as one would write it for this model alone: no expression graph,
// derivatives on paper, no assembly. It is the yardstick for the general engines
// of package autograd, and agrees with [models.TOBAC] to rounding.
//
// Everything is in order coordinates, so parents of variable j are i < j. With
// C_j = XᵀX over the rows in which j was not set by intervention, C_j/(2σ²) = RᵀR
// with R upper triangular, and G the graph of one sample, the terms of variable j
// that depend on G are
//
//	L_j = Σ_i G_ij ln N(Θ_ij; μ_e, σ_e²) − Σ_{a<j} e_a²                  (1)
//	e_a = R_aj − Σ_{i≥a} R_ai Θ_ij G_ij                                  (2)
//
// (row j of the residual does not depend on G) with the derivatives
//
//	∂L_j/∂G_ij = ln N(Θ_ij) + Θ_ij·q_i,   q_i = 2 Σ_{a≤i} R_ai e_a       (3)
//	∂L_j/∂Θ_ij = G_ij·(q_i − (Θ_ij − μ_e)/σ_e²)
//
// # Layout
//
// All S samples of one edge stand side by side, and variables are taken one after
// the other, so that the samples of a variable's possible parents stay in the
// first-level cache. Equation (2) is a product of a triangular matrix with them;
// the inner loop runs over samples, two rows of R and four parents at a time,
// which keeps eight products per iteration in registers. The weights of the
// samples are a softmax over L; gradients are computed for those samples alone whose
// weight is at least 1e-14, one by one. Any number of workers shares the particles.
package handwritten
