package additive_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"tobac/internal/additive"
	"tobac/internal/must"
	"tobac/internal/smooth"
	_ "tobac/internal/unwritten"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// noises draw from densities of several shapes.
var noises = map[string]func(rng *rand.Rand) float64{
	"normal": func(rng *rand.Rand) float64 { return rng.NormFloat64() },
	"lognormal": func(rng *rand.Rand) float64 {
		return math.Exp(0.7*rng.NormFloat64()) - math.Exp(0.245)
	},
	"uniform": func(rng *rand.Rand) float64 { return 2*rng.Float64() - 1 },
	"t2": func(rng *rand.Rand) float64 {
		return rng.NormFloat64() /
			math.Sqrt((math.Pow(rng.NormFloat64(), 2)+math.Pow(rng.NormFloat64(), 2))/2)
	},
}

// triple draws x0 → x1 → x2 with the mean f of a parent.
func triple(n int, seed uint64, noise func(rng *rand.Rand) float64,
	f func(x float64) float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		for j := range 3 {
			v := noise(rng)
			if j > 0 {
				v += f(x.At(i, j-1))
			}
			x.Set(i, j, v)
		}
	}
	return x
}

func straight(x float64) float64 { return 0.8 * x }

func scorer(t *testing.T, x mat.Matrix, linear bool) score.Scorer {
	t.Helper()
	var s score.Scorer
	var err error
	if linear {
		s, err = additive.NewLinear(x, nil, additive.Options{})
	} else {
		s, err = additive.New(x, nil, additive.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// advantage is how much more evidence x0 → x1 has than x1 → x0.
func advantage(s score.Scorer) float64 {
	return s.LogScore(0, nil) + s.LogScore(1, []int{0}) - s.LogScore(1, nil) - s.LogScore(0,
		[]int{1})
}

// TestLongTails: a cube of a cause with long tails, itself a cube, has its direction.
func TestLongTails(t *testing.T) {
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 5))
		x := mat.NewDense(500, 2, nil)
		for i := range 500 {
			v := rng.NormFloat64()
			v = 0.3*v*v*v + 0.4*rng.NormFloat64()
			x.SetRow(i, []float64{v, 0.4*v*v*v + 0.5*rng.NormFloat64()})
		}
		if a := advantage(scorer(t, x, false)); a < 10 {
			t.Errorf("seed %d: the right direction has %.1f nats more, want at least 10", seed, a)
		}
	}
}

// TestDirections: noise that is not normal and curvature tell directions, also together;
// straight lines with normal noise do not.
func TestDirections(t *testing.T) {
	bent := func(x float64) float64 { return 1.5 * math.Sin(1.5*x) }
	for _, c := range []struct {
		noise  string
		f      func(float64) float64
		linear bool
		low    float64 // nats for the direction
		high   float64
	}{
		{"lognormal", straight, true, 10, math.Inf(1)},
		{"lognormal", straight, false, 10, math.Inf(1)},
		{"uniform", straight, true, 10, math.Inf(1)}, {"t2", straight, true, 10, math.Inf(1)},
		{"t2", straight, false, 10, math.Inf(1)},
		{"normal", straight, true, -2, 2}, {"normal", straight, false, -2, 2},
		{"normal", bent, false, 5, math.Inf(1)}, {"t2", bent, false, 5, math.Inf(1)},
		{"lognormal", bent, false, 5, math.Inf(1)},
	} {
		x := triple(300, 7, noises[c.noise], c.f)
		if got := advantage(scorer(t, x, c.linear)); !(got > c.low && got < c.high) {
			t.Errorf("%s noise, linear forms only: %v: %.1f nats for the direction, want %v to %v",
				c.noise, c.linear, got, c.low, c.high)
		}
	}
}

// TestCurvatureIsNotInvented: heavy tails and skew do not make curves of straight lines.
func TestCurvatureIsNotInvented(t *testing.T) {
	for name, noise := range noises {
		x := triple(300, 3, noise, straight)
		lines, all := scorer(t, x, true), scorer(t, x, false)
		for _, parents := range [][]int{{0}, {0, 2}} {
			if d := all.LogScore(1, parents) - lines.LogScore(1, parents); d > 2 {
				t.Errorf("%s noise: smooth functions of %v have %.1f nats more than straight lines",
					name, parents, d)
			}
		}
	}
}

// TestFewRows has curves that pass through all rows: columns that have nothing to do with each
// other must not get parents for it.
func TestFewRows(t *testing.T) {
	const d = 6
	for _, rows := range []int{5, 6, 8} {
		rng := rand.New(rand.NewPCG(uint64(rows), 1))
		x := mat.NewDense(rows, d, nil)
		x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
		s := scorer(t, x, false)
		for a := range d {
			for b := range a {
				for j := range d {
					if j == a || j == b {
						continue
					}
					const most = 5 // by chance, among 60 sets
					if g := s.LogScore(j, []int{b, a}) - s.LogScore(j, nil); g > most {
						t.Errorf("%d rows: variable %d gains %.1f nats by parents %d and %d",
							rows, j, g, b, a)
					}
				}
			}
		}
	}
}

// TestUnits: what columns are multiplied with, shifted by and whether they are turned around
// changes every score of a variable by the same number.
func TestUnits(t *testing.T) {
	x := triple(150, 2, noises["lognormal"], func(x float64) float64 { return math.Sin(x) })
	y := mat.DenseCopyOf(x)
	factor, shift := []float64{-3, 1e4, 0.01}, []float64{273.15, -5e5, 1}
	y.Apply(func(_, j int, v float64) float64 { return factor[j]*v + shift[j] }, x)
	for _, linear := range []bool{true, false} {
		a, b := scorer(t, x, linear), scorer(t, y, linear)
		for j := range 3 {
			want := -150 * math.Log(math.Abs(factor[j]))
			for _, parents := range [][]int{nil, {(j + 1) % 3},
				slices.Sorted(slices.Values([]int{(j + 1) % 3, (j + 2) % 3}))} {
				if d := b.LogScore(j, parents) - a.LogScore(j,
					parents); !(math.Abs(d-want) <= 1e-6) {
					t.Errorf("variable %d given %v, linear %v: the score changes by %v, want %v", j,
						parents, linear, d, want)
				}
			}
		}
	}
}

// TestEvidenceAgainstIntegral compares Laplace's approximation with an integral over a grid:
// with normal noise the forms without parents are two parameters.
func TestEvidenceAgainstIntegral(t *testing.T) {
	x := triple(60, 1, noises["normal"], straight)
	y := mat.Col(nil, 0, x)
	floats.AddConst(-stat.Mean(y, nil), y)
	sd := math.Sqrt(floats.Dot(y, y) / 60)
	floats.Scale(1/sd, y)
	prior := func(v, variance float64) float64 {
		return -0.5*v*v/variance - 0.5*math.Log(2*math.Pi*variance)
	}
	var terms []float64
	const step = 0.01
	for b := -1.0; b <= 1; b += step {
		for l := -1.0; l <= 1; l += step {
			sum := prior(b, 4) + prior(l, 2.25) + 2*math.Log(step)
			for _, v := range y {
				u := (v - b) / math.Exp(l)
				sum += -0.5*u*u - l - 0.5*math.Log(2*math.Pi)
			}
			terms = append(terms, sum)
		}
	}
	want := floats.LogSumExp(terms) - 60*math.Log(sd)
	// Of the four linear forms the normal one counts twice without parents, as the one whose
	// scale may change; Student's t, the sinh-arcsinh distribution and a density of any form have
	// less evidence here, at most one and a half nats of it together.
	got := scorer(t, x, true).LogScore(0, nil)
	if low := want + math.Log(0.5) - 0.05; got < low || got > low+1.6 {
		t.Errorf("log evidence %.3f, want that of the normal form, %.3f, to %.3f", got, low,
			low+1.6)
	}
}

func TestScorer(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	const n, d = 60, 5
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64()+0.5*x.At(i, max(0, j-1)))
		}
	}
	base := must.Get(score.NewBGe(x, nil, score.BGeOptions{}))(t)
	opt := additive.Options{MaxParents: 2, Base: base, Plain: []int{3}}
	s := must.Get(additive.New(x, nil, opt))(t)
	l := must.Get(additive.NewLinear(x, nil, opt))(t)
	for _, s := range []score.Scorer{s, l} {
		// a table agrees with single scores, extended ones too
		if err := score.Check(context.Background(), s); err != nil {
			t.Error(err)
		}
		if got, want := s.LogScore(3, []int{1, 2}), base.LogScore(3, []int{1, 2}); got != want {
			t.Errorf("plain variable: %v, want that of the base, %v", got, want)
		}
		to, from := s.LogScore(3, []int{1})-s.LogScore(3, nil),
			s.LogScore(1, []int{3})-s.LogScore(1, nil)
		if math.Abs(to-from) > 1e-9 {
			t.Errorf("an edge to a plain variable gains %v, one from it %v", to, from)
		}
	}
	// The same bits from several goroutines.
	again := must.Get(additive.New(x, nil, opt))(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for _, parents := range [][]int{nil, {1}, {2, 4}, {1, 2, 3, 4}} {
				if got, want := again.LogScore(0, parents), s.LogScore(0, parents); got != want {
					t.Errorf("given %v: %v and %v", parents, got, want)
				}
			}
		})
	}
	all.Wait()
}

// A variable without a density has straight lines with normal noise as its equation: a spike of
// noise at one of its values would have a density without bound.
func TestPlainEquation(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 600
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		x.Set(i, 0, rng.NormFloat64())
		x.Set(i, 1, float64(2*i/n))
		if x.At(i, 0) > 0 && i >= n/2 {
			x.Set(i, 2, 1)
		}
	}
	base := must.Get(score.NewBGe(x, nil, score.BGeOptions{}))(t)
	s := must.Get(additive.New(x, nil, additive.Options{Base: base, Plain: []int{1, 2}}))(t)
	for range 20 {
		f := s.Function(2, []int{0, 1}, rng)
		if _, _, err := smooth.NewFunction(2, f.Parameters()); err != nil ||
			!(f.Noise() > 0.08 && f.Noise() < 0.13) {
			t.Errorf("%v, noise variance %v, want about .1", err, f.Noise())
		}
	}
}

// TestInterventions: rows in which a variable was set say nothing about its equation.
func TestInterventions(t *testing.T) {
	x := triple(120, 4, noises["lognormal"], straight)
	set := mat.NewDense(120, 3, nil)
	for i := range 40 {
		set.Set(i, 1, 1)
		x.Set(i, 1, 100+float64(i))
	}
	s := must.Get(additive.New(x, set, additive.Options{}))(t)
	rest := must.Get(additive.New(x.Slice(40, 120, 0, 3), nil, additive.Options{}))(t)
	if got, want := s.LogScore(1, nil), rest.LogScore(1, nil); !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("score %v, want %v", got, want)
	}
	for i := range 120 {
		set.Set(i, 0, 1)
	}
	s = must.Get(additive.New(x, set, additive.Options{}))(t)
	if got := s.LogScore(0, []int{1}); got != 0 {
		t.Errorf("a variable without rows scores %v, want 0", got)
	}
}

// TestEquation: the weight, the intercept and the noise variance of the data.
func TestEquation(t *testing.T) {
	x := triple(2000, 6, noises["lognormal"], straight)
	x.Apply(func(_, j int, v float64) float64 { return v*float64(j+1) + 10 }, x)
	l := must.Get(additive.NewLinear(x, nil, additive.Options{}))(t)
	e := l.Equation(2, []int{0, 1})
	// x2 = 10 + 3(u), u = .8·(x1 − 10)/2 + e: the weight 1.2 and the intercept −2; Var e =
	// e^.49(e^.49 − 1) = 1.0322
	if sd := math.Sqrt(e.Cov.At(1, 1)); !(math.Abs(e.Mean[1]-1.2) <= 4*sd && sd <= 0.03 &&
		math.Abs(e.Mean[0]) <= 4*math.Sqrt(e.Cov.At(0, 0))) {
		t.Errorf("weights %v ± %v, want 0 and 1.2", e.Mean, sd)
	}
	mean := func(v0, v1 float64) float64 { return e.Intercept + e.Mean[0]*v0 + e.Mean[1]*v1 }
	// the density's centre, not the mean, of skewed noise
	if got := mean(10, 10); !(math.Abs(got-10) <= 0.6) {
		t.Errorf("x2 at 10, 10 is %v, want about 10", got)
	}
	if want := 9 * 1.0322; !(math.Abs(e.NoiseVariance/want-1) <= 0.3) {
		t.Errorf("noise variance %v, want about %v", e.NoiseVariance, want)
	}
	// With normal noise the covariance is nearly that of least squares, in proportion to the
	// inverse of that of the parents.
	x = triple(1000, 6, noises["normal"], straight)
	l = must.Get(additive.NewLinear(x, nil, additive.Options{}))(t)
	e = l.Equation(2, []int{0, 1})
	var parents, want mat.SymDense
	stat.CovarianceMatrix(&parents, x.Slice(0, 1000, 0, 2), nil)
	var chol mat.Cholesky
	if !chol.Factorize(&parents) {
		t.Fatal("the parents depend on each other")
	}
	must.Do(t, chol.InverseTo(&want))
	want.ScaleSym(e.NoiseVariance/1000, &want)
	for a := range 2 {
		for b := range 2 {
			if scale := math.Sqrt(want.At(a, a) * want.At(b,
				b)); !(math.Abs(e.Cov.At(a, b)-want.At(a, b)) <= 0.1*scale) {
				t.Errorf("covariance (%d,%d) of the weights %v, want about %v", a, b,
					e.Cov.At(a, b), want.At(a, b))
			}
		}
	}
}

// TestFunction: drawn functions follow the curve, and numbers make them again.
func TestFunction(t *testing.T) {
	bent := func(x float64) float64 { return 2 * math.Sin(1.5*x) }
	x := triple(400, 8, func(rng *rand.Rand) float64 { return rng.NormFloat64() * 0.7 }, bent)
	x.Apply(func(_, _ int, v float64) float64 { return v + 100 }, x)
	s := must.Get(additive.New(x, nil, additive.Options{}))(t)
	rng := rand.New(rand.NewPCG(1, 1))
	at := []float64{99, 99.5, 100, 100.5, 101}
	sum := make([]float64, len(at))
	for range 20 {
		f := s.Function(1, []int{0}, rng)
		numbers := append(f.Parameters(), 7)
		again, rest, err := smooth.NewFunction(1, numbers)
		if err != nil || len(rest) != 1 {
			t.Fatalf("%v, %d numbers left, want 1", err, len(rest))
		}
		y, z := make([]float64, len(at)), make([]float64, len(at))
		f.Mean(y, [][]float64{at})
		again.Mean(z, [][]float64{at})
		if !slices.Equal(y, z) || f.Noise() != again.Noise() {
			t.Fatalf("the function of its numbers is another: %v and %v", y, z)
		}
		floats.AddScaled(sum, 1./20, y)
		for k := range len(numbers) - 1 {
			if _, _, err := smooth.NewFunction(1, numbers[:k]); err == nil {
				t.Fatalf("%d of %d numbers are a function", k, len(numbers)-1)
			}
		}
	}
	for k, v := range at {
		if want := 100 + bent(v-100); !(math.Abs(sum[k]-want) <= 0.25) {
			t.Errorf("f(%v) = %v, want about %v", v, sum[k], want)
		}
	}
	if alone := s.Function(1, nil, rng); alone.Noise() < 1 {
		t.Errorf("noise variance %v without parents, want that of the column", alone.Noise())
	}
}

func TestErrors(t *testing.T) {
	good := triple(20, 1, noises["normal"], straight)
	bad := mat.DenseCopyOf(good)
	bad.Set(3, 1, math.NaN())
	constant := mat.DenseCopyOf(good)
	for i := range 20 {
		constant.Set(i, 2, 4)
	}
	for name, f := range map[string]func() (*additive.Scorer, error){
		"NaN": func() (*additive.Scorer, error) {
			return additive.New(bad, nil, additive.Options{})
		},
		"constant": func() (*additive.Scorer, error) {
			return additive.New(constant, nil, additive.Options{})
		},
		"one row": func() (*additive.Scorer, error) {
			return additive.New(good.Slice(0, 1, 0, 3), nil, additive.Options{})
		},
		"no base": func() (*additive.Scorer, error) {
			return additive.New(good, nil, additive.Options{MaxParents: 1})
		},
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The sum of two columns has an equation whose variances are rounding errors, and not negative.
func TestEquationOfASum(t *testing.T) {
	const n = 150
	rng := rand.New(rand.NewPCG(14, 7))
	x := mat.NewDense(n, 3, nil)
	for r := range n {
		a, b := rng.NormFloat64()/2, rng.NormFloat64()/2
		x.SetRow(r, []float64{a, b, a + b})
	}
	s := scorer(t, x, true).(score.Weighted)
	for j, parents := range [][]int{{1, 2}, {0, 2}, {0, 1}} {
		e := s.Equation(j, parents)
		for k := range parents {
			if v := e.Cov.At(k, k); !(v >= 0) {
				t.Errorf("the equation of %d given %v has the variance %v", j, parents, v)
			}
		}
	}
}

// The weights of the kinds of noise are between a quarter and four times those without sharing, and
// columns with one kind together gain by sharing that.
func TestSharing(t *testing.T) {
	const n = 100
	rng := rand.New(rand.NewPCG(5, 7))
	x := mat.NewDense(n, 3, nil)
	for r := range n {
		a := rng.ExpFloat64()
		b := math.Sin(2*a) + 0.3*rng.ExpFloat64()
		x.SetRow(r, []float64{a, b, b*b + 0.3*rng.ExpFloat64()})
	}
	s := must.Get(additive.New(x, nil, additive.Options{}))(t)
	best := 0.0
	for kind := 1; kind <= additive.SharedForms; kind++ {
		shared, sum := s.Sharing(kind), 0.0
		for j, parents := range [][]int{nil, {0}, {1}} {
			gain := shared.LogScore(j, parents) - s.LogScore(j, parents)
			if math.Abs(gain) > math.Log(4)+1e-9 {
				t.Errorf("kind %d: equation %d gains %v nats, want up to ln 4", kind, j, gain)
			}
			sum += gain
		}
		best = max(best, sum)
	}
	if best < 2 {
		t.Errorf("three skewed columns gain %v nats, want 2 of at most 4.2", best)
	}
}
