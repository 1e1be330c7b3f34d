// Package additive has node scores of additive structural equations with noise of any shape,
//
//	x_j = b + Σ_i w_i x_i [+ Σ_i f_i(x_i) [+ Σ_ik f_ik(x_i, x_k)]] + e^λ u,
//	u ~ h(·; s),   λ = c [+ Σ_i g_i(x_i)],
//
// the generalised additive models for location, scale and shape of Rigby and Stasinopoulos
// (2005). A [Scorer] averages over forms of the equation of each variable. Straight lines have
// noise that is normal, Student's t, of light tails, or sinh–arcsinh (skewed, with lighter or
// heavier tails), or normal noise whose scale changes with the parents. Unless [Options].Linear is
// set, smooth functions of the parents have noise of the same five kinds, and so have sums of these
// and of products of two parents: of the lines and the leading functions of either. Functions may
// grow like squares and cubes where a parent has long tails ([smooth.NewBasis]).
//
// Noise that is not normal tells the directions of linear equations (Shimizu et al. 2006;
// Hoyer and Hyttinen 2009), curvature those of others. Normal noise and straight lines tell none:
// there the scores of equivalent graphs differ by the priors of their weights only.
//
// The evidence of a form is Laplace's approximation at the mode of the joint density of data
// and parameters, which Newton's method finds. Derivatives by the mean, the logarithmic scale and
// the shape of each row come from package autograd; the densities are written once.
//
// A [Transformed] has equations that are additive in logarithms or normal scores as well.
//
// Scores panic on a variable or parents that the data do not have. A [Scorer] and a [Linear] are
// safe for concurrent use, and give the same bits from any number of goroutines.
//
// Columns are standardised, so that neither their units, nor their origin, nor their sign
// change a probability.
package additive
