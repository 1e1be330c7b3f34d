package vector_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/internal/vector"
)

// A pairing is a kernel of two operands that rounds nothing.
type pairing struct {
	name string
	vec  func(s vector.Set, dst, x, y []float64)
	with func(s vector.Set, dst, x []float64, p float64) // the same with a number
	math func(x, y float64) float64
}

var pairings = []pairing{
	{"maximum", vector.Set.Maximum, vector.Set.MaximumScalar, math.Max},
	{"minimum", vector.Set.Minimum, vector.Set.MinimumScalar, math.Min},
}

// TestPairs compares kernels of two operands with math on all pairs of awkward
// numbers, to the bit but for NaN, with vectors of any length, in place and not, and
// with a number in place of the second vector.
func TestPairs(t *testing.T) {
	special := awkward()
	for _, f := range pairings {
		for _, set := range vector.Available() {
			rng := rand.New(rand.NewPCG(36, 37))
			x := make([]float64, len(special))
			for _, p := range special {
				for i := range x {
					x[i] = p
				}
				got, swapped, with := make([]float64, len(x)), append([]float64{}, special...), make([]float64, len(x))
				f.vec(set, got, x, special)
				f.vec(set, swapped, x, swapped)
				f.with(set, with, special, p)
				for i, v := range special {
					want := f.math(p, v)
					if !sameBits(got[i], want) || !sameBits(swapped[i], want) || !sameBits(with[i], want) {
						t.Fatalf("%v: %s of %v and %v: got %v, in place %v, of a number %v, want %v", set, f.name, p, v, got[i], swapped[i], with[i], want)
					}
				}
			}
			for n := range 40 {
				x, y, got := arguments(rng, n), arguments(rng, n), make([]float64, n+1)
				got[n] = 7
				f.vec(set, got[:n], x, y)
				for i := range n {
					if want := f.math(x[i], y[i]); !sameBits(got[i], want) {
						t.Fatalf("%v: %s of %v and %v, number %d of %d: got %v, want %v", set, f.name, x[i], y[i], i, n, got[i], want)
					}
				}
				if got[n] != 7 {
					t.Errorf("%v: %s of %d numbers, and one more was written", set, f.name, n)
				}
			}
		}
	}
}
