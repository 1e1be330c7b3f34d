package vector_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/internal/vector"
)

// A comparison is a kernel of two operands whose results are exact.
type comparison struct {
	name string
	vec  func(s vector.Set, dst, x, y []float64)
	want func(x, y float64) float64
}

func truth(holds bool, x, y float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		return math.NaN()
	case holds:
		return 1
	}
	return 0
}

var exactPairs = []comparison{
	{"quotient", vector.Set.Div, func(x, y float64) float64 { return x / y }},
	{"quotient by a number", func(s vector.Set, dst, x, y []float64) {
		for i, p := range y {
			s.DivScalar(dst[i:i+1], x[i:i+1], p)
		}
	}, func(x, y float64) float64 { return x / y }},
	{"quotient of a number", func(s vector.Set, dst, x, y []float64) {
		for i, p := range x {
			s.ScalarDiv(dst[i:i+1], p, y[i:i+1])
		}
	}, func(x, y float64) float64 { return x / y }},
	{"larger", vector.Set.Larger, func(x, y float64) float64 { return max(x, y) }},
	{"smaller", vector.Set.Smaller, func(x, y float64) float64 { return min(x, y) }},
	{"greater", vector.Set.Greater, func(x, y float64) float64 { return truth(x > y, x, y) }},
	{"at least", vector.Set.AtLeast, func(x, y float64) float64 { return truth(x >= y, x, y) }},
	{"equal", vector.Set.Equal, func(x, y float64) float64 { return truth(x == y, x, y) }},
	{"positive", func(s vector.Set, dst, x, _ []float64) {
		s.Positive(dst, x)
	}, func(x, _ float64) float64 { return truth(x > 0, x, x) }},
	{"sign", func(s vector.Set, dst, x, _ []float64) {
		s.Sign(dst, x)
	}, func(x, _ float64) float64 {
		if x == 0 || x != x {
			return x
		}
		return math.Copysign(1, x)
	}},
	{"where", func(s vector.Set, dst, x, y []float64) {
		s.Where(dst, x, y, x)
	}, func(x, y float64) float64 {
		if x != 0 {
			return y
		}
		return x
	}},
}

// TestExactPairs compares with plain Go, to the bit but for NaN: all pairs of awkward
// numbers, vectors of any length, in a result of its own and in the place of an operand;
// and looks for writes behind the end.
func TestExactPairs(t *testing.T) {
	special := awkward()
	rng := rand.New(rand.NewPCG(60, 61))
	for _, f := range exactPairs {
		for _, set := range vector.Available() {
			check := func(x, y []float64) {
				t.Helper()
				n := len(x)
				got, first, second := make([]float64, n+1), append([]float64{}, x...),
					append([]float64{}, y...)
				got[n] = 7
				f.vec(set, got[:n], x, y)
				f.vec(set, first, first, y)
				f.vec(set, second, x, second)
				for i := range n {
					if want := f.want(x[i], y[i]); !sameBits(got[i], want) ||
						!sameBits(first[i], want) || !sameBits(second[i], want) {
						t.Fatalf("%v: %s of %v and %v, number %d of %d: got %v, in the places of "+
							"operands %v and %v, want %v", set, f.name, x[i], y[i], i, n, got[i],
							first[i], second[i], want)
					}
				}
				if got[n] != 7 {
					t.Errorf("%v: %s of %d numbers, and one more was written", set, f.name, n)
				}
			}
			for _, p := range special {
				x := make([]float64, len(special))
				for i := range x {
					x[i] = p
				}
				check(x, special)
			}
			for n := range 40 {
				check(arguments(rng, n), arguments(rng, n))
			}
		}
	}
}

// TestSubProduct compares with plain Go, up to rounding, on vectors of any length, in a
// result of its own and in place; the sets in assembly agree to the bit.
func TestSubProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 63))
	for n := range 40 {
		x, y, z := sample(rng, n, n%2 == 0), sample(rng, n, n%2 == 0), sample(rng, n, false)
		first := make([]float64, n)
		for _, set := range vector.Available() {
			got, in := make([]float64, n+1), append([]float64{}, x...)
			got[n] = 7
			set.SubProduct(got[:n], x, y, z)
			set.SubProduct(in, in, y, z)
			for i := range n {
				product := y[i] * z[i]
				if want := x[i] - product; !closeTo(got[i], want, 1e-15, math.Abs(product)) ||
					!sameBits(in[i], got[i]) {
					t.Errorf("%v: %v - %v·%v: got %v, in place %v, want %v", set, x[i], y[i], z[i],
						got[i], in[i], want)
				}
				if set == vector.AVX512 && !sameBits(got[i], first[i]) {
					t.Errorf("%v - %v·%v: AVX2 %v, AVX-512 %v", x[i], y[i], z[i], first[i], got[i])
				}
			}
			if got[n] != 7 {
				t.Errorf("%v: %d numbers, and one more was written", set, n)
			}
			copy(first, got)
		}
	}
}
