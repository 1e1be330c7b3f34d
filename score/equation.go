package score

import "gonum.org/v1/gonum/mat"

// An Equation is the posterior of the linear structural equation
//
//	x_j = Intercept + Σ_i Mean_i x_i + noise
//
// of a variable given its parents, in the units of the data.
type Equation struct {
	Intercept     float64       // posterior mean
	Mean          []float64     // posterior means of the weights, by parent
	Cov           *mat.SymDense // posterior covariance of the weights; nil without parents
	NoiseVariance float64       // posterior mean of the noise variance, or the given one
}
