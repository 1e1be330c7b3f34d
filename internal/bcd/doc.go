// Package bcd is BCD Nets (Cundy, Grover and Ermon, NeurIPS 2021): a variational
// posterior over linear Gaussian structural equation models whose causal order is a
// permutation matrix. [New] prepares a fit, [Model.Advance] takes steps, and
// [Model.Draws] draws graphs with their equations.
//
// # Model
//
//	x = Wᵀx + ε,   ε_j ~ N(0, σ_j²),   W = P Lᵀ Pᵀ,
//
// P a permutation and L strictly lower triangular, so that W has no cycle: variable i
// has the rank a_i, the column of the 1 in row i of P, and W_ij = L[a_j][a_i] is the
// weight of i → j. θ fills L column by column below the diagonal: L[1][0], L[2][0], …,
// L[2][1], …. One σ serves all variables unless [Settings.UnequalVariances]. With
// A = I − W and the columns' sums of squares and products XᵀX,
//
//	log p(X|W,σ) = −(nd/2) ln 2π − n Σ_j ln σ_j − ½ Σ_j σ_j⁻² (Aᵀ XᵀX A)_jj.
//
// There are no intercepts: columns have mean 0. Priors are a horseshoe on each θ_k,
// N(0, 3²) on log σ, and the uniform distribution on P.
//
// # Posterior
//
//	z = (θ, log σ):   N(μ, diag e^2ℓ), ℓ capped at ±10
//	P given z:        logits M = 10 tanh(f(z)/10), f a network with two hidden layers of 128 units
//
// A permutation is drawn as the assignment nearest to the doubly stochastic matrix that
// Sinkhorn's iteration makes of (M + Gumbel)/τ, and the gradient goes to that matrix.
// Its derivative is implicit: one linear system in d unknowns. The density of P is
// taken to be e^⟨P,M⟩ / perm e^M with Bethe's approximation of the permanent, whose
// gradient in M are the numbers γ at which it is taken. Each of these is a primitive of
// package autograd with its derivative beside it; all else, and the gradient of
//
//	ELBO = E[log p(X|W,σ) + log p(θ) + log p(σ) − log q(z) − log q(P|z) − ln d!],
//
// is an expression. AdaBelief follows it.
//
// # Defaults and the paper's settings
//
// Defaults are those that work on standardised data, where the settings of the paper's figures
// ([Paper]) find the empty graph: a temperature τ that falls in stages ([Annealed]), no L2 term, up
// to three starts instead of one, draws at the last τ instead of 1, and the horseshoe scale p √(ln
// 1/p) with p the probability of an edge ([VanDerPas]).
//
// # Starts
//
// A fit often ends in a wrong order. [Settings.Starts] fits from different parameters
// share the steps, one after the other; that with the highest ELBO is kept, averaged
// over the same noise for all at the temperature of the draws ([Model.ELBOs]).
//
// # Edges
//
// No weight is exactly 0. [EdgeRule] says which are edges: by the published threshold
// of 0.3 in units of the columns, which standardised columns do not have, by the
// largest weight, or by how sure the sign is. [Model.Warnings] says where a rule does
// not suit the columns.
//
// # Failure, randomness, concurrency
//
// A step whose gradient is not finite is left out and counted; twenty in a row are an
// error. Noise comes from streams of the seed, the step and the sample: results have
// the same bits for any number of workers, and in a fit that goes on from a [State].
// A Model belongs to one goroutine at a time.
//
// # References
//
// C. Cundy, A. Grover, S. Ermon, BCD Nets: scalable variational approaches for Bayesian
// causal discovery, NeurIPS 2021. J. Zhuang et al., AdaBelief optimizer, NeurIPS 2020.
// G. Mena et al., Learning latent permutations with Gumbel-Sinkhorn networks, ICLR 2018.
// P. Vontobel, The Bethe permanent of a nonnegative matrix, IEEE Transactions on
// Information Theory 59, 2013. S. van der Pas, B. Kleijn, A. van der Vaart, The horseshoe
// estimator, Electronic Journal of Statistics 8, 2014.
package bcd
