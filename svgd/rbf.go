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

var _ Kernel = RBF{}

// Evaluate implements [Kernel].
func (k RBF) Evaluate(gram *mat.Dense, repulsion, x []*mat.Dense) {
	checkKernelArgs(gram, repulsion, x)
	gram.Zero()
	squaredDistances(gram, x)
	var h float64
	if k.Bandwidth == nil {
		h = Median{}.Bandwidth(gram)
	} else {
		h = k.Bandwidth.Bandwidth(gram)
	}
	addExponential(gram, repulsion, x, h)
	mirror(gram, 1)
}
