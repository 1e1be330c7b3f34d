package vector_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/internal/vector"
)

// TestElementwise compares the element-wise kernels with their definitions, to the
// bit but for products that a compiler may fuse with the sum they go into, on all
// lengths up to several vectors and on special values, and looks for writes behind
// the end.
func TestElementwise(t *testing.T) {
	for _, set := range vector.Available() {
		rng := rand.New(rand.NewPCG(20, 21))
		for n := range 70 {
			for _, specials := range []bool{false, true} {
				a, b := sample(rng, n, specials), sample(rng, n, specials)
				squares := sample(rng, n+1, specials)
				for i, v := range squares {
					squares[i] = math.Abs(v)
				}
				s, decay, rate, epsilon := -1.7, 0.9, 0.005, 1e-8
				sum, scaled, x, q := make([]float64, n+1), make([]float64, n+1),
					append(append([]float64{}, a...), 0), append([]float64{}, squares...)
				set.AddScaled(sum[:n], a, s, b)
				set.ScaledSum(scaled[:n], s, a, b)
				set.ScaleByRMS(x[:n], q[:n], decay, rate, epsilon)
				same := func(what string, i int, got float64, want ...float64) {
					t.Helper()
					for _, w := range want {
						if math.Float64bits(got) == math.Float64bits(w) || math.IsNaN(got) &&
							math.IsNaN(w) {
							return
						}
					}
					t.Fatalf("%v: %s %d of %d on %v and %v: got %v, want one of %v", set, what, i,
						n, a[i], b[i], got, want)
				}
				for i := range n {
					same("a + s·b", i, sum[i], a[i]+float64(s*b[i]), math.FMA(s, b[i], a[i]))
					same("s·(a + b)", i, scaled[i], s*(a[i]+b[i]))
					first, second := float64(decay*squares[i]), float64((1-decay)*a[i]*a[i])
					same("running mean", i, q[i], first+second, math.FMA(decay, squares[i], second),
						math.FMA((1-decay)*a[i], a[i], first))
					same("x/√", i, x[i], rate*a[i]/math.Sqrt(q[i]+epsilon))
				}
				if sum[n] != 0 || scaled[n] != 0 || x[n] != 0 ||
					math.Float64bits(q[n]) != math.Float64bits(squares[n]) {
					t.Errorf("%v: %d numbers, and one more was written", set, n)
				}
				want := append([]float64{}, sum[:n]...)
				set.AddScaled(a, a, s, b)
				for i := range n {
					same("a + s·b in place", i, a[i], want[i])
				}
			}
		}
	}
}

// TestArithmetic compares sums, differences and products with their definitions, to
// the bit, on all lengths up to several vectors and on special values, in a result of
// its own and in that of the first operand, and looks for writes behind the end.
func TestArithmetic(t *testing.T) {
	for _, set := range vector.Available() {
		rng := rand.New(rand.NewPCG(24, 25))
		const s = -1.7
		for _, op := range []struct {
			name string
			vec  func(dst, a, b []float64)
			f    func(a, b float64) float64
		}{
			{"a + b", set.Add, func(a, b float64) float64 { return a + b }},
			{"a − b", set.Sub, func(a, b float64) float64 { return a - b }},
			{"a∘b", set.MulEach, func(a, b float64) float64 { return a * b }},
			{"a + s", func(dst, a, _ []float64) {
				set.Shift(dst, a, s)
			}, func(a, _ float64) float64 { return a + s }},
			{"a·s", func(dst, a, _ []float64) { set.Scale(dst, a, s) }, func(a, _ float64) float64 {
				return a * s
			}},
		} {
			for n := range 70 {
				a, b := sample(rng, n, n%2 == 0), sample(rng, n, n%2 == 0)
				x, y := make([]float64, n+1), append(slices.Clone(a), 0)
				op.vec(x[:n], a, b)
				op.vec(y[:n], y[:n], b)
				for i := range n {
					want := op.f(a[i], b[i])
					for _, got := range []float64{x[i], y[i]} {
						if math.Float64bits(got) != math.Float64bits(want) &&
							!(math.IsNaN(got) && math.IsNaN(want)) {
							t.Fatalf("%v: %s %d of %d on %v and %v: got %v, want %v", set, op.name,
								i, n, a[i], b[i], got, want)
						}
					}
				}
				if x[n] != 0 || y[n] != 0 {
					t.Errorf("%v: %s of %d numbers, and one more was written", set, op.name, n)
				}
			}
		}
	}
}

// TestGather takes numbers from places in any order, some of them more than once.
func TestGather(t *testing.T) {
	for _, set := range vector.Available() {
		rng := rand.New(rand.NewPCG(26, 27))
		a := sample(rng, 50, false)
		for n := range 40 {
			index, got := make([]int32, n), make([]float64, n+1)
			for i := range index {
				index[i] = rng.Int32N(int32(len(a)))
			}
			set.Gather(got[:n], a, index)
			for i, k := range index {
				if got[i] != a[k] {
					t.Errorf("%v: number %d of %d is %v, want %v", set, i, n, got[i], a[k])
				}
			}
			if got[n] != 0 {
				t.Errorf("%v: %d numbers, and one more was written", set, n)
			}
		}
	}
}

// TestFinite puts a NaN or an infinity, or the largest numbers, whose sum
// overflows, at every place of every length.
func TestFinite(t *testing.T) {
	for _, set := range vector.Available() {
		for n := range 40 {
			a := make([]float64, n)
			for i := range a {
				a[i] = math.MaxFloat64
			}
			if !set.Finite(a) {
				t.Errorf("%v: %d of the largest number: got false", set, n)
			}
			for i := range a {
				for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					a[i] = v
					if set.Finite(a) {
						t.Errorf("%v: %v at %d of %d: got true", set, v, i, n)
					}
				}
				a[i] = -math.MaxFloat64
			}
		}
	}
}
