package vector_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/internal/vector"
)

// TestSum compares with sums from first to last, on vectors of any length: whole numbers,
// whose sums are exact, then any, up to rounding; NaN and infinities anywhere; the place
// does not matter, and the sets in assembly agree to the bit.
func TestSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(80, 81))
	for n := range 200 {
		whole, any := make([]float64, n), make([]float64, n)
		exact, size := 0.0, 0.0
		for i := range whole {
			whole[i], any[i] = float64(rng.IntN(2000)-1000), rng.NormFloat64()
			exact += whole[i]
			size += math.Abs(any[i])
		}
		plain := 0.0
		for _, v := range any {
			plain += v
		}
		first := 0.0
		for _, set := range vector.Available() {
			if got := set.Sum(whole); got != exact {
				t.Errorf("%v: sum of %d whole numbers: got %v, want %v", set, n, got, exact)
			}
			got := set.Sum(any)
			if !(math.Abs(got-plain) <= 1e-15*size) {
				t.Errorf("%v: sum of %d numbers: got %v, want %v", set, n, got, plain)
			}
			if moved := append([]float64{1, 2, 3}, any...)[3:]; set.Sum(moved) != got {
				t.Errorf("%v: sum of %d numbers: got %v, elsewhere %v", set, n, got, set.Sum(moved))
			}
			if set == vector.AVX512 && got != first {
				t.Errorf("sum of %d numbers: AVX2 %v, AVX-512 %v", n, first, got)
			}
			first = got
			for _, v := range []float64{math.NaN(), math.Inf(1)} {
				if n == 0 {
					continue
				}
				i := rng.IntN(n)
				odd := append([]float64{}, any...)
				odd[i] = v
				if got := set.Sum(odd); !sameBits(got, v) {
					t.Errorf("%v: sum of %d numbers with %v: got %v", set, n, v, got)
				}
			}
		}
	}
}
