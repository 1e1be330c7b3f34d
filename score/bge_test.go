package score_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/must"
	"tobac/internal/scoring"
	"tobac/score"
)

func newBGe(t *testing.T, x, mask mat.Matrix, opt score.BGeOptions) score.BGe {
	t.Helper()
	return must.Get(score.NewBGe(x, mask, opt))(t)
}

func dense(rows [][]float64) *mat.Dense {
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		x.SetRow(i, r)
	}
	return x
}

// logGraph is the log marginal likelihood of a graph, a[i][j] = 1 for i → j.
func logGraph(s score.Scorer, a [][]float64) float64 {
	sum := 0.0
	for j := range a {
		var parents []int
		for i := range a {
			if a[i][j] == 1 {
				parents = append(parents, i)
			}
		}
		sum += s.LogScore(j, parents)
	}
	return sum
}

// The file comes from the authors' program.
func TestBGeGolden(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/bge.json"))(t)
	var golden struct {
		X           [][]float64
		Intervened  [][]float64
		AlphaMu     float64 `json:"alpha_mu"`
		AlphaLambda float64 `json:"alpha_lambda"`
		Graphs      []struct {
			Adjacency             [][]float64
			LogMarginal           float64 `json:"log_marginal"`
			LogMarginalIntervened float64 `json:"log_marginal_intervened"`
		}
	}
	must.Do(t, json.Unmarshal(raw, &golden))
	opt := score.BGeOptions{AlphaMu: golden.AlphaMu, AlphaLambda: golden.AlphaLambda,
		Scale: score.Raw}
	plain := newBGe(t, dense(golden.X), nil, opt)
	masked := newBGe(t, dense(golden.X), dense(golden.Intervened), opt)
	for k, g := range golden.Graphs {
		if got := logGraph(plain, g.Adjacency); !near(got, g.LogMarginal, 1e-9) {
			t.Errorf("graph %d: got %v, want %v", k, got, g.LogMarginal)
		}
		if got := logGraph(masked, g.Adjacency); !near(got, g.LogMarginalIntervened, 1e-9) {
			t.Errorf("graph %d with interventions: got %v, want %v", k, got,
				g.LogMarginalIntervened)
		}
	}
}

// sachs returns the Sachs data standardised with divisor n−1, and the consensus
// network.
func sachs(t *testing.T) (*mat.Dense, *dag.Graph) {
	t.Helper()
	table, g := must.Two(dataset.Sachs())(t)
	x := mat.DenseCopyOf(table.X)
	n, d := x.Dims()
	for j := range d {
		c := mat.Col(nil, j, x)
		m, sd := stat.MeanStdDev(c, nil)
		for i := range n {
			x.Set(i, j, (c[i]-m)/sd)
		}
	}
	return x, g
}

// The values of baselines.md, section 18: raw scores of columns that were
// standardised with divisor n−1. Standardising inside adds the Jacobian, which is
// nothing for columns of unit variance.
func TestBGeSachs(t *testing.T) {
	x, g := sachs(t)
	for _, row := range []struct {
		name  string
		scale score.Scale
	}{{"raw", score.Raw}, {"standardised", score.Standardised}} {
		t.Run(row.name, func(t *testing.T) {
			s := newBGe(t, x, nil, score.BGeOptions{Scale: row.scale})
			for _, c := range []struct {
				j       int
				parents []int
				want    float64
			}{
				{0, nil, -1217.5450346159},
				{1, []int{0}, -797.8000246894},
				{1, []int{0, 7, 8}, -805.8909598180},
				{7, []int{8}, -1221.8554677434},
				{5, []int{1, 7}, -1156.4446752430},
			} {
				if got := s.LogScore(c.j, c.parents); !near(got, c.want, 1e-12) {
					t.Errorf("score(%d|%v): got %.10f, want %.10f", c.j, c.parents, got, c.want)
				}
			}
			d := s.Vars()
			empty, truth := 0.0, 0.0
			for j := range d {
				var parents []int
				for i := range d {
					if g.Has(i, j) {
						parents = append(parents, i)
					}
				}
				empty += s.LogScore(j, nil)
				truth += s.LogScore(j, parents)
			}
			if !near(empty, -13392.9953807751, 1e-12) || !near(truth, -10768.6606926168, 1e-12) {
				t.Errorf("empty and true graph: got %.10f and %.10f, want -13392.9953807751 and "+
					"-10768.6606926168", empty, truth)
			}
		})
	}
}

// naiveBGe is the formula of tobac.md, section 6.3, with determinants of
// submatrices. x holds the rows that count, nu the prior mean.
func naiveBGe(x *mat.Dense, nu []float64, j int, parents []int, mu, lambda float64) float64 {
	n, d := x.Dims()
	count := float64(n)
	t := mu * (lambda - float64(d) - 1) / (mu + 1)
	r := mat.NewDense(d, d, nil)
	means := make([]float64, d)
	for c := range d {
		means[c] = stat.Mean(mat.Col(nil, c, x), nil)
	}
	for a := range d {
		for b := range d {
			v := count * mu / (count + mu) * (means[a] - nu[a]) * (means[b] - nu[b])
			for i := range n {
				v += (x.At(i, a) - means[a]) * (x.At(i, b) - means[b])
			}
			if a == b {
				v += t
			}
			r.Set(a, b, v)
		}
	}
	logDet := func(set []int) float64 {
		if len(set) == 0 {
			return 0
		}
		sub := mat.NewSymDense(len(set), nil)
		for a := range set {
			for b := range set {
				sub.SetSym(a, b, r.At(set[a], set[b]))
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(sub) {
			return math.NaN()
		}
		return chol.LogDet()
	}
	lgamma := func(v float64) float64 { g, _ := math.Lgamma(v); return g }
	free, p := lambda-float64(d), float64(len(parents))
	both := append([]int{j}, parents...)
	return 0.5*math.Log(mu/(count+mu)) + lgamma((count+free+p+1)/2) - lgamma((free+p+1)/2) -
		count/2*math.Log(math.Pi) +
		(free+2*p+1)/2*math.Log(t) +
		(count+free+p)/2*logDet(parents) - (count+free+p+1)/2*logDet(both)
}

// All scores against the formula, raw and standardised, with and without
// interventions; the last variable is left without rows once.
func TestBGeFormula(t *testing.T) {
	const n, d = 17, 5
	x := normals(3, n, d)
	x.Apply(func(_, j int, v float64) float64 { return v*math.Pow(3, float64(j)) + float64(j) }, x)
	for _, opt := range []score.BGeOptions{{Scale: score.Raw}, {},
		{AlphaMu: 0.3, AlphaLambda: 8.5}} {
		for _, masked := range []bool{false, true} {
			t.Run(fmt.Sprintf("scale=%d/mu=%v/masked=%t", opt.Scale, opt.AlphaMu, masked),
				func(t *testing.T) {
					var mask *mat.Dense
					var m mat.Matrix
					if masked {
						mask = randomMask(5, n, d, true)
						m = mask
					}
					s := newBGe(t, x, m, opt)
					mu, lambda := opt.AlphaMu, opt.AlphaLambda
					if mu == 0 {
						mu, lambda = 1, d+2
					}
					z, sd := mat.DenseCopyOf(x), make([]float64, d)
					for c := range d {
						rows := keep(x, mask, c)
						if rows == nil {
							rows = x
						}
						var centre float64
						centre, sd[c] = stat.MeanStdDev(mat.Col(nil, c, rows), nil)
						if opt.Scale == score.Raw {
							centre, sd[c] = 0, 1
						}
						for i := range n {
							z.Set(i, c, (x.At(i, c)-centre)/sd[c])
						}
					}
					everySet(d, func(j int, parents []int) {
						want := 0.0
						if rows := keep(z, mask, j); rows != nil {
							nu := make([]float64, d)
							if opt.Scale == score.Standardised {
								for c := range d {
									nu[c] = stat.Mean(mat.Col(nil, c, rows), nil)
								}
							}
							count, _ := rows.Dims()
							want = naiveBGe(rows, nu, j, parents, mu, lambda) -
								float64(count)*math.Log(sd[j])
						}
						if got := s.LogScore(j, parents); !near(got, want, 1e-12) {
							t.Errorf("score(%d|%v): got %v, want %v", j, parents, got, want)
						}
					})
				})
		}
	}
}

// Reversing a covered edge gives a Markov equivalent graph, so the score stays the
// same: score(i|A) + score(j|A,i) = score(j|A) + score(i|A,j).
func TestBGeScoreEquivalence(t *testing.T) {
	const d = 6
	x := normals(7, 40, d)
	for _, scale := range []score.Scale{score.Standardised, score.Raw} {
		s := newBGe(t, x, nil, score.BGeOptions{Scale: scale})
		for i := range d {
			everySet(d, func(j int, a []int) {
				for _, k := range append(a, j) {
					if k == i {
						return
					}
				}
				forward := s.LogScore(i, a) + s.LogScore(j, insert(a, i))
				backward := s.LogScore(j, a) + s.LogScore(i, insert(a, j))
				if !near(forward, backward, 1e-13) {
					t.Errorf("edge %d - %d with the parents %v: %v and %v", i, j, a, forward,
						backward)
				}
			})
		}
	}
}

// insert adds i to an ascending list.
func insert(a []int, i int) []int {
	var out []int
	for k, v := range a {
		if i < v {
			return append(append(out, i), a[k:]...)
		}
		out = append(out, v)
	}
	return append(out, i)
}

// Shifting and multiplying a column, negative factors included, adds −n_j ln|c| to
// the scores of its variable and changes no other, with interventions too. 1e-9
// allows for the digits that a shift of 1000 standard deviations costs.
func TestBGeScaleInvariance(t *testing.T) {
	const n, d = 25, 4
	x := normals(9, n, d)
	factor := []float64{1e-3, -7, 1, 250}
	y := mat.DenseCopyOf(x)
	y.Apply(func(_, j int, v float64) float64 { return factor[j] * (v + 1000*float64(j)) }, y)
	for _, mask := range []mat.Matrix{nil, randomMask(2, n, d, false)} {
		a, b := newBGe(t, x, mask, score.BGeOptions{}), newBGe(t, y, mask, score.BGeOptions{})
		everySet(d, func(j int, parents []int) {
			rows := float64(n)
			if mask != nil {
				rows = 0
				for i := range n {
					rows += 1 - mask.At(i, j)
				}
			}
			want := a.LogScore(j, parents) - rows*math.Log(math.Abs(factor[j]))
			if got := b.LogScore(j, parents); !near(got, want, 1e-9) {
				t.Errorf("score(%d|%v): got %v, want %v", j, parents, got, want)
			}
		})
	}
}

func TestBGeErrors(t *testing.T) {
	x := normals(1, 6, 3)
	constant := mat.DenseCopyOf(x)
	constant.SetCol(1, []float64{2, 2, 2, 2, 2, 2})
	nan := mat.DenseCopyOf(x)
	nan.Set(4, 2, math.NaN())
	twos := mat.NewDense(6, 3, nil)
	twos.Set(2, 1, 2)
	for _, row := range []struct {
		name    string
		x, mask mat.Matrix
		opt     score.BGeOptions
		want    string
	}{
		{"constant column", constant, nil, score.BGeOptions{},
			"score: column 2 is constant, want at least two different values to standardise it"},
		{"not a number", nan, nil, score.BGeOptions{},
			"score: BGe: row 5, column 3 is NaN, want a finite number of magnitude up to 1e150"},
		{"shape of the mask", x, mat.NewDense(2, 3, nil), score.BGeOptions{},
			"score: BGe: mask of interventions is 2×3, want 6×3 as the data"},
		{"values of the mask", x, twos, score.BGeOptions{},
			"score: BGe: mask of interventions in row 3, column 2 is 2, want 0 or 1"},
		{"degrees of freedom", x, nil, score.BGeOptions{AlphaLambda: 4}, "score: BGe: alpha mu 1 " +
			"and alpha lambda 4 on 3 variables, want alpha mu > 0 and alpha lambda > 4"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := score.NewBGe(row.x, row.mask, row.opt)
			if err == nil || err.Error() != row.want {
				t.Errorf("got %v, want %s", err, row.want)
			}
		})
	}
	_, err := score.NewBGe(constant, nil, score.BGeOptions{})
	var at *scoring.ConstantColumnError
	if !errors.As(err, &at) || at.Column != 1 {
		t.Errorf("got %v, want a ConstantColumnError of column 1", err)
	}
	if _, err := score.NewBGe(constant, nil, score.BGeOptions{Scale: score.Raw}); err != nil {
		t.Errorf("a constant column in raw units: %v", err)
	}
}

// Means and covariance of an equation, and draws of its weights, against draws from
// the Normal–Wishart posterior by its definition. Means are within 5 standard errors.
func TestBGeEquation(t *testing.T) {
	const n, d, draws = 12, 3, 40000
	x := normals(11, n, d)
	x.Apply(func(_, j int, v float64) float64 { return v * float64(1+2*j) }, x)
	s := newBGe(t, x, nil, score.BGeOptions{Scale: score.Raw})
	e := s.Equation(2, []int{0, 1})
	rng := rand.New(rand.NewPCG(4, 4))

	// R as in the formula; W ~ Wishart(α_λ+N, R⁻¹), μ | W ~ N(μ̄, ((N+α_μ)W)⁻¹).
	r := mat.NewSymDense(d, nil)
	mean := make([]float64, d)
	for a := range d {
		mean[a] = stat.Mean(mat.Col(nil, a, x), nil)
	}
	for a := range d {
		for b := range a + 1 {
			v := float64(n) / (n + 1) * mean[a] * mean[b]
			for i := range n {
				v += (x.At(i, a) - mean[a]) * (x.At(i, b) - mean[b])
			}
			if a == b {
				v += 0.5
			}
			r.SetSym(a, b, v)
		}
	}
	var chol mat.Cholesky
	chol.Factorize(r)
	var inv mat.SymDense
	must.Do(t, chol.InverseTo(&inv))
	chol.Factorize(&inv)
	var l mat.TriDense
	chol.LTo(&l)
	var w1, w2, noise, intercept []float64
	for range draws {
		w := mat.NewSymDense(d, nil)
		z := mat.NewDense(d, n+d+2, nil)
		z.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, z)
		var lz mat.Dense
		lz.Mul(&l, z)
		w.SymOuterK(1, &lz)
		// The regression of x_2 on the others has weights −W_2i/W_22 and variance 1/W_22.
		w1 = append(w1, -w.At(2, 0)/w.At(2, 2))
		w2 = append(w2, -w.At(2, 1)/w.At(2, 2))
		noise = append(noise, 1/w.At(2, 2))
		// μ_2 − Σ w_i μ_i = W_2·μ/W_22, whose mean given W is that at μ̄.
		mu := 0.0
		for a := range d {
			mu += w.At(2, a) / w.At(2, 2) * mean[a] * n / (n + 1)
		}
		intercept = append(intercept, mu)
	}
	sampled := make([]float64, 0, draws)
	other := make([]float64, 0, draws)
	for range draws {
		v := e.Sample(nil, rng)
		sampled, other = append(sampled, v[0]), append(other, v[1])
	}
	if want := float64(n + (d + 2) - d + 2 + 1); e.Freedom != want { // N + α_λ − d + p + 1
		t.Errorf("got %v degrees of freedom, want %v", e.Freedom, want)
	}
	for _, row := range []struct {
		name       string
		got        float64
		draws      []float64
		wantSecond float64 // variance, where it is known
	}{
		{"weight of 0", e.Mean[0], w1, e.Cov.At(0, 0)},
		{"weight of 1", e.Mean[1], w2, e.Cov.At(1, 1)},
		{"noise variance", e.NoiseVariance, noise, math.NaN()},
		{"intercept", e.Intercept, intercept, math.NaN()},
		{"sampled weight of 0", e.Mean[0], sampled, e.Cov.At(0, 0)},
	} {
		m, sd := stat.MeanStdDev(row.draws, nil)
		if !(math.Abs(m-row.got) <= 5*sd/math.Sqrt(draws)) {
			t.Errorf("%s: mean of draws %v ± %v, got %v", row.name, m, sd/math.Sqrt(draws), row.got)
		}
		// The variance of draws from a t distribution with 17 degrees of freedom has a
		// relative standard error of about sqrt(2.5/draws) = .008.
		if !math.IsNaN(row.wantSecond) && !(math.Abs(sd*sd/row.wantSecond-1) <= 0.04) {
			t.Errorf("%s: variance of draws %v, got %v", row.name, sd*sd, row.wantSecond)
		}
	}
	if c := stat.Covariance(w1, w2,
		nil); !(math.Abs(c-e.Cov.At(0, 1)) <= 0.04*math.Abs(e.Cov.At(0, 1))+0.001) {
		t.Errorf("covariance of the weights: draws %v, got %v", c, e.Cov.At(0, 1))
	}
	if c := stat.Covariance(sampled, other,
		nil); !(math.Abs(c-e.Cov.At(0, 1)) <= 0.04*math.Abs(e.Cov.At(0, 1))+0.001) {
		t.Errorf("covariance of sampled weights: %v, got %v", c, e.Cov.At(0, 1))
	}
	// Kurtosis 3 + 6/(ν−4) of the t distribution.
	if k := stat.ExKurtosis(sampled, nil); !(math.Abs(k-6/(e.Freedom-4)) <= 0.25) {
		t.Errorf("excess kurtosis of sampled weights %v, want about %v", k, 6/(e.Freedom-4))
	}
}

// In the user's units, a weight is that of standardised columns times sd_j/sd_i, and
// the line passes through the means.
func TestBGeEquationUnits(t *testing.T) {
	const n, d = 30, 4
	x := normals(12, n, d)
	y := mat.DenseCopyOf(x)
	factor, shift := []float64{2, -3, 0.1, 50}, []float64{1, 0, -4, 100}
	y.Apply(func(_, j int, v float64) float64 { return factor[j]*v + shift[j] }, y)
	for _, mask := range []mat.Matrix{nil, randomMask(8, n, d, true)} {
		a, b := newBGe(t, x, mask, score.BGeOptions{}), newBGe(t, y, mask, score.BGeOptions{})
		everySet(d, func(j int, parents []int) {
			e, f := a.Equation(j, parents), b.Equation(j, parents)
			want := factor[j]*e.Intercept + shift[j]
			for k, i := range parents {
				w := e.Mean[k] * factor[j] / factor[i]
				want -= w * shift[i]
				if !near(f.Mean[k], w, 1e-10) {
					t.Errorf("weight %d of %d: got %v, want %v", i, j, f.Mean[k], w)
				}
				for l, h := range parents {
					if c := e.Cov.At(k, l) * factor[j] / factor[i] * factor[j] /
						factor[h]; !near(f.Cov.At(k, l), c, 1e-10) {
						t.Errorf("covariance of %d and %d: got %v, want %v", i, h, f.Cov.At(k, l),
							c)
					}
				}
			}
			if !near(f.Intercept, want, 1e-9) {
				t.Errorf("intercept of %d given %v: got %v, want %v", j, parents, f.Intercept, want)
			}
			if v := e.NoiseVariance * factor[j] * factor[j]; !near(f.NoiseVariance, v, 1e-10) {
				t.Errorf("noise variance of %d given %v: got %v, want %v", j, parents,
					f.NoiseVariance, v)
			}
		})
	}
}
