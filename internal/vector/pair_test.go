package vector_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/internal/vector"
)

// A pairing is a kernel of two operands.
type pairing struct {
	name string
	vec  func(s vector.Set, dst, x, y []float64)
	with func(s vector.Set, dst, x []float64, p float64) // the same with a number
	math func(x, y float64) float64
	tol  float64 // relative difference from math, times 1+|y|: math.Pow multiplies
}

var pairings = []pairing{
	{"maximum", vector.Set.Maximum, vector.Set.MaximumScalar, math.Max, 0},
	{"minimum", vector.Set.Minimum, vector.Set.MinimumScalar, math.Min, 0},
	{"power", vector.Set.PowEach, vector.Set.Pow, power, 1e-13},
}

// power is math.Pow, but not by way of math.Log for subnormal numbers; see log.
func power(x, y float64) float64 {
	if x > 0 && x < 0x1p-1022 && y-y == 0 {
		return math.Exp(y * log(x))
	}
	return math.Pow(x, y)
}

// alike compares a result with that of math: to the bit if one is 0, an infinity or NaN,
// or if no difference is allowed.
func (f pairing) alike(got, want, y float64) bool {
	if sameBits(got, want) || f.tol == 0 || want == 0 || want-want != 0 || got == 0 ||
		got-got != 0 {
		return sameBits(got, want)
	}
	return math.Abs(got-want) <= math.Max(f.tol*(1+math.Abs(y))*math.Abs(want), 5e-324)
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
				got, swapped, with := make([]float64, len(x)), append([]float64{}, special...),
					make([]float64, len(x))
				f.vec(set, got, x, special)
				f.vec(set, swapped, x, swapped)
				f.with(set, with, special, p)
				for i, v := range special {
					want := f.math(p, v)
					if !f.alike(got[i], want, v) || !f.alike(swapped[i], want, v) ||
						!f.alike(with[i], f.math(v, p), p) {
						t.Fatalf(
							"%v: %s of %v and %v: got %v, in place %v, of a number %v, want %v",
							set, f.name, p, v, got[i], swapped[i], with[i], want)
					}
				}
			}
			for n := range 40 {
				x, y, got := arguments(rng, n), arguments(rng, n), make([]float64, n+1)
				got[n] = 7
				f.vec(set, got[:n], x, y)
				for i := range n {
					if want := f.math(x[i], y[i]); !f.alike(got[i], want, y[i]) {
						t.Fatalf("%v: %s of %v and %v, number %d of %d: got %v, want %v", set,
							f.name, x[i], y[i], i, n, got[i], want)
					}
				}
				if got[n] != 7 {
					t.Errorf("%v: %s of %d numbers, and one more was written", set, f.name, n)
				}
			}
		}
	}
}

// TestPairsAgree: AVX2 and AVX-512 agree to the bit, NaN included, and powers of one
// exponent are those of a vector of it.
func TestPairsAgree(t *testing.T) {
	if len(vector.Available()) < 3 {
		t.Skip("no two sets in assembly")
	}
	rng := rand.New(rand.NewPCG(38, 39))
	const n = 1 << 16
	x, y, a, b := arguments(rng, n), arguments(rng, n), make([]float64, n), make([]float64, n)
	for _, f := range pairings {
		for _, number := range []bool{false, true} {
			f.vec(vector.AVX2, a, x, y)
			f.vec(vector.AVX512, b, x, y)
			if number {
				for i := range y {
					y[i] = -2.5
				}
				f.vec(vector.AVX2, a, x, y)
				f.with(vector.AVX512, b, x, -2.5)
			}
			for i := range x {
				if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
					t.Fatalf("%s of %v and %v: %v and %v", f.name, x[i], y[i], a[i], b[i])
				}
			}
		}
	}
}

// TestPowAccuracy compares powers with a table of 80 digits, by a vector of exponents
// and by one exponent at a time.
func TestPowAccuracy(t *testing.T) {
	values := table(t, "pow")
	x, y, got, one := make([]float64, len(values)), make([]float64, len(values)),
		make([]float64, len(values)), make([]float64, 1)
	for i, v := range values {
		x[i], y[i] = v.args[0], v.args[1]
	}
	for _, set := range vector.Available() {
		set.PowEach(got, x, y)
		worst, at := 0.0, 0
		for i, v := range values {
			set.Pow(one, x[i:i+1], y[i])
			if u := max(v.units(got[i]), v.units(one[0])); !(u <= worst) {
				worst, at = u, i
			}
		}
		if !(worst <= 4) {
			t.Errorf("%v: %v to the power %v: got %v, want %v, an error of %v units in the last "+
				"place, want at most 4", set, x[at], y[at], got[at], values[at].high, worst)
		}
		t.Logf("%v: worst error %.3f units in the last place, of %v and %v", set, worst, x[at],
			y[at])
	}
}
