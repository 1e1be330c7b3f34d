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
	want func(x, y float64) float64
	// relative difference, times 1+|y|, because math.Pow multiplies; 0: the same bits
	tol  float64
	with func(s vector.Set, dst, x []float64, p float64) // the same with a number, if there is one
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

// power is math.Pow, but not by way of math.Log for subnormal numbers; see log.
func power(x, y float64) float64 {
	if x > 0 && x < 0x1p-1022 && y-y == 0 {
		return math.Exp(y * log(x))
	}
	return math.Pow(x, y)
}

func quotient(x, y float64) float64 { return x / y }

var pairings = []pairing{
	{"maximum", vector.Set.Maximum, math.Max, 0, vector.Set.MaximumScalar},
	{"minimum", vector.Set.Minimum, math.Min, 0, vector.Set.MinimumScalar},
	{"power", vector.Set.PowEach, power, 1e-13, vector.Set.Pow},
	{"quotient", vector.Set.Div, quotient, 0, vector.Set.DivScalar},
	{name: "quotient of a number", vec: func(s vector.Set, dst, x, y []float64) {
		for i, p := range x {
			s.ScalarDiv(dst[i:i+1], p, y[i:i+1])
		}
	}, want: quotient},
	{name: "larger", vec: vector.Set.Larger, want: func(x, y float64) float64 {
		return max(x, y)
	}},
	{name: "smaller", vec: vector.Set.Smaller, want: func(x, y float64) float64 {
		return min(x, y)
	}},
	{name: "greater", vec: vector.Set.Greater, want: func(x, y float64) float64 {
		return truth(x > y, x, y)
	}},
	{name: "at least", vec: vector.Set.AtLeast, want: func(x, y float64) float64 {
		return truth(x >= y, x, y)
	}},
	{name: "equal", vec: vector.Set.Equal, want: func(x, y float64) float64 {
		return truth(x == y, x, y)
	}},
	{name: "positive", vec: func(s vector.Set, dst, x, _ []float64) {
		s.Positive(dst, x)
	}, want: func(x, _ float64) float64 { return truth(x > 0, x, x) }},
	{name: "sign", vec: func(s vector.Set, dst, x, _ []float64) {
		s.Sign(dst, x)
	}, want: func(x, _ float64) float64 {
		if x == 0 || x != x {
			return x
		}
		return math.Copysign(1, x)
	}},
	{name: "where", vec: func(s vector.Set, dst, x, y []float64) {
		s.Where(dst, x, y, x)
	}, want: func(x, y float64) float64 {
		if x != 0 {
			return y
		}
		return x
	}},
}

// alike compares a result with what is wanted: to the bit if one is 0, an infinity or NaN,
// or if no difference is allowed.
func (f pairing) alike(got, want, y float64) bool {
	if sameBits(got, want) || f.tol == 0 || want == 0 || want-want != 0 || got == 0 ||
		got-got != 0 {
		return sameBits(got, want)
	}
	return math.Abs(got-want) <= math.Max(f.tol*(1+math.Abs(y))*math.Abs(want), 5e-324)
}

// TestPairs compares with plain Go: all pairs of awkward numbers, vectors of any length, in a
// result of its own and in the place of an operand, and with a number in place of the second
// vector, which has the same bits; and looks for writes behind the end.
func TestPairs(t *testing.T) {
	special := awkward()
	rng := rand.New(rand.NewPCG(60, 61))
	for _, f := range pairings {
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
				number := []float64{0}
				for i := range n {
					if f.with == nil {
						number[0] = got[i]
					} else {
						f.with(set, number, x[i:i+1], y[i])
					}
					if want := f.want(x[i], y[i]); !f.alike(got[i], want, y[i]) ||
						!sameBits(first[i], got[i]) || !sameBits(second[i], got[i]) ||
						!f.alike(number[0], want, y[i]) {
						t.Fatalf("%v: %s of %v and %v, number %d of %d: got %v, in the places of "+
							"operands %v and %v, with a number %v, want %v", set, f.name, x[i],
							y[i], i, n, got[i], first[i], second[i], number[0], want)
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
