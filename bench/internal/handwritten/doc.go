// Package handwritten computes the score of TOBAC with the linear Gaussian model, or
// with networks of one hidden layer, in plain Go, as one would write it for these
// models alone: no expression graph, derivatives on paper, no assembly (in
// benchmarks its random numbers are drawn in plain Go too). It is the baseline for
// the general engines of package autograd, and agrees with [models.TOBAC] to
// rounding.
//
// Everything is in order coordinates, so parents of variable j are i < j.
//
// # The linear model
//
// With C_j = XᵀX over the rows in which j was not set by intervention,
// C_j/(2σ²) = RᵀR with R upper triangular, and G the graph of one sample, the terms
// of variable j that depend on G are
//
//	L_j = Σ_i G_ij ln N(Θ_ij; μ_e, σ_e²) − Σ_{a<j} e_a²                  (1)
//	e_a = R_aj − Σ_{i≥a} R_ai Θ_ij G_ij                                  (2)
//
// (row j of the residual does not depend on G) with the derivatives
//
//	∂L_j/∂G_ij = ln N(Θ_ij) + Θ_ij·q_i,   q_i = 2 Σ_{a≤i} R_ai e_a       (3)
//	∂L_j/∂Θ_ij = G_ij·(q_i − (Θ_ij − μ_e)/σ_e²)
//
// # Networks
//
// With h hidden units a of variable j, whose weights w1_ia, biases b1_a, output
// weights w2_a and output bias b2 all have the prior N(0, σ_p²),
//
//	L_j = Σ_i G_ij Σ_a ln N(w1_ia) − Σ_n (x_nj − mean_n)²/(2σ²)           (4)
//	mean_n = Σ_a w2_a max(pre_na, 0) + b2,   pre_na = Σ_i G_ij x_ni w1_ia + b1_a
//
// (the prior of the other parameters does not depend on G) and, with
// δ_n = (x_nj − mean_n)/σ² and ρ_na = δ_n w2_a where pre_na > 0, else 0,
//
//	∂L_j/∂G_ij = Σ_a [ln N(w1_ia) + w1_ia Σ_n x_ni ρ_na]                  (5)
//	∂L_j/∂w1_ia = G_ij·(Σ_n x_ni ρ_na − w1_ia/σ_p²),   ∂L_j/∂b1_a = Σ_n ρ_na
//	∂L_j/∂w2_a = Σ_n δ_n max(pre_na, 0),               ∂L_j/∂b2 = Σ_n δ_n
//
// # Layout
//
// All S samples of one edge stand side by side, and variables are taken one after
// the other, so that the samples of a variable's possible parents stay in the
// first-level cache. Equation (2) is a product of a triangular matrix with them;
// the inner loop runs over samples, two rows of R and four parents at a time,
// which keeps eight products per iteration in registers. For networks the inner loop
// runs over the rows of the data, with the products x_ni w1_ia of one unit at hand:
// two samples and four parents at a time for soft graphs, while hard graphs only add
// up the products of the parents that are there. The weights of the samples are a
// softmax over L; gradients are computed for those samples alone whose weight is at
// least 1e-14, one by one. Any number of workers shares the particles.
package handwritten
