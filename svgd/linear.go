package svgd

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

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

var _ Kernel = Linear{}

// Evaluate implements [Kernel].
func (Linear) Evaluate(gram *mat.Dense, repulsion, x []*mat.Dense) {
	n := checkKernelArgs(gram, repulsion, x)
	for r := range n {
		for m := range r + 1 {
			v := 1.0
			for _, xb := range x {
				v += floats.Dot(xb.RawRowView(r), xb.RawRowView(m))
			}
			gram.Set(r, m, v)
			gram.Set(m, r, v)
		}
	}
	for b, xb := range x {
		repulsion[b].Scale(float64(n), xb)
	}
}
