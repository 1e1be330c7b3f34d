package svgd

import "gonum.org/v1/gonum/mat"

// Linear is the kernel
//
//	k(x, y) = Σ_b x_bᵀy_b + 1
//
// Its repulsion is M·x_m, away from the origin instead of away from the other
// particles. A fixed point of equation (1) under this kernel matches a Gaussian
// target's mean and covariance (with divisor M) exactly, given enough particles:
// theorem 3.1 of [2] in the package comment. It says nothing about other moments
// and is meant for tests and for nearly Gaussian targets.
type Linear struct{}

var _ ScalarKernel = Linear{}

// Apply implements [Kernel].
func (k Linear) Apply(driving, repulsive, score, x []*mat.Dense, work *Work) float64 {
	gram := work.fit(x)
	k.Evaluate(gram, repulsive, x)
	return work.applyScalar(driving, score)
}

// Evaluate implements [ScalarKernel].
func (Linear) Evaluate(gram *mat.Dense, repulsion, x []*mat.Dense) {
	n := checkKernelArgs(gram, repulsion, x)
	for r := range n {
		row := gram.RawRowView(r)
		for m := range row {
			row[m] = 1
		}
	}
	for _, xb := range x {
		kernels.AddGram(gram.RawMatrix(), xb.RawMatrix())
	}
	for r := range n {
		for m, v := range gram.RawRowView(r)[:r] {
			gram.Set(m, r, v)
		}
	}
	for b, xb := range x {
		repulsion[b].Scale(float64(n), xb)
	}
}
