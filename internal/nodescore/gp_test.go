package nodescore_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/internal/scoring"
	"tobac/score"
)

// relu kernel E[relu(w·u) relu(w·v)] by numerical integration over the angle of w in
// the plane of u and v: with w = r(cos θ, sin θ), E[r²] = 2 and θ uniform.
func reluKernel(u, v []float64) float64 {
	nu, nv := floats.Norm(u, 2), floats.Norm(v, 2)
	phi := math.Acos(max(-1, min(1, floats.Dot(u, v)/(nu*nv))))
	// Both are positive for θ between φ − π/2 and π/2, where the integrand is smooth.
	f := func(theta float64) float64 { return math.Cos(theta) * math.Cos(theta-phi) }
	return nu * nv / math.Pi * quad.Fixed(f, phi-math.Pi/2, math.Pi/2, 40, nil, 0)
}

// denseGP is the density of the specification's kernel with the conventions of GP,
// as a normal of n dimensions. input holds the parents as the kernel sees them.
func denseGP(t *testing.T, y []float64, input [][]float64, a, variance float64) float64 {
	t.Helper()
	n := len(y)
	k := mat.NewDense(n, n, nil)
	h := mat.NewDense(n, n, nil)
	for r := range n {
		for s := range n {
			u, v := []float64{1}, []float64{1}
			for _, c := range input {
				u, v = append(u, c[r]), append(v, c[s])
			}
			k.Set(r, s, 5*a*reluKernel(u, v))
			h.Set(r, s, -1/float64(n))
		}
		h.Set(r, r, 1-1/float64(n))
	}
	k.Mul(h, k)
	k.Mul(k, h)
	sigma := mat.NewSymDense(n, nil)
	for r := range n {
		for s := range r + 1 {
			v := k.At(r, s) + variance // the intercept's variance is σ²/α_μ
			if r == s {
				v += variance
			}
			sigma.SetSym(r, s, v)
		}
	}
	return logNormal(t, y, sigma)
}

var gpAmplitudes = []float64{0.02, 0.1, 0.4, 1.5, 5}

// amplitudesOf are those over which scores are averaged.
func amplitudesOf(opt nodescore.GPOptions) []float64 {
	if opt.Scale == score.Raw {
		return []float64{0.23, 0.43, 0.62, 0.87, 1.2, 1.85}
	}
	return gpAmplitudes
}

// kernelInputs are the centred columns as the kernel sees them, in the rows of variable j, in a
// unit, or, if it is 0, standardised, and that variable.
func kernelInputs(x, mask *mat.Dense, j int, unit float64) (input [][]float64, y []float64) {
	rows := keep(x, mask, j)
	_, d := x.Dims()
	for i := range d {
		c := mat.Col(nil, i, rows)
		m, sd := stat.MeanStdDev(mat.Col(nil, i, keep(x, mask, i)), nil)
		if unit != 0 {
			sd = unit
		}
		floats.AddConst(-m, c)
		floats.Scale(1/sd, c)
		input = append(input, c)
	}
	y = mat.Col(nil, j, rows)
	floats.AddConst(-stat.Mean(y, nil), y)
	return input, y
}

// Scores at a common noise variance against the dense density, for every variable
// and set of parents, with interventions.
func TestGPDensity(t *testing.T) {
	const n, d, variance = 11, 4, 0.3
	x := normals(41, n, d)
	for _, opt := range []nodescore.GPOptions{{}, {Scale: score.OneUnit}, {Unit: 2},
		{Scale: score.OneUnit, Unit: 2}, {Scale: score.Raw}, {Scale: score.Raw, Unit: 2}} {
		for _, mask := range []*mat.Dense{nil, randomMask(41, n, d, false)} {
			var m mat.Matrix
			if mask != nil {
				m = mask
			}
			unit := opt.Unit
			if unit == 0 {
				for i := range d {
					unit += math.Log(stat.StdDev(mat.Col(nil, i, keep(x, mask, i)), nil)) / d
				}
				unit = math.Exp(unit)
			}
			seen := 0.0
			if opt.Scale != score.Standardised {
				seen = unit
			}
			s := newGP(t, x, m, opt).At(variance)
			everySet(d, func(j int, parents []int) {
				columns, y := kernelInputs(x, mask, j, seen)
				floats.Scale(1/unit, y)
				var input [][]float64
				for _, i := range parents {
					if opt.Scale == score.Raw {
						mean := stat.Mean(mat.Col(nil, i, keep(x, mask, i)), nil)
						floats.AddConst(mean/unit, columns[i])
					}
					input = append(input, columns[i])
				}
				var terms []float64
				for _, a := range amplitudesOf(opt) {
					terms = append(terms, denseGP(t, y, input, a, variance/(unit*unit)))
				}
				want := floats.LogSumExp(terms) - math.Log(float64(len(terms))) -
					float64(len(y))*math.Log(unit)
				if got := s.LogScore(j, parents); !near(got, want, 1e-9) {
					t.Errorf("%+v, masked %t: score(%d|%v): got %v, want %v", opt, mask != nil, j,
						parents, got, want)
				}
			})
		}
	}
}

// Integrating over a noise variance of each variable's own against a fine
// trapezoidal rule over dense densities of the raw variable. 2e-3 nats is the claim for
// the rule inside, whose steps are 1.6 standard deviations of the posterior.
func TestGPIntegrated(t *testing.T) {
	const n, d = 12, 3
	x := normals(42, n, d)
	s := newGP(t, x, nil, nodescore.GPOptions{}).Integrated()
	for _, set := range []struct {
		j       int
		parents []int
	}{{0, nil}, {1, []int{0}}, {2, []int{0, 1}}} {
		columns, y := kernelInputs(x, nil, set.j, 0)
		var input [][]float64
		for _, i := range set.parents {
			input = append(input, columns[i])
		}
		sd := stat.StdDev(y, nil)
		floats.Scale(1/sd, y)
		const step = 0.1
		var terms []float64
		for l := -10.0; l < 4; l += step {
			for _, a := range gpAmplitudes {
				terms = append(terms, denseGP(t, y, input, a, math.Exp(l))+
					scoring.RelativeNoise.LogDensity(l)+math.Log(step/5))
			}
		}
		want := floats.LogSumExp(terms) - n*math.Log(sd)
		if got := s.LogScore(set.j, set.parents); !(math.Abs(got-want) <= 2e-3) {
			t.Errorf("score(%d|%v): got %v, want %v", set.j, set.parents, got, want)
		}
	}
}

// Without parents a nonlinear equation is an intercept and noise, as a linear one.
func TestGPWithoutParentsIsLinear(t *testing.T) {
	x := normals(43, 30, 3)
	gp := newGP(t, x, nil, nodescore.GPOptions{}).At(0.8)
	linear := newLinear(t, x, nil, score.LinearOptions{NoiseVariance: 0.8})
	for j := range 3 {
		if got, want := gp.LogScore(j, nil), linear.LogScore(j, nil); !near(got, want, 1e-12) {
			t.Errorf("variable %d: got %v, want %v", j, got, want)
		}
	}
}

// With a variance for each variable and standardised inputs, shifting and
// multiplying columns with positive numbers adds −n ln c to a variable's scores. A negative factor
// mirrors the kernel's inputs, which changes nothing either.
func TestGPScaleInvariance(t *testing.T) {
	const n, d = 20, 3
	x := normals(44, n, d)
	factor := []float64{1e-3, -7, 250}
	y := mat.DenseCopyOf(x)
	y.Apply(func(_, j int, v float64) float64 { return factor[j] * (v + 100*float64(j)) }, y)
	a, b := newGP(t, x, nil, nodescore.GPOptions{}).Integrated(),
		newGP(t, y, nil, nodescore.GPOptions{}).Integrated()
	everySet(d, func(j int, parents []int) {
		want := a.LogScore(j, parents) - n*math.Log(math.Abs(factor[j]))
		if got := b.LogScore(j, parents); !near(got, want, 1e-9) {
			t.Errorf("score(%d|%v): got %v, want %v", j, parents, got, want)
		}
	})
}

// Tables have the same bits for any number of workers, and whether or not the
// reduced matrices are known.
func TestGPWorkers(t *testing.T) {
	const n, d = 25, 5
	x := normals(45, n, d)
	mask := randomMask(45, n, d, false)
	one := newGP(t, x, mask, nodescore.GPOptions{})
	for _, opt := range []nodescore.GPOptions{{Workers: 3}, {Workers: 2, MaxParents: 2}} {
		several := newGP(t, x, mask, opt)
		for _, pair := range [][2]*nodescore.GPScorer{{one.At(0.5), several.At(0.5)},
			{one.Integrated(), several.Integrated()}} {
			want, got := make([]float64, 16), make([]float64, 16)
			for j := range d {
				pair[0].LogScores(want, j, others(d, j))
				pair[1].LogScores(got, j, others(d, j))
				for set := range got {
					if opt.MaxParents > 0 && math.IsInf(got[set], -1) {
						continue
					}
					if got[set] != want[set] {
						t.Errorf("%+v: variable %d, set %b: got %v, want %v", opt, j, set, got[set],
							want[set])
					}
				}
			}
		}
	}
	var all sync.WaitGroup
	fresh := newGP(t, x, nil, nodescore.GPOptions{}).At(1)
	results := make([]float64, 8)
	for k := range results {
		all.Go(func() { results[k] = fresh.LogScore(0, []int{1, 3}) })
	}
	all.Wait()
	for _, v := range results {
		if v != results[0] {
			t.Errorf("concurrent calls return %v", results)
		}
	}
}

// A table stops in between: this one would take minutes.
func TestGPStops(t *testing.T) {
	s := newGP(t, normals(53, 200, 20), nil, nodescore.GPOptions{Workers: 2}).At(1)
	ctx, cancel := context.WithCancel(context.Background())
	stop := time.AfterFunc(10*time.Millisecond, cancel)
	defer stop.Stop()
	if err := score.LogScores(ctx, s, make([]float64, 1<<19), 0, others(20, 0)); !errors.Is(err,
		context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// A bound on the number of parents makes −Inf of larger sets, and nothing else.
func TestGPMaxParents(t *testing.T) {
	x := normals(46, 15, 5)
	s, free := newGP(t, x, nil, nodescore.GPOptions{MaxParents: 2}).At(1),
		newGP(t, x, nil, nodescore.GPOptions{}).At(1)
	everySet(5, func(j int, parents []int) {
		want := free.LogScore(j, parents)
		if len(parents) > 2 {
			want = math.Inf(-1)
		}
		if got := s.LogScore(j, parents); got != want {
			t.Errorf("score(%d|%v): got %v, want %v", j, parents, got, want)
		}
	})
}

// Where parents take four different values together, four rows explain the function, and rank
// four is exact.
func TestGPRankExact(t *testing.T) {
	const n = 24
	x := normals(51, n, 4)
	for i := range n {
		x.Set(i, 0, float64(i%2))
		x.Set(i, 1, float64(i/2%2)-3)
	}
	mask := randomMask(51, n, 4, false)
	exact := newGP(t, x, mask, nodescore.GPOptions{})
	low := newGP(t, x, mask, nodescore.GPOptions{Rank: 4})
	for _, parents := range [][]int{nil, {0}, {1}, {0, 1}} {
		for j := 2; j < 4; j++ {
			// Pivots of the fifth row and beyond are rounding, some 1e-16 of the largest,
			// over noise variances down to 1e-5.
			if got, want := low.At(0.3).LogScore(j, parents),
				exact.At(0.3).LogScore(j, parents); !near(got, want, 1e-9) {
				t.Errorf("score(%d|%v): got %v, want %v", j, parents, got, want)
			}
			if got, want := low.Integrated().LogScore(j, parents),
				exact.Integrated().LogScore(j, parents); !near(got, want, 1e-9) {
				t.Errorf("integrated score(%d|%v): got %v, want %v", j, parents, got, want)
			}
		}
	}
}

// A function of one variable is smooth, so that few of many rows explain it: with a
// sixth of the rows the scores are right to 0.05 nats.
func TestGPRankConverges(t *testing.T) {
	const n = 120
	x := normals(52, n, 2)
	exact := newGP(t, x, nil, nodescore.GPOptions{}).At(0.5).LogScore(1, []int{0})
	before := math.Inf(1)
	for _, rank := range []int{3, 8, 20} {
		gap := math.Abs(newGP(t, x, nil, nodescore.GPOptions{Rank: rank}).At(0.5).LogScore(1,
			[]int{0}) - exact)
		if gap > before {
			t.Errorf("rank %d is off by %v, a smaller one by %v", rank, gap, before)
		}
		before = gap
	}
	if before > 0.05 {
		t.Errorf("rank 20 is off by %v nats, want at most 0.05", before)
	}
}

// Many variables: entries are not shared between variables, with the same scores.
func TestGPManyVariables(t *testing.T) {
	const n = 15
	x := normals(47, n, 30)
	wide := newGP(t, x, nil, nodescore.GPOptions{Scale: score.OneUnit, Unit: 1}).At(0.7)
	narrow := newGP(t, x.Slice(0, n, 0, 4), nil,
		nodescore.GPOptions{Scale: score.OneUnit, Unit: 1}).At(0.7)
	everySet(4, func(j int, parents []int) {
		if got, want := wide.LogScore(j, parents), narrow.LogScore(j, parents); got != want {
			t.Errorf("score(%d|%v): got %v, want %v", j, parents, got, want)
		}
	})
}

func TestGPErrors(t *testing.T) {
	x := normals(48, 6, 2)
	x.SetCol(1, []float64{3, 3, 3, 3, 3, 3})
	_, err := nodescore.NewGP(x, nil, nodescore.GPOptions{})
	var at *scoring.ConstantColumnError
	if !errors.As(err, &at) || at.Column != 1 {
		t.Errorf("got %v, want a ConstantColumnError of column 1", err)
	}
	x.SetCol(1, []float64{3, 3, 3, 3, 3, 1e60})
	want := "score: Gaussian process: column 2 has values of more than 1e+50 units from its mean"
	if _, err := nodescore.NewGP(x, nil,
		nodescore.GPOptions{Scale: score.OneUnit, Unit: 1}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := nodescore.NewGP(x, nil, nodescore.GPOptions{MaxParents: -1}); err == nil {
		t.Error("a negative bound is accepted")
	}
	for _, unit := range []float64{-1, math.NaN(), math.Inf(1)} {
		want := fmt.Sprintf("score: Gaussian process: unit %v, want a finite number from 0 on",
			unit)
		if _, err := nodescore.NewGP(x, nil, nodescore.GPOptions{Unit: unit}); err == nil ||
			err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Sets and memory are counted exactly: Σ_p C(d, p), and 8n bytes for each vector.
func TestGPCost(t *testing.T) {
	for _, row := range []struct {
		d, max int
		sets   float64
		kept   float64 // vectors: two, and one for each variable outside
	}{
		{3, 0, 7, 2*7 + 3 + 3*2 + 3*1},
		{4, 1, 5, 2*5 + 4 + 4*3},
	} {
		c := nodescore.GPOptions{MaxParents: row.max}.Cost(50, row.d)
		if low := (nodescore.GPOptions{MaxParents: row.max, Rank: 10}).Cost(50,
			row.d); low.Flops >= c.Flops || !near(low.Bytes, c.Bytes/5, 1e-12) {
			t.Errorf("d = %d: rank 10 of 50 costs %v, exact %v", row.d, low, c)
		}
		if !near(c.Sets, row.sets, 1e-12) || !near(c.Bytes, 8*50*row.kept, 1e-12) {
			t.Errorf("d = %d, at most %d parents: got %v sets and %v bytes, want %v and %v", row.d,
				row.max, c.Sets, c.Bytes, row.sets, 8*50*row.kept)
		}
	}
}

// BenchmarkGP10 computes the scores of all ten variables, at one variance of
// matrices that are new and known, and with variances integrated out.
func BenchmarkGP10(b *testing.B) {
	const d = 10
	x := normals(49, 100, d)
	dst := make([]float64, 1<<(d-1))
	fill := func(s score.SubsetScorer) {
		for j := range d {
			s.LogScores(dst, j, others(d, j))
		}
	}
	fresh := func() *nodescore.GP {
		return must.Get(nodescore.NewGP(x, nil, nodescore.GPOptions{}))(b)
	}
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fill(fresh().At(0.5))
		}
		b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N)/(1<<d-1), "ms/set")
	})
	known := fresh()
	for _, row := range []struct {
		name string
		s    *nodescore.GPScorer
	}{{"known", known.At(0.5)}, {"integrated", known.Integrated()}} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			fill(row.s)
			for b.Loop() {
				fill(row.s)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N)/(d<<(d-1)), "µs/score")
		})
	}
}

func BenchmarkGPSizes(b *testing.B) {
	for _, n := range []int{50, 100, 200, 400} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := normals(50, n, 4)
			for b.Loop() {
				g := must.Get(nodescore.NewGP(x, nil, nodescore.GPOptions{}))(b)
				g.At(1).LogScore(0, []int{1, 2, 3})
			}
		})
	}
}
