package smooth

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/internal/scoring"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// table has columns of which each is a function of the two before it.
func table(n, d int, seed uint64, f func(a, b float64) float64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 9))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			v := rng.NormFloat64()
			if j > 1 {
				v = f(x.At(i, j-2), x.At(i, j-1)) + 0.5*v
			}
			x.Set(i, j, v)
		}
	}
	return x
}

func curved(a, b float64) float64 { return math.Sin(2*a) + math.Abs(b) + 0.5*a*b }

func straight(a, b float64) float64 { return 0.8*a - 0.7*b }

// half of the rows of a column were set.
func mask(n, d, j int) *mat.Dense {
	m := mat.NewDense(n, d, nil)
	for i := range n / 3 {
		m.Set(3*i, j, 1)
	}
	return m
}

func prepared(t *testing.T, s *Scorer, most int) *Scorer {
	t.Helper()
	must.Do(t, s.Prepare(context.Background(), most, 2))
	return s
}

func newData(t *testing.T, x, mask mat.Matrix) *Data {
	t.Helper()
	return must.Get(New(x, mask))(t)
}

// both are scorers with own noise variances and with one in common.
func both(t *testing.T, data *Data) map[string]*Scorer {
	t.Helper()
	own := must.Get(data.Own(0.15, nil))(t)
	common := must.Get(data.Common(0.3, 2))(t)
	return map[string]*Scorer{"own": own, "common": common}
}

// Straight lines have the scores of BGe and of the linear model with those settings.
func TestStraightLines(t *testing.T) {
	const n, d = 50, 5
	x := table(n, d, 1, curved)
	for i := range n {
		x.Set(i, 1, 30+7*x.At(i, 1))
	}
	for _, m := range []mat.Matrix{nil, mask(n, d, 2)} {
		for name, s := range both(t, newData(t, x, m)) {
			w := new(regression)
			for j := range d {
				others := dag.AllBut(d, j)
				for set := range 1 << (d - 1) {
					parents := scoring.Subset(nil, others, set)
					p := len(parents)
					got := w.log(s, j, parents, form{make([]uint8, p), make([]uint8, p*p)})
					if want := s.base.LogScore(j,
						parents); math.Abs(got-want) > 1e-10*math.Abs(want) {
						t.Fatalf("%s: variable %d given %v: %v, want %v", name, j, parents, got,
							want)
					}
				}
			}
		}
	}
}

// An equation has the density of the Gaussian process with covariance I + ΦDΦᵀ and an intercept.
func TestGaussianProcess(t *testing.T) {
	const n, d = 40, 4
	x := table(n, d, 2, curved)
	data := newData(t, x, nil)
	f := form{curves: []uint8{2, 0, 3}, products: []uint8{1, 0, 2}}
	for name, s := range both(t, data) {
		w := new(regression)
		got := w.log(s, 3, []int{0, 1, 2}, f)
		// Functions by their definition, not from the Gram matrix.
		cov := mat.NewSymDense(n, nil)
		add := func(column []float64, root float64) {
			cov.SymRankOne(cov, root*root, mat.NewVecDense(n, column))
		}
		centred := func(c []float64) []float64 {
			c = slices.Clone(c)
			floats.AddConst(-floats.Sum(c)/n, c)
			return c
		}
		for a, i := range []int{0, 1, 2} {
			root := s.amplitude * s.parentScale[i]
			add(data.basis[i].Column, root)
			for m, c := range data.basis[i].Smooth {
				v := data.basis[i].Variance[m]
				if curveSteep[f.curves[a]] {
					v *= v / data.basis[i].Variance[0]
				}
				add(c, root*curveAmplitudes[f.curves[a]]*math.Sqrt(v))
			}
		}
		for _, p := range [][3]int{{0, 1, 0}, {1, 2, 2}} {
			for a, u := range data.groups[0].products[p[0]] {
				for b, v := range data.groups[0].products[p[1]] {
					root := s.amplitude * productAmplitudes[f.products[p[2]]] * math.Sqrt(
						s.parentScale[p[0]]*s.parentScale[p[1]]*data.variance[p[0]][a]*
							data.variance[p[1]][b])
					add(centred(floats.MulTo(make([]float64, n), u, v)), root)
				}
			}
		}
		for i := range n {
			cov.SetSym(i, i, cov.At(i, i)+1)
		}
		var chol mat.Cholesky
		if !chol.Factorize(cov) {
			t.Fatal("no factor")
		}
		y := mat.NewVecDense(n, centred(mat.Col(nil, 3, x)))
		if s.common == 0 {
			y.ScaleVec(1/data.observed[3], y)
		}
		var z mat.VecDense
		must.Do(t, chol.SolveVecTo(&z, y))
		want := s.evidence(3, 3, chol.LogDet()/2, mat.Dot(y, &z))
		if math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// With two parents the mode and the averages along each amplitude come close to the average over
// all forms.
func TestAverage(t *testing.T) {
	for name, f := range map[string]func(a, b float64) float64{"curved": curved,
		"straight": straight} {
		x := table(150, 4, 3, f)
		for kind, s := range both(t, newData(t, x, nil)) {
			prepared(t, s, 2)
			w := new(regression)
			for j := range 4 {
				combinations(dag.AllBut(4, j), 2, func(parents []int) {
					var all []float64
					for a := range curveAmplitudes {
						for b := range curveAmplitudes {
							for c := range productAmplitudes {
								g := form{[]uint8{uint8(a), uint8(b)}, []uint8{uint8(c)}}
								all = append(all, w.log(s, j, parents, g)+g.logPrior())
							}
						}
					}
					s.Refine(j, parents)
					if got, want := s.LogScore(j, parents),
						floats.LogSumExp(all); math.Abs(got-want) > 1 {
						t.Errorf("%s, %s: variable %d given %v: %.3f, want %.3f", name, kind, j,
							parents, got, want)
					}
				})
			}
		}
	}
}

// Neither shifts nor signs change a score, scales none but by the Jacobian, and a common unit of
// all columns none of those with one noise variance.
func TestInvariance(t *testing.T) {
	const n, d = 80, 4
	x := table(n, d, 4, curved)
	y := mat.DenseCopyOf(x)
	factor := []float64{-3, 0.01, 1, 40}
	for j, c := range factor {
		for i := range n {
			y.Set(i, j, c*x.At(i, j)+100*float64(j))
		}
	}
	a := prepared(t, both(t, newData(t, x, nil))["own"], 3)
	b := prepared(t, both(t, newData(t, y, nil))["own"], 3)
	for j := range d {
		for set := range 8 {
			parents := scoring.Subset(nil, dag.AllBut(d, j), set)
			want := a.LogScore(j, parents) - n*math.Log(math.Abs(factor[j]))
			if got := b.LogScore(j, parents); math.Abs(got-want) > 1e-5*math.Abs(want) {
				t.Errorf("variable %d given %v: %v, want %v", j, parents, got, want)
			}
		}
	}
}

// On tables that are linear the smooth score loses little to the linear one.
func TestLinearTables(t *testing.T) {
	for seed := range uint64(5) {
		x := table(100, 6, seed, straight)
		s := prepared(t, both(t, newData(t, x, nil))["own"], 2)
		for j := 2; j < 6; j++ {
			parents := []int{j - 2, j - 1}
			if loss := s.base.LogScore(j, parents) - s.LogScore(j, parents); loss > 2*3 {
				t.Errorf("seed %d, variable %d: %.1f nats lost with two edges", seed, j, loss)
			}
		}
	}
}

// The same bits from any number of goroutines, and from tables as from single sets.
func TestTables(t *testing.T) {
	x := table(60, 6, 5, curved)
	data := newData(t, x, mask(60, 6, 3))
	for name, s := range both(t, data) {
		prepared(t, s, 2)
		s.Refine(2, []int{0, 1, 3, 4})
		again := both(t, data)[name]
		must.Do(t, again.Prepare(context.Background(), 2, 1))
		again.Refine(2, []int{0, 1, 3, 4})
		for j := range 6 {
			dst := make([]float64, 16)
			candidates := dag.AllBut(6, j)
			s.LogScores(make([]float64, 32), j, candidates)
			s.LogScoresGiven(dst, j, candidates[:4], candidates[4:])
			for set, got := range dst {
				parents := append(scoring.Subset(nil, candidates[:4], set), candidates[4])
				if v := again.LogScore(j, parents); v != s.LogScore(j, parents) {
					t.Fatalf("%s: variable %d given %v: %v and %v", name, j, parents, v,
						s.LogScore(j, parents))
				}
				if v := s.LogScore(j, parents); len(parents) < 3 &&
					math.Abs(v-got) > 1e-12*math.Abs(v) {
					t.Fatalf("%s: variable %d given %v: %v, want %v", name, j, parents, got, v)
				}
			}
		}
	}
}

// BenchmarkPrepare fits all sets of at most three and four parents.
func BenchmarkPrepare(b *testing.B) {
	for _, c := range []struct{ n, d, most int }{{100, 10, 4}, {1000, 20, 3}, {1000, 20, 4},
		{1000, 50, 2}, {100000, 8, 3}} {
		b.Run(fmt.Sprintf("rows=%d/columns=%d/parents=%d", c.n, c.d, c.most), func(b *testing.B) {
			x := table(c.n, c.d, 1, func(a, b float64) float64 { return math.Tanh(curved(a, b)) })
			for b.Loop() {
				data := must.Get(New(x, nil))(b)
				s := must.Get(data.Own(0.15, nil))(b)
				must.Do(b, s.Prepare(context.Background(), c.most, 1))
				b.ReportMetric(Seconds(c.d, c.most)*float64(b.N)/b.Elapsed().Seconds(), "ratio")
			}
		})
	}
}

// Functions are drawn around what they were made of: their mean over many draws leaves the
// residuals, and their numbers make them again.
func TestFunction(t *testing.T) {
	const n, d = 200, 4
	x := table(n, d, 7, curved)
	for i := range n {
		x.Set(i, 0, 5+3*x.At(i, 0))
	}
	for _, m := range []mat.Matrix{nil, mask(n, d, 3)} {
		data := newData(t, x, m)
		for name, s := range both(t, data) {
			prepared(t, s, 2)
			parents, rows := []int{1, 2}, data.groups[data.of[3]].rows
			if rows == nil {
				for i := range n {
					rows = append(rows, i)
				}
			}
			column := func(j int) []float64 { return scoring.Pick(nil, mat.Col(nil, j, x), rows) }
			columns := [][]float64{column(1), column(2)}
			sum, mean, noise := make([]float64, len(rows)), make([]float64, len(rows)), 0.0
			const draws = 400
			rng := rand.New(rand.NewPCG(1, 1))
			for range draws {
				f := s.Function(3, parents, rng)
				g, rest, err := NewFunction(2, append(f.Parameters(), 7))
				if err != nil || len(rest) != 1 || !slices.Equal(f.Parameters(), g.Parameters()) {
					t.Fatalf("%s: %v, %d numbers left", name, err, len(rest))
				}
				g.Mean(mean, columns)
				floats.AddScaled(sum, 1.0/draws, mean)
				noise += g.Noise() / draws
			}
			y := column(3)
			floats.AddConst(-floats.Sum(y)/float64(len(y)), y)
			floats.AddConst(-floats.Sum(sum)/float64(len(y)), sum)
			residuals := s.Residuals(3, parents)
			floats.Scale(math.Sqrt(noise), residuals)
			worst := 0.0
			for k := range y {
				worst = max(worst, math.Abs(y[k]-sum[k]-residuals[k]))
			}
			if worst > 0.15 {
				t.Errorf("%s: functions leave residuals that differ by %.3f", name, worst)
			}
		}
	}
}

// An equation into which blocks enter and which they leave has the evidence of its normal
// equations, and so has what is read off it with another amplitude.
func TestSystemAgainstFactors(t *testing.T) {
	const n, d = 60, 6
	x := table(n, d, 4, curved)
	for i := range n { // nearly a copy
		x.Set(i, 5, x.At(i, 4)+1e-4*x.At(i, 5))
	}
	for _, m := range []*Data{newData(t, x, nil), newData(t, x, mask(n, d, 3))} {
		for name, s := range both(t, m) {
			prepared(t, s, 2)
			rng := rand.New(rand.NewPCG(1, 2))
			w, parents := new(regression), []int{0, 1, 4, 5}
			p := len(parents)
			f := &fit{parents: parents, form: form{make([]uint8, p), make([]uint8, p*(p-1)/2)}}
			f.curves, f.pairs = make([]float64, p), make([]float64, p*(p-1)/2)
			var y system
			y.of(s, 3, f)
			for round := range 60 {
				a, b := rng.IntN(p-1), p-1
				if rng.IntN(2) == 0 {
					a = rng.IntN(p)
					prior := flat(len(curvePrior), rng)
					f.curves[a] = y.along(f, m.curve(parents[a]), &f.form.curves[a], prior)
				} else {
					k := pairAt(a, b, p)
					products := m.product(parents[a], parents[b])
					f.pairs[k] = y.along(f, products, &f.form.products[k], flat(3, rng))
				}
				want := w.log(s, 3, parents, f.form)
				if got := y.log(p); math.Abs(got-want) > 1e-7*math.Abs(want) {
					t.Fatalf("%s, step %d, form %v: %v, want %v", name, round, f.form, got, want)
				}
			}
		}
	}
}

// flat are prior probabilities that lead to any amplitude.
func flat(n int, rng *rand.Rand) (all []float64) {
	for range n {
		all = append(all, 200*rng.NormFloat64())
	}
	return all
}

// A block that rounding makes indefinite costs no less than its part.
func TestPivotsAreAtLeastOne(t *testing.T) {
	c := &complement{t: 2, s: []float64{1, 1 + 1e-9, 1 + 1e-9, 1}, rho: []float64{0, 0}}
	part, _ := c.with([]float64{1e6})
	if whole, _ := c.with([]float64{1e6, 1e6}); whole < part {
		t.Errorf("½ log|K| = %v of two functions, %v of one", whole, part)
	}
}
