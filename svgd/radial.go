package svgd

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A radial kernel is a function of ‖x − y‖²/h.
type radial interface {
	ScalarKernel
	// profile is that of the kernel: old if that is the same, so that nothing is allocated.
	profile(old profile) profile
	rule() BandwidthRule // of h; nil means Median{}
}

// A profile is k as a function of u = ‖x − y‖²/h.
type profile interface {
	// at returns k(u) and −k′(u) for every u ≥ 0, in the memory of value and slope, whose
	// lengths are that of u, or of one of them where both are equal.
	at(value, slope, u []float64) (k, minusSlope []float64)
	// diagonal is k(0).
	diagonal() float64
}

// exponential is k(u) = e^−u.
type exponential struct{}

func (exponential) diagonal() float64 { return 1 }

// at implements profile. The vector kernel takes no arguments below −708, at which results
// would depend on their neighbours.
func (exponential) at(value, _, u []float64) (k, minusSlope []float64) {
	const most = 708
	kernels.MinimumScalar(value, u, most)
	kernels.Scale(value, value, -1)
	kernels.Exp(value, value)
	if len(u) > 0 && kernels.Max(u) >= most {
		for m, v := range u {
			if v >= most {
				value[m] = math.Exp(-v)
			}
		}
	}
	return value, value
}

// bandwidth is the h of a radial kernel for squared distances in the strict lower triangle of sq.
func bandwidth(rule BandwidthRule, sq *mat.Dense) float64 {
	if rule == nil {
		return Median{}.Bandwidth(sq)
	}
	return rule.Bandwidth(sq)
}

func checkBandwidth(h float64) {
	if !(h > 0) {
		panic(fmt.Sprintf("svgd: bandwidth %v is not positive", h))
	}
}

// applyRadial is Apply of a radial kernel.
func (work *Work) applyRadial(k profile, rule BandwidthRule,
	driving, repulsive, score, x []*mat.Dense) float64 {
	gram := work.fit(x)
	work.scratch.evaluate(k, rule, gram, repulsive, x)
	return work.applyScalar(driving, score)
}

// evaluate is Evaluate of a radial kernel.
func (s *scratch) evaluate(k profile, rule BandwidthRule, gram *mat.Dense,
	repulsion, x []*mat.Dense) {
	checkKernelArgs(gram, repulsion, x)
	gram.Zero()
	s.centre(x)
	s.squaredDistances(gram, x, s.centred)
	s.addRadial(k, gram, repulsion, x, s.centred, bandwidth(rule, gram))
	mirror(gram, k.diagonal())
}
