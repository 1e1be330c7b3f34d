package vector_test

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"tobac/internal/must"
	"tobac/internal/vector"
)

// A function is a kernel of one vector, with what the tests ask of it.
type function struct {
	name     string
	vec      func(s vector.Set, dst, x []float64)
	math     func(float64) float64    // with the same special values
	ulp      float64                  // the error that it may have
	portable float64                  // the same of the portable set
	draw     func(*rand.Rand) float64 // an argument of the benchmarks
}

// functions are all kernels of one vector.
var functions = []function{
	{"exp", vector.Set.Exp, exp, 1, 2, normal},
	{"sigmoid", vector.Set.Sigmoid, sigmoid, 2, 3, normal},
	{"log", vector.Set.Log, log, 2, 2, positive},
	{"log1p", vector.Set.Log1p, math.Log1p, 2, 2, positive},
	{"expm1", vector.Set.Expm1, math.Expm1, 2, 2, normal},
	{"softplus", vector.Set.Softplus, softplus, 2, 3, normal},
	{"tanh", vector.Set.Tanh, math.Tanh, 2, 2, normal},
	{"sinh", vector.Set.Sinh, math.Sinh, 4, 4, normal},
	{"cosh", vector.Set.Cosh, math.Cosh, 4, 4, normal},
	{"asinh", vector.Set.Asinh, math.Asinh, 4, 4, normal},
	{"sin", vector.Set.Sin, math.Sin, 2, 2, normal},
	{"cos", vector.Set.Cos, math.Cos, 2, 2, normal},
	{"erf", vector.Set.Erf, math.Erf, 4, 4, normal},
	{"erfc", vector.Set.Erfc, math.Erfc, 4, 4, normal},
	{"logndtr", vector.Set.LogNdtr, logNdtr, 8, 8, normal},
	{"ndtrinv", vector.Set.NdtrInv, ndtrInv, 8, 8, (*rand.Rand).Float64},
	{"loggamma", vector.Set.LogGamma, logGamma, 8, 8, positive},
	{"digamma", vector.Set.Digamma, digamma, 8, 8, positive},
	{"sqrt", vector.Set.Sqrt, math.Sqrt, 0, 0, positive},
	{"abs", vector.Set.Abs, math.Abs, 0, 0, normal},
	{"inverse", vector.Set.Inverse, func(x float64) float64 { return 1 / x }, 0, 0, normal},
}

func normal(rng *rand.Rand) float64 { return 3 * rng.NormFloat64() }

func positive(rng *rand.Rand) float64 { return 3 * rng.ExpFloat64() }

// A value is a line of a table: arguments and the function's value high + low.
type value struct {
	args      []float64
	high, low float64
}

// table reads testdata/name.txt.
func table(t *testing.T, name string) (values []value) {
	t.Helper()
	f := must.Get(os.Open("testdata/" + name + ".txt"))(t)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var v []float64
		for field := range strings.FieldsSeq(lines.Text()) {
			x := must.Get(strconv.ParseFloat(field, 64))(t)
			v = append(v, x)
		}
		n := len(v) - 2
		values = append(values, value{v[:n], v[n], v[n+1]})
	}
	return values
}

// units is the distance of got from the value, in units of its last place.
func (v value) units(got float64) float64 {
	size := math.Abs(v.high)
	return math.Abs((got-v.high)-v.low) / (math.Nextafter(size, math.Inf(1)) - size)
}

// TestAccuracy compares functions with tables of 80 digits, rounded to twice the
// precision; testdata/tables.py has made them.
func TestAccuracy(t *testing.T) {
	for _, f := range functions {
		if f.ulp == 0 {
			continue
		}
		values := table(t, f.name)
		x := make([]float64, len(values))
		for i, v := range values {
			x[i] = v.args[0]
		}
		for _, set := range vector.Available() {
			t.Run(fmt.Sprint(f.name, "/", set), func(t *testing.T) {
				limit := f.ulp
				if set == vector.Portable {
					limit = f.portable
				}
				y := make([]float64, len(x))
				f.vec(set, y, x)
				worst, at := 0.0, 0
				for i, v := range values {
					if u := v.units(y[i]); !(u <= worst) {
						worst, at = u, i
					}
				}
				if !(worst <= limit) {
					t.Errorf("of %v: got %v, want %v, an error of %v units in the last place, "+
						"want at most %v", x[at], y[at], values[at].high, worst, limit)
				}
				t.Logf("worst error %.3f units in the last place, of %v", worst, x[at])
			})
		}
	}
}

// awkward are arguments at which functions change their formula or have no finite
// value, and their neighbours.
func awkward() (x []float64) {
	for _, v := range []float64{
		0, 5e-324, 1e-310, 0x1p-1022, 1e-300, 1e-17, 0x1p-27, 0.25, math.Sqrt(0.5), 0.5, 0.84375, 1,
		1.25, math.Sqrt2, 1.5, 2, 3, 6, 8, 10, 12, 22, 26.6, 28, 37.5, 44,
		0x1p29, 0x1p30, 0x1p52, 0x1p53, 1e100, 1e200, 1e305, 0x1p1023, math.MaxFloat64, math.Inf(1),
		708, 709, 709.782712893384, 710, 745.2, 746,
	} {
		for _, w := range []float64{math.Nextafter(v, 0), v, math.Nextafter(v, math.Inf(1))} {
			x = append(x, w, -w)
		}
	}
	return append(x, math.NaN())
}

// sameBits compares numbers, and signs of zeros; all NaN are one.
func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// TestSpecialValues compares every set with math: alike where the value is 0, an
// infinity or NaN or the function rounds once, close where it is another number.
func TestSpecialValues(t *testing.T) {
	x := awkward()
	y := make([]float64, len(x))
	for _, f := range functions {
		for _, set := range vector.Available() {
			f.vec(set, y, x)
			for i, v := range x {
				want := f.math(v)
				if f.ulp == 0 || want == 0 || want-want != 0 || y[i]-y[i] != 0 || y[i] == 0 {
					if !sameBits(y[i], want) {
						t.Errorf("%v: %s of %v: got %v, want %v", set, f.name, v, y[i], want)
					}
					continue
				}
				if d := math.Abs(y[i]-want) / math.Max(math.Abs(want), 1e-300); d > 1e-13 {
					t.Errorf("%v: %s of %v: got %v, want %v", set, f.name, v, y[i], want)
				}
			}
		}
	}
}

// arguments draws n numbers of all sizes, many of them in the middle, some awkward.
func arguments(rng *rand.Rand, n int) []float64 {
	special := awkward()
	x := make([]float64, n)
	for i := range x {
		switch rng.IntN(8) {
		case 0:
			x[i] = math.Float64frombits(rng.Uint64())
		case 1:
			x[i] = special[rng.IntN(len(special))]
		case 2:
			x[i] = rng.Float64()
		case 3:
			x[i] = 1000 * rng.NormFloat64()
		default:
			x[i] = 3 * rng.NormFloat64()
		}
	}
	return x
}

// TestRoundedOnce: functions that round once, or not at all, have the bits of math.
func TestRoundedOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 51))
	x, y := arguments(rng, 1<<14), make([]float64, 1<<14)
	for _, f := range functions {
		for _, set := range vector.Available() {
			f.vec(set, y, x)
			for i, v := range x {
				if want := f.math(v); f.ulp == 0 && !sameBits(y[i], want) {
					t.Fatalf("%v: %s of %v: got %v, want %v", set, f.name, v, y[i], want)
				}
			}
		}
	}
}

// TestPlaceAndLength: a result depends neither on its place nor on how many there are,
// in a result of its own and in place, and nothing is written behind the end.
func TestPlaceAndLength(t *testing.T) {
	for _, f := range functions {
		for _, set := range vector.Available() {
			rng := rand.New(rand.NewPCG(30, 31))
			x, one := arguments(rng, 80), make([]float64, 80)
			for i := range x {
				f.vec(set, one[i:i+1], x[i:i+1])
			}
			for n := range 40 {
				for start := range 9 {
					got := make([]float64, n+1)
					got[n] = 7
					f.vec(set, got[:n], x[start:start+n])
					in := append([]float64{}, x[start:start+n]...)
					f.vec(set, in, in)
					for i, v := range got[:n] {
						if !sameBits(v, one[start+i]) || !sameBits(in[i], one[start+i]) {
							t.Fatalf("%v: %s of %v, number %d of %d: got %v, in place %v, alone %v",
								set, f.name, x[start+i], i, n, v, in[i], one[start+i])
						}
					}
					if got[n] != 7 {
						t.Errorf("%v: %s of %d numbers, and one more was written", set, f.name, n)
					}
				}
			}
		}
	}
}

// TestFunctionsAgree: AVX2 and AVX-512 agree to the bit, NaN included, of one and of two
// operands.
func TestFunctionsAgree(t *testing.T) {
	if len(vector.Available()) < 3 {
		t.Skip("no two sets in assembly")
	}
	rng := rand.New(rand.NewPCG(32, 33))
	x := append(arguments(rng, 1<<16), awkward()...)
	y, a, b := arguments(rng, len(x)), make([]float64, len(x)), make([]float64, len(x))
	compare := func(name string, f func(s vector.Set, dst []float64)) {
		f(vector.AVX2, a)
		f(vector.AVX512, b)
		for i := range x {
			if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
				t.Fatalf("%s of %v and %v: %v and %v", name, x[i], y[i], a[i], b[i])
			}
		}
	}
	for _, f := range functions {
		compare(f.name, func(s vector.Set, dst []float64) { f.vec(s, dst, x) })
	}
	for _, f := range pairings {
		compare(f.name, func(s vector.Set, dst []float64) { f.vec(s, dst, x, y) })
	}
}
