package svgd

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// IMQ is the inverse multiquadric of all blocks jointly,
//
//	k(x, y) = (c² + Σ_b ‖x_b − y_b‖²/h)^(−β)
//
// with k(x, x) = c^(−2β). Its tails are heavy: particles far apart still feel each other, where the
// exponential of [RBF] has vanished. With h of [Median], c = 1 and β = ½ it is a kernel
// under which the discrepancy of [5] detects that particles do not converge, for targets
// with light tails. As in RBF the dependence of h on the particles is not differentiated.
type IMQ struct {
	// C is c > 0. Zero means 1.
	C float64
	// Beta is β > 0. Zero means ½.
	Beta float64
	// Bandwidth chooses h. Nil means Median{}.
	Bandwidth BandwidthRule
}

var _ radial = IMQ{}

// Apply implements [Kernel]. It panics if c or β is negative.
func (k IMQ) Apply(driving, repulsive, score, x []*mat.Dense, work *Work) float64 {
	work.profile = k.profile(work.profile)
	return work.applyRadial(work.profile, k.Bandwidth, driving, repulsive, score, x)
}

// Evaluate implements [ScalarKernel]. It panics if c or β is negative, and allocates memory of the
// size of x.
func (k IMQ) Evaluate(gram *mat.Dense, repulsion, x []*mat.Dense) {
	new(scratch).evaluate(k.profile(nil), k.Bandwidth, gram, repulsion, x)
}

func (k IMQ) rule() BandwidthRule { return k.Bandwidth }

func (k IMQ) profile(old profile) profile {
	c := positive("c of an inverse multiquadric", k.C, 1)
	q := multiquadric{c * c, positive("beta of an inverse multiquadric", k.Beta, 0.5)}
	if same, ok := old.(multiquadric); ok && same == q {
		return old
	}
	return q
}

// multiquadric is k(u) = (c² + u)^(−β), −k′(u) = β·(c² + u)^(−β−1).
type multiquadric struct{ c2, beta float64 }

func (q multiquadric) diagonal() float64 {
	if q.beta == 0.5 {
		return 1 / math.Sqrt(q.c2)
	}
	return math.Pow(q.c2, -q.beta)
}

// at implements profile.
func (q multiquadric) at(value, slope, u []float64) (k, minusSlope []float64) {
	kernels.Shift(slope, u, q.c2)
	if q.beta == 0.5 {
		kernels.Sqrt(value, slope)
		kernels.Inverse(value, value)
		kernels.MulEach(slope, value, value)
		kernels.MulEach(slope, slope, value)
	} else {
		kernels.Pow(value, slope, -q.beta)
		kernels.Div(slope, value, slope)
	}
	kernels.Scale(slope, slope, q.beta)
	return value, slope
}
