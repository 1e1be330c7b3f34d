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

var _ ScalarKernel = RBF{}

// Apply implements [Kernel].
func (k RBF) Apply(driving, repulsive, score, x []*mat.Dense, work *Work) float64 {
	gram := work.fit(x)
	k.evaluate(gram, repulsive, x, &work.scratch)
	return applyScalar(gram, driving, score)
}

// Evaluate implements [ScalarKernel]. It allocates memory of the size of x.
func (k RBF) Evaluate(gram *mat.Dense, repulsion, x []*mat.Dense) {
	k.evaluate(gram, repulsion, x, new(scratch))
}

func (k RBF) evaluate(gram *mat.Dense, repulsion, x []*mat.Dense, s *scratch) {
	checkKernelArgs(gram, repulsion, x)
	gram.Zero()
	s.centre(x)
	s.squaredDistances(gram, x, s.centred)
	var h float64
	if k.Bandwidth == nil {
		h = Median{}.Bandwidth(gram)
	} else {
		h = k.Bandwidth.Bandwidth(gram)
	}
	s.addExponential(gram, repulsion, x, s.centred, h)
	mirror(gram, 1)
}
