package svgd

import "gonum.org/v1/gonum/mat"

// RBF is the squared exponential of all blocks jointly,
//
//	k(x, y) = exp(−Σ_b ‖x_b − y_b‖²/h)
//
// with k(x, x) = 1. How a particle is cut into blocks does not matter to it. The
// repulsion is the derivative at the h of this evaluation: where h depends on
// the particles, that dependence is not differentiated, as is usual.
type RBF struct {
	// Bandwidth chooses h. Nil means Median{}.
	Bandwidth BandwidthRule
}

var _ radial = RBF{}

// Apply implements [Kernel].
func (k RBF) Apply(driving, repulsive, score, x []*mat.Dense, work *Work) float64 {
	return work.applyRadial(exponential{}, k.Bandwidth, driving, repulsive, score, x)
}

// Evaluate implements [ScalarKernel]. It allocates memory of the size of x.
func (k RBF) Evaluate(gram *mat.Dense, repulsion, x []*mat.Dense) {
	new(scratch).evaluate(exponential{}, k.Bandwidth, gram, repulsion, x)
}

func (k RBF) profile(profile) profile { return exponential{} }
func (k RBF) rule() BandwidthRule     { return k.Bandwidth }

var defaultKernel Kernel = RBF{}
