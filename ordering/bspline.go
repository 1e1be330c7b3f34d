package ordering

import (
	"fmt"
	"math"
)

// A Smoother is a published setting of the penalised B-splines that stand for
// the smooth function of one predictor: K cubic B-splines on uniform knots over
// [lo, hi], with the penalty λ·Σ(second differences of the coefficients)².
// There is no search over λ in either.
type Smoother int

// The smoothers, by the program whose defaults they are.
const (
	// PyGAM has K = 20, [lo, hi] the range of the predictor, and λ = 0.6. It is
	// what the program published with TOBAC was meant to use.
	PyGAM Smoother = iota
	// MGCV has K = 10, [lo, hi] the range widened by a thousandth at both ends,
	// and λ = 0.6/16; 16 is the 1-norm of the penalty matrix. It is the setting
	// of the original program in R.
	MGCV
)

// smoothers is indexed by Smoother.
var smoothers = [...]struct {
	name    string
	k       int     // functions, ≥ 5
	widen   float64 // fraction of the range added at each end
	penalty float64 // λ
}{
	PyGAM: {"pygam", 20, 0, 0.6},
	MGCV:  {"mgcv", 10, 0.001, 0.6 / 16},
}

// String is "pygam" or "mgcv".
func (s Smoother) String() string {
	if !s.valid() {
		return fmt.Sprintf("Smoother(%d)", int(s))
	}
	return smoothers[s].name
}

func (s Smoother) valid() bool { return s >= 0 && int(s) < len(smoothers) }

// basis returns the values of the K functions at every x, K×n, row by row. With
// h = (hi−lo)/(K−3), u = (x−lo)/h, i = ⌊u⌋ clamped to 0…K−4 and t = u−i, the
// functions i to i+3 are
//
//	(1−t)³/6,  (3t³−6t²+4)/6,  (−3t³+3t²+3t+1)/6,  t³/6,
//
// and the others 0. They sum to 1. The clamp gives hi the last segment with t = 1.
func (s Smoother) basis(x []float64) []float64 {
	set := smoothers[s]
	lo, hi := x[0], x[0]
	for _, v := range x {
		lo, hi = math.Min(lo, v), math.Max(hi, v)
	}
	margin := set.widen * (hi - lo)
	lo, hi = lo-margin, hi+margin
	h := (hi - lo) / float64(set.k-3)
	n := len(x)
	b := make([]float64, set.k*n)
	for r, v := range x {
		u := (v - lo) / h
		i := min(max(int(math.Floor(u)), 0), set.k-4)
		t := u - float64(i)
		b[i*n+r] = (1 - t) * (1 - t) * (1 - t) / 6
		b[(i+1)*n+r] = (3*t*t*t - 6*t*t + 4) / 6
		b[(i+2)*n+r] = (-3*t*t*t + 3*t*t + 3*t + 1) / 6
		b[(i+3)*n+r] = t * t * t / 6
	}
	return b
}

// penaltyMatrix returns λ·DᵀD, K×K, D the matrix of second differences with rows
// (1, −2, 1).
func (s Smoother) penaltyMatrix() []float64 {
	k := smoothers[s].k
	p := make([]float64, k*k)
	for r := range k - 2 {
		for a, u := range [3]float64{1, -2, 1} {
			for b, v := range [3]float64{1, -2, 1} {
				p[(r+a)*k+r+b] += smoothers[s].penalty * u * v
			}
		}
	}
	return p
}
