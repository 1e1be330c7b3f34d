// Package generalised has node scores of columns of every kind given parents of every kind: the
// log evidence ln p(y | x_A) of a generalised linear equation.
//
// # Equations
//
// A child has the distribution of its kind, whose linear predictors are
//
//	η = c + Σ_{i∈A} Σ_k β_ik φ_ik(x_i),   β ~ N(0, τ² v_ik),
//
// with τ from a grid that is averaged over, and functions φ of mean 0 and variance 1:
//
//	number    the column, or its logarithm where that is less skewed; smooth functions of it
//	ordered   the number of the level; its square and cube
//	category  contrasts of its levels, which treat them alike
//
// The sums over the first of these alone (straight lines) and over all of them (curves) are two
// forms of an equation. They, and the distributions of a kind, are averaged by their evidence:
//
//	real         normal
//	positive     normal, lognormal, gamma
//	proportion   normal, logit-normal
//	count        Poisson, negative binomial, each also with an excess of zeros
//	binary       logit
//	ordered      cumulative logit
//	categorical  multinomial logit
//
// Where parents and child all have levels, a table of probabilities for each combination of them
// ([nodescore.Dirichlet]) takes half of the prior probability. Distributions that are far behind
// both without parents and with all others are left out ([Options]).
//
// # Evidence
//
// Normal equations have their evidence in closed form. That of others is Laplace's approximation
// at the mode,
//
//	ln p(y | x_A) ≈ ln p(y, θ̂ | x_A) + ½ P ln 2π − ½ ln |−∇²|,
//
// whose error a test measures by importance sampling. The constants of binary, ordered and
// categorical children have the prior under which their probabilities are uniform where all
// covariates are 0, so that equations without parents are tables with pseudo-counts of 1.
//
// # Functions
//
// A [Function] is an equation drawn from its posterior: a form with the probability that its
// evidence says, and parameters from the normal approximation at their mode, or from their own
// distribution where it is known (normal equations, tables).
//
// # Failure and concurrency
//
// Bad data are errors of [New], which name row and column, from 1. Parents that a table does not
// have panic. A [Scorer] is safe for concurrent use, and gives the same bits for any number of
// goroutines.
//
// References: P. McCullagh, J. A. Nelder (1989), Generalized Linear Models; L. Tierney, J. B.
// Kadane (1986), JASA 81: Laplace's approximation; D. Lambert (1992), Technometrics 34: excess of
// zeros.
package generalised
