package autograd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
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

// TestKernels compares every kernel set with the portable one, on lengths up to
// several vectors and on special values.
func TestKernels(t *testing.T) {
	type call func(k *kernelSet, dst []float64, x [][]float64, s, u float64)
	calls := []struct {
		name  string
		f     call
		exact bool // the same bits as the portable kernel
		unit  bool // first operand in (0, 1)
	}{
		{name: "add", exact: true, f: func(k *kernelSet, d []float64, x [][]float64, s, u float64) { k.add(&d[0], &x[0][0], &x[1][0], len(d)) }},
		{name: "sub", exact: true, f: func(k *kernelSet, d []float64, x [][]float64, s, u float64) { k.sub(&d[0], &x[0][0], &x[1][0], len(d)) }},
		{name: "mul", exact: true, f: func(k *kernelSet, d []float64, x [][]float64, s, u float64) { k.mul(&d[0], &x[0][0], &x[1][0], len(d)) }},
		{name: "mulAdd", f: func(k *kernelSet, d []float64, x [][]float64, s, u float64) {
			k.mulAdd(&d[0], &x[0][0], &x[1][0], len(d))
		}},
		{name: "scale", exact: true, f: func(k *kernelSet, d []float64, x [][]float64, s, u float64) { k.scale(&d[0], &x[0][0], len(d), s) }},
		{name: "affine", f: func(k *kernelSet, d []float64, x [][]float64, s, u float64) { k.affine(&d[0], &x[0][0], len(d), s, u) }},
		{name: "less", exact: true, f: func(k *kernelSet, d []float64, x [][]float64, s, u float64) { k.less(&d[0], &x[0][0], len(d), s) }},
		{name: "relu", exact: true, f: func(k *kernelSet, d []float64, x [][]float64, s, u float64) { k.relu(&d[0], &x[0][0], len(d)) }},
		{name: "positive", exact: true, f: func(k *kernelSet, d []float64, x [][]float64, s, u float64) {
			k.positive(&d[0], &x[0][0], len(d))
		}},
		{name: "sigmoidShift", unit: true, f: func(k *kernelSet, d []float64, x [][]float64, s, u float64) {
			p, q := shiftFactors(10 * s)
			k.shift(&d[0], &x[0][0], len(d), p, q)
		}},
		{name: "exp", f: func(k *kernelSet, d []float64, x [][]float64, s, u float64) { k.exp(d, x[0]) }},
		{name: "in place", exact: true, f: func(k *kernelSet, d []float64, x [][]float64, s, u float64) {
			k.add(&d[0], &d[0], &x[0][0], len(d))
			k.scale(&d[0], &d[0], len(d), s)
		}},
	}
	for i := range available {
		set := &available[i]
		for _, c := range calls {
			t.Run(set.name+"/"+c.name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 2))
				for n := vectorLen; n <= 12*vectorLen; n += vectorLen {
					for round := range 8 {
						specials := round%2 == 1 && !c.unit
						x := [][]float64{sample(rng, n, specials), sample(rng, n, specials)}
						if c.unit {
							FillUniform(x[0], rng.Uint64())
						}
						s, u := rng.NormFloat64(), rng.NormFloat64()
						start := sample(rng, n, false)
						got, want := slices.Clone(start), slices.Clone(start)
						c.f(set, got, x, s, u)
						c.f(&portable, want, x, s, u)
						for i := range want {
							// A fused product keeps what an unfused one rounds
							// away or lets overflow.
							if math.IsInf(want[i], 0) || math.IsNaN(want[i]) && c.name == "mulAdd" {
								continue
							}
							tol := 4e-16
							if c.exact {
								tol = 0
							}
							scale := math.Abs(start[i]) + math.Abs(s*x[0][i]) + math.Abs(u)
							if c.name == "exp" || c.unit {
								scale = 0
							}
							if !closeTo(got[i], want[i], 2*tol, scale) {
								t.Fatalf("n=%d, lane %d of %v: got %v, want %v", n, i, x[0][i], got[i], want[i])
							}
						}
					}
				}
			})
		}
	}
}

// TestDotKernels compares sums of products over 1 to 9 terms.
func TestDotKernels(t *testing.T) {
	for i := range available {
		set := &available[i]
		rng := rand.New(rand.NewPCG(3, 4))
		for w := vectorLen; w <= 17*vectorLen; w += vectorLen {
			for k := 1; k < 10; k++ {
				m, r := sample(rng, 16, false), sample(rng, 12*w, false)
				terms := make([]laneTerm, k)
				for j := range terms {
					terms[j] = laneTerm{int32(rng.IntN(12)), int32(rng.IntN(16))}
				}
				got := make([]float64, w)
				set.dot(&got[0], &m[0], &r[0], w, &terms[0], k)
				for l := range got {
					want, scale := 0.0, 0.0
					for _, term := range terms {
						p := m[term.factor] * r[int(term.reg)*w+l]
						want += p
						scale += math.Abs(p)
					}
					if !closeTo(got[l], want, 1e-15, scale) {
						t.Fatalf("%s: w=%d, %d terms, lane %d: got %v, want %v", set.name, w, k, l, got[l], want)
					}
				}
			}
		}
	}
}

// TestDotPairsKernels does the same for products of registers.
func TestDotPairsKernels(t *testing.T) {
	for i := range available {
		set := &available[i]
		rng := rand.New(rand.NewPCG(4, 4))
		for w := vectorLen; w <= 17*vectorLen; w += vectorLen {
			for k := 1; k < 10; k++ {
				r := sample(rng, 12*w, false)
				terms := make([]laneTerm, k)
				for j := range terms {
					terms[j] = laneTerm{int32(rng.IntN(12)), int32(rng.IntN(12))}
				}
				got := make([]float64, w)
				set.dotPairs(&got[0], &r[0], w, &terms[0], k)
				for l := range got {
					want, scale := 0.0, 0.0
					for _, term := range terms {
						p := r[int(term.reg)*w+l] * r[int(term.factor)*w+l]
						want += p
						scale += math.Abs(p)
					}
					if !closeTo(got[l], want, 1e-15, scale) {
						t.Fatalf("%s: w=%d, %d terms, lane %d: got %v, want %v", set.name, w, k, l, got[l], want)
					}
				}
			}
		}
	}
}

// TestReductionKernels compares sums of exponentials and maxima of any length.
func TestReductionKernels(t *testing.T) {
	for i := range available {
		set := &available[i]
		rng := rand.New(rand.NewPCG(5, 6))
		for n := 1; n < 70; n++ {
			x := sample(rng, n, false)
			for i := range x {
				x[i] *= 100
			}
			top := slices.Max(x)
			if got := set.max(x); got != top {
				t.Errorf("%s: maximum of %d numbers: got %v, want %v", set.name, n, got, top)
			}
			want := 0.0
			for _, v := range x {
				want += math.Exp(v - top)
			}
			if got := set.sumExp(x, top); !closeTo(got, want, 1e-14, 0) {
				t.Errorf("%s: sum of %d exponentials: got %v, want %v", set.name, n, got, want)
			}
			x[rng.IntN(n)] = math.NaN()
			if got := set.max(x); !math.IsNaN(got) {
				t.Errorf("%s: maximum of %d numbers with a NaN: got %v", set.name, n, got)
			}
		}
		if got := set.max([]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1)}); !math.IsInf(got, -1) {
			t.Errorf("%s: maximum of −Inf: got %v", set.name, got)
		}
	}
}

// TestExpAccuracy bounds the error of the vector exponential by 2 units in the
// last place over the whole range in which the result is a normal number.
func TestExpAccuracy(t *testing.T) {
	for i := range available {
		set := &available[i]
		x, y := make([]float64, 1<<16), make([]float64, 1<<16)
		for i := range x {
			x[i] = -708 + 1416*(float64(i)+0.5)/float64(len(x))
		}
		set.exp(y, x)
		worst := 0.0
		for i, v := range x {
			want := math.Exp(v)
			worst = math.Max(worst, math.Abs(y[i]-want)/(math.Nextafter(want, math.Inf(1))-want))
		}
		if worst > 2 {
			t.Errorf("%s: error of %v units in the last place, want at most 2", set.name, worst)
		}
	}
}

// TestUniformKernels: the same numbers from every kernel set, for every length.
func TestUniformKernels(t *testing.T) {
	defer func(k kernelSet) { kernels = k }(kernels)
	want := make([]float64, 200)
	kernels = portable
	FillUniform(want, 42)
	for _, set := range available {
		kernels = set
		for n := range want {
			got := make([]float64, n)
			FillUniform(got, 42)
			// A tail shorter than a vector is the start of the next vector.
			if !slices.Equal(got, want[:n]) {
				t.Fatalf("%s: %d numbers differ from the portable ones", set.name, n)
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
	FillUniform(x, 7)
	FillUniform(y, 8)
	var mean, square float64
	for _, v := range x {
		if !(v > 0 && v < 1) {
			t.Fatalf("drew %v, want a number strictly inside (0, 1)", v)
		}
		mean += v / n
		square += (v - 0.5) * (v - 0.5) / n
	}
	if se := math.Sqrt(1.0 / 12 / n); math.Abs(mean-0.5) > 5*se {
		t.Errorf("mean %v, want 0.5 ± 5·%v", mean, se)
	}
	if se := math.Sqrt(1.0 / 180 / n); math.Abs(square-1.0/12) > 5*se {
		t.Errorf("variance %v, want 1/12 ± 5·%v", square, se)
	}
	correlation := func(what string, pair func(i int) (a, b float64), count int) {
		c := 0.0
		for i := range count {
			a, b := pair(i)
			c += (a - 0.5) * (b - 0.5) * 12 / float64(count)
		}
		if se := 1 / math.Sqrt(float64(count)); math.Abs(c) > 5*se {
			t.Errorf("correlation of %s is %v, want 0 ± 5·%v", what, c, se)
		}
	}
	for lag := 1; lag <= 16; lag++ {
		correlation(fmt.Sprintf("numbers %d apart", lag), func(i int) (a, b float64) { return x[i], x[i+lag] }, n-lag)
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

func TestChooseKernels(t *testing.T) {
	if k, err := chooseKernels(""); err != nil || k.name != available[len(available)-1].name {
		t.Errorf("default: got %s, %v, want the last available", k.name, err)
	}
	if k, err := chooseKernels("portable"); err != nil || k.name != "portable" {
		t.Errorf("portable: got %s, %v", k.name, err)
	}
	if _, err := chooseKernels("mmx"); err == nil {
		t.Error("unknown name: got no error")
	}
}
