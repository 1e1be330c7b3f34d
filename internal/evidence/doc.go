// Package evidence estimates the evidence of sets of parents under any likelihood of package
// models: of variable j with the parents S
//
//	p(x_j|S) = ∫ p(θ_j|S) p(x_j|S,θ_j) dθ_j,                                          (1)
//
// the integral of exp of the two terms that [tobac/models.Likelihood] has for the variable, over
// the parameters on which they depend given S. It needs nothing but these terms and their
// gradients, and says how far each estimate can be trusted. It is not for models whose evidence is
// known in closed form (package score), nor for networks with one hidden layer, of which package
// tempering knows more.
//
// # How
//
// The density is maximised from several starts, initial parameters of the likelihood with a little
// noise. Where every maximum that matters is found at least twice, points are drawn from a mixture
// of multivariate t distributions, with 5 degrees of freedom or as many as there are parameters,
// around the maxima, each with the axes of the Hessian there, which is the difference of gradients,
// and along each axis with the distance at which the density has fallen by exp(−½): Laplace's
// approximation where the density is smooth, and still as wide as the density where it has kinks.
// Unless there is one maximum and a fifth of the points count, or where there are more maxima than
// starts find twice, as with networks, points are also drawn from such a distribution around the
// maximum of the prior, and of two estimates that differ by more than twice their standard error
// the larger counts, else the one with the smaller error: both are unbiased, so that neither
// exceeds the truth c times with more than the probability 1/c, while one that misses a part of the
// density is too small.
//
// The points are weighted by importance. If their effective sample size is less than half their
// number, they go from their distribution q to the density f along
//
//	q^(1−β) f^β,   β = 0 … 1,                                                          (2)
//
// each time as far as leaves half of the effective sample size, are resampled, and moved by
// Hamiltonian Monte Carlo (package smc, [1]). Either way the estimate of (1) itself is unbiased.
// There are two populations with half of the points each; the standard error of ln p(x_j|S) is
// √Σ(1/ESS − 1/n) over all weightings, or half the difference of the populations if that is more.
//
// # What it takes
//
// Evidences of sets with different numbers of parents can only be compared if the prior of the
// parameters is a density: [Sets.LogPriorMasses] estimates the logarithm of its integral, which
// should be 0. Parameters on which the terms do not depend given a set, such as weights of absent
// edges, are left out, with the prior that some other term may give them.
//
// # Failure
//
// Densities that are nowhere finite, that grow without bound or never fall, and parameters that two
// variables share are errors, about one set a *score.VariableError. Estimates that are rough have a
// large StandardError or a small EffectiveSize; they are no errors. A maximum that no start leads
// to is missing: of two with equal chances, in one case of thirty. With less than about a hundred
// points standard errors are too small in the cases where no point is in a tail. Sets that are no
// sets of other variables panic.
//
// # References
//
//	[1] P. Del Moral, A. Doucet, A. Jasra. Sequential Monte Carlo samplers. Journal of the Royal Statistical Society B 68 (2006).
package evidence
