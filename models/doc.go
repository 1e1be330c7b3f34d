// Package models holds densities written as expression graphs of package
// autograd, and hands their gradients to a sampler: TOBAC, the posterior over
// causal graphs given a causal order, its predecessor DiBS without an order, and
// [NewTarget] for a custom density. It is not for finding orders (package
// ordering) nor for sampling (package svgd).
//
// # A custom density
//
// A density is a function from nodes, one per block, to a scalar node, written
// for a single particle; [NewTarget] lifts it over all particles,
// differentiates and compiles it.
//
// # Structural equations
//
// d variables x_j and a directed acyclic graph G, with G_ij = 1 for the edge
// i → j, so that column j lists the parents of j. TOBAC is given a causal
// order, and everything here is in order coordinates: the columns of the data,
// the rows and columns of graphs, and the parameters are numbered by position
// in the order, sources first. Every graph is then strictly upper triangular
// and cannot have a cycle. With order[a] the original variable at position a,
//
//	x'[:,a] = x[:,order[a]],   G[order[a]][order[b]] = G'[a][b],                   (1)
//
// and the same for parameters. The transposed permutation is another order,
// unless the order is its own inverse.
//
// A [Likelihood] splits over variables, L = Σ_j L_j, where L_j = log p(Θ_j|G_j) +
// log p(D_j|G_j,Θ_j) depends only on column j. [NewLinear] is
//
//	log p(Θ|G)   = Σ_ij G_ij lnN(Θ_ij; μ_e, σ_e²)
//	log p(D|G,Θ) = Σ_nj lnN(x_nj; [X(G∘Θ)]_nj, σ²),                                (2)
//
// where lnN(x; m, v) has the variance v (never a standard deviation), G may hold
// numbers in [0,1], and (n,j) runs over the entries that were not set by
// intervention. It works on one Gram matrix for each group of variables with the
// same rows, at a cost that does not depend on the number of rows. Initial
// weights keep a gap from zero; that gap is not part of the prior. [NewFeedForward]
// has a network for every variable; [NewBGe] is a marginal likelihood without
// parameters, for which Θ and its block are missing below.
//
// # Latents and soft graphs
//
// A particle has a latent Z with vectors u_i and v_j of length k, and at step t,
// counted from 0, the inverse temperature α = AlphaRate·t. With s_ij = u_i·v_j for
// 0 ≤ i ≤ j ≤ d−2, a graph has in row i and column j+1
//
//	edge probability   σ(α s_ij)
//	soft sample        σ(τ(ε_ij + α s_ij)),  ε_ij = ln(u/(1−u)), u uniform
//	hard sample        1[u < σ(α s_ij)]
//	limit, α → ∞       1[s_ij > 0]                                                 (3)
//
// and zeros elsewhere. τ multiplies: soft samples approach hard ones as it grows.
// DiBS, the embedding [AllPairs], has scores for 0 ≤ i, j ≤ d−1, i ≠ j, places
// s_ij in column j instead, and allows cycles.
//
// # Target
//
// [TOBAC] is the posterior of Z and Θ,
//
//	log p(Z,Θ|D) = log p(Z) + log E_{p(G|Z)}[exp L(G,Θ)] + const                   (4)
//	log p(Z)     = Σ lnN(Z; 0, 1/k) + log p_graph(edge probabilities).             (5)
//
// The [GraphPrior] is evaluated at the matrix of edge probabilities, which for
// [ErdosRenyi] and [NewEdgePrior] is its exact expectation. Edges that it rules out
// or makes certain ([FixedEdges]) are not sampled. With [AllPairs], (5) has the further term
// of [Penalty] against cycles. The expectation in (4) is estimated from S samples
// of graphs by one of
//
//	Joint:     log (1/S) Σ_s exp Σ_j L_j(G_s)
//	NodeWise:  Σ_j log (1/S) Σ_s exp L_j(G_s).                                     (6)
//
// Under p(G|Z) the columns of G are independent, so E exp L = Π_j E exp L_j and
// both estimate the same number; the second has far less variance. The gradient
// of either is the softmax-weighted mean of the samples' gradients, which is how
// [1] writes it. The gradient with respect to Z is taken through soft samples, or
// by the score function of hard ones ([Gradient]), that with respect to Θ at hard
// ones; both sets are drawn afresh for every particle and step.
//
// # A calibrated recipe
//
// What (3) to (6) leave open are independent choices of [TOBACConfig]. [Latents]: scores s_ij from
// a distribution symmetric about 0 leave p(G) as it is stated at every α, which factors u, v do
// not. [PriorPlace]: inside the expectation of (4) the prior multiplies the likelihood of every
// sampled graph,
//
//	log p(Z,Θ|D) = log p(Z) + Σ_j log E[exp(L_j(G) + ln ρ_j(G))] + const.             (7)
//
// [Flips]: the derivative of one term of (7) with respect to αs_ij is q − p with p = σ(αs_ij), and
// q the probability of the edge when the other parents of j are drawn from their distribution,
//
//	q = σ(αs_ij + ln E[f_j(pa ∪ i)] − ln E[f_j(pa ∖ i)]),   f_j = exp(L_j + ln ρ_j),      (8)
//
// of which both expectations are estimated from the same S hard samples. [NewIntegratedNetwork] is
// [Flippable].
// [EdgeParameters]: whether f_j counts the weights of an edge only by density. Temper raises
// p(D|G,Θ) to a power that may grow from 0 to 1. [TOBAC.Conditionals] are the limits of (8) for a
// graph as α grows, and [ParameterTarget] fits parameters to given graphs.
//
// # Layout
//
// Blocks are matrices with one row per particle. Z holds the scores of the pairs that the prior
// leaves open, child by child, parents ascending, or for [Factors] has the shape (d−1, k, 2), or
// (d, k, 2) with [AllPairs], row-major with u before v, so component l of u_i is element (i·k+l)·2
// and component l of v_i the next one. Linear parameters have the shape (d, d), row-major: the
// weight of parent i on child j is element i·d+j. Pairs that cannot be edges are carried along
// unused, but count in a kernel's distances.
//
// # Randomness
//
// The graphs of a step are drawn from uniform numbers that are inputs of the
// expression. They come from streams derived from seed, purpose, step and
// particle, or from the caller's own [Noise], so a score depends on its arguments
// only: it has the same bits for any number of workers and in a resumed run.
//
// # Failure
//
// Bad data and settings, and blocks of a wrong size, are errors that say what was
// found and what is wanted. An expression that does not fit together is reported
// by the constructor. A gradient that is not finite is an error too: it wraps an
// autograd.NonFiniteError that names the operation and the particle. Parameters
// of a density or prior that are out of their documented range are the
// programmer's mistake and panic.
//
// # Concurrency
//
// Likelihoods and priors are immutable and safe for concurrent use. A [Target]
// and a [TOBAC] serve one goroutine at a time and share the particles among
// their own workers, which Close releases.
//
// # References
//
//	[1] Q.-D. Tran, P. Nguyen, B. Duong, T. Nguyen. Differentiable Bayesian
//	    structure learning with acyclicity assurance. ICDM 2023.
//	[2] L. Lorch, J. Rothfuss, B. Schölkopf, A. Krause. DiBS: differentiable
//	    Bayesian structure learning. NeurIPS 2021.
//	[3] C. Maddison, A. Mnih, Y. W. Teh. The concrete distribution. ICLR 2017.
//	[4] H. Haario, E. Saksman, J. Tamminen. Adaptive proposal distribution for
//	    random walk Metropolis algorithm. Computational Statistics 14 (1999):
//	    the banana.
package models
