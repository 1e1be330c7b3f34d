package vector_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/internal/vector"
)

// special are the numbers that kernels most easily get wrong.
var special = []float64{
	0, math.Copysign(0, -1), 1, -1, 5e-324, -5e-324, 1e-310, math.MaxFloat64, -math.MaxFloat64,
	math.Inf(1), math.Inf(-1), math.NaN(), 709.5, -709.5, -745.2, 800, -800, 1e-17,
}

// sample draws n numbers, every fourth one special if asked for.
func sample(rng *rand.Rand, n int, specials bool) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 3 * rng.NormFloat64()
		if specials && rng.IntN(4) == 0 {
			x[i] = special[rng.IntN(len(special))]
		}
	}
	return x
}

// closeTo allows for fused multiplication and addition: a relative error of
// tol, or an absolute one of tol times scale.
func closeTo(got, want, tol, scale float64) bool {
	switch {
	case math.IsNaN(want):
		return math.IsNaN(got)
	case got == want:
		return true
	}
	return math.Abs(got-want) <= tol*math.Max(math.Abs(want), scale)
}

// TestUniformKernels: the same numbers from every kernel set, for every length.
func TestUniformKernels(t *testing.T) {
	want := make([]float64, 200)
	vector.Portable.FillUniform(want, 42)
	for _, set := range vector.Available() {
		for n := range want {
			got := make([]float64, n)
			set.FillUniform(got, 42)
			// A tail shorter than a vector is the start of the next vector.
			if !slices.Equal(got, want[:n]) {
				t.Fatalf("%s: %d numbers differ from the portable ones", set, n)
			}
		}
	}
	if got := fmt.Sprintf("%.17g %.17g %.17g", want[0], want[1], want[8]); got != uniformGolden {
		t.Errorf("stream of seed 42 starts %s, want %s", got, uniformGolden)
	}
}

// TestUniformStatistics: moments, Kolmogorov–Smirnov distance, and correlations
// between neighbours, lanes and streams, all within five standard errors.
func TestUniformStatistics(t *testing.T) {
	const n = 1 << 17
	x, y := make([]float64, n), make([]float64, n)
	vector.Portable.FillUniform(x, 7)
	vector.Portable.FillUniform(y, 8)
	var mean, square float64
	for _, v := range x {
		if !(v > 0 && v < 1) {
			t.Fatalf("drew %v, want a number strictly inside (0, 1)", v)
		}
		mean += v / n
		square += (v - 0.5) * (v - 0.5) / n
	}
	if se := math.Sqrt(1.0 / 12 / n); !(math.Abs(mean-0.5) <= 5*se) {
		t.Errorf("mean %v, want 0.5 ± 5·%v", mean, se)
	}
	if se := math.Sqrt(1.0 / 180 / n); !(math.Abs(square-1.0/12) <= 5*se) {
		t.Errorf("variance %v, want 1/12 ± 5·%v", square, se)
	}
	correlation := func(what string, pair func(i int) (a, b float64), count int) {
		c := 0.0
		for i := range count {
			a, b := pair(i)
			c += (a - 0.5) * (b - 0.5) * 12 / float64(count)
		}
		if se := 1 / math.Sqrt(float64(count)); !(math.Abs(c) <= 5*se) {
			t.Errorf("correlation of %s is %v, want 0 ± 5·%v", what, c, se)
		}
	}
	for lag := 1; lag <= 16; lag++ {
		correlation(fmt.Sprintf("numbers %d apart", lag), func(i int) (a, b float64) {
			return x[i], x[i+lag]
		}, n-lag)
	}
	correlation("neighbouring seeds", func(i int) (a, b float64) { return x[i], y[i] }, n)
	slices.Sort(x)
	ks := 0.0
	for i, v := range x {
		ks = math.Max(ks, math.Max(math.Abs(v-float64(i)/n), math.Abs(v-float64(i+1)/n)))
	}
	if limit := 1.95 / math.Sqrt(n); ks > limit { // probability 0.001
		t.Errorf("Kolmogorov–Smirnov distance %v, want below %v", ks, limit)
	}
}

// uniformGolden are numbers 0, 1 and 8 of the stream of seed 42; they must not
// change, because seeded results depend on them.
const uniformGolden = "0.78912375730835949 0.7051677179375665 0.16134850919301169"

// TestNames: every set is found by its name, nothing means the best, and an
// unknown name is an error that lists the known ones.
func TestNames(t *testing.T) {
	sets := vector.Available()
	best := sets[len(sets)-1]
	if set, err := vector.Choose(""); err != nil || set != best {
		t.Errorf("no name: got %v, %v, want %v", set, err, best)
	}
	list := ""
	for _, want := range sets {
		if set, err := vector.Choose(want.String()); err != nil || set != want {
			t.Errorf("name %v: got %v, %v", want, set, err)
		}
		if list != "" {
			list += ", "
		}
		list += want.String()
	}
	want := `TOBAC_KERNELS is "mmx", want one of ` + list + " on this processor"
	if set, err := vector.Choose("mmx"); err == nil || err.Error() != want || set != best {
		t.Errorf("name mmx: got %v, %v, want %v, %s", set, err, best, want)
	}
}
