// Package tempering samples the posterior of structural equation models whose equations are
// networks, given a causal order, by Markov chains at many temperatures: slower than SVGD, and with
// a measured error.
//
// # The target
//
// Given an order, parents and networks of different variables are independent. Those of variable j
// have the density
//
//	p(A, W, b, σ² | D) ∝ ρ_j(A) p(W, b) p(σ²) p(x_j | A, W, b, σ²),
//
// A ⊆ variables before j. The network has one hidden layer, Φ = [a(x_A W + b), 1], whose output
// layer is integrated out,
//
//	x_j | A, W, b, σ² ~ N(0, σ²I + σ_p² ΦΦᵀ)                                                                 (1)
//
// as in [models.NewIntegratedNetwork]; weights and biases are N(0, σ_p²). The evidence is computed
// from the Gram matrix of the few columns of Φ.
//
// # The chains
//
// For every variable two independent chains have a state at each of the inverse temperatures 0 =
// β_0 < … < β_T = 1, where the evidence counts as p(x_j | …)^β. An iteration moves every state:
//
//   - elliptical slice sampling [1] of the weights and the bias of each unit: the pre-activations
//     are linear in them;
//   - edges are added and removed, with weights for all units from a mixture of four normal
//     distributions, and swapped;
//   - ln σ², if it is unknown, takes steps of a random walk;
//
// and proposes to exchange states of neighbouring temperatures, even and odd pairs in turn [2]. The
// first half of the iterations is dropped, and places the temperatures where all exchanges are
// refused equally often [2]. At β = 0 the states come from the prior, where nothing is in the way,
// so that modes are found that no local move connects.
//
// [Result] has the probabilities of edges with the difference between the chains and R̂, the
// evidence of each variable by stepping stones [3], and draws of whole networks, whose output
// layers are drawn given the rest.
//
// # Sets of parents
//
// [Sets] estimates the evidence of single sets of parents, by sequential Monte Carlo from the prior
// to the posterior [5], in which all states of the chains are particles [7]. Temperatures are those
// of the noise, whose variance they multiply. Where these are many, every other move is a step to a
// draw from a normal distribution with the slope and the curvature of the evidence [6]. Summed over
// all sets it is the check on the chains in the tests, which it shares nothing with but the
// evidence (1) and the moves of units.
//
// # Conventions
//
// Data are n×d; edges go from the row to the column of a matrix. Orders list columns, sources
// first. Logarithms are natural. A mark of an intervention takes the row out of that variable's
// equation, and leaves it to its children.
//
// # Failure, randomness and concurrency
//
// Bad data and settings are errors. Every chain has a stream of its own, so that results have the
// same bits for any number of workers.
//
// # References
//
//	[1] I. Murray, R. P. Adams, D. J. C. MacKay. Elliptical slice sampling. AISTATS 2010.
//	[2] S. Syed, A. Bouchard-Côté, G. Deligiannidis, A. Doucet. Non-reversible parallel tempering: a scalable highly
//	    parallel MCMC scheme. Journal of the Royal Statistical Society B 84 (2022).
//	[3] W. Xie, P. O. Lewis, Y. Fan, L. Kuo, M.-H. Chen. Improving marginal likelihood estimation for Bayesian phylogenetic
//	    model selection. Systematic Biology 60 (2011).
//	[4] A. Gelman, D. B. Rubin. Inference from iterative simulation using multiple sequences. Statistical Science 7 (1992).
//	[5] P. Del Moral, A. Doucet, A. Jasra. Sequential Monte Carlo samplers. Journal of the Royal Statistical Society B 68 (2006).
//	[6] Y. Qi, T. P. Minka. Hessian-based Markov chain Monte-Carlo algorithms. Workshop on Monte Carlo Methods (2002).
//	[7] H.-D. Dau, N. Chopin. Waste-free sequential Monte Carlo. Journal of the Royal Statistical Society B 84 (2022).
package tempering
