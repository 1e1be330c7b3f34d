package score_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/internal/must"
	"tobac/score"
)

// denseLinear is the density of variable j in the given rows: a normal of as many
// dimensions, with covariance σ²I + σ_e² X Xᵀ and, for the intercept, σ² on all
// elements; the columns are centred then.
func denseLinear(t *testing.T, rows *mat.Dense, j int, parents []int,
	opt score.LinearOptions) float64 {
	t.Helper()
	n, _ := rows.Dims()
	column := func(i int) []float64 {
		c := mat.Col(nil, i, rows)
		if !opt.NoIntercept {
			m := stat.Mean(c, nil)
			for r := range c {
				c[r] -= m
			}
		}
		return c
	}
	sigma := mat.NewSymDense(n, nil)
	for a := range n {
		for b := range a + 1 {
			v := 0.0
			if a == b {
				v = opt.NoiseVariance
			}
			if !opt.NoIntercept {
				v += opt.NoiseVariance
			}
			sigma.SetSym(a, b, v)
		}
	}
	for _, i := range parents {
		sigma.SymRankOne(sigma, opt.EdgeVariance, mat.NewVecDense(n, column(i)))
	}
	return logNormal(t, column(j), sigma)
}

func TestLinearDensity(t *testing.T) {
	const n, d = 9, 4
	x := normals(21, n, d)
	for _, opt := range []score.LinearOptions{
		{NoiseVariance: 0.4, EdgeVariance: 1},
		{NoiseVariance: 2, EdgeVariance: 0.3},
		{NoiseVariance: 0.4, EdgeVariance: 1, NoIntercept: true},
	} {
		for _, mask := range []*mat.Dense{nil, randomMask(6, n, d, true)} {
			var m mat.Matrix
			if mask != nil {
				m = mask
			}
			s := newLinear(t, x, m, opt)
			everySet(d, func(j int, parents []int) {
				want := 0.0
				if rows := keep(x, mask, j); rows != nil {
					want = denseLinear(t, rows, j, parents, opt)
				}
				if got := s.LogScore(j, parents); !near(got, want, 1e-12) {
					t.Errorf("%+v, masked %t: score(%d|%v): got %v, want %v", opt, mask != nil, j,
						parents, got, want)
				}
			})
		}
	}
}

// With an intercept, a shift of the columns changes nothing but the intercepts.
// 1e-9 allows for the digits that it costs.
func TestLinearShift(t *testing.T) {
	const n, d = 20, 4
	x := normals(22, n, d)
	y := mat.DenseCopyOf(x)
	y.Apply(func(_, j int, v float64) float64 { return v + 1000*float64(j) }, y)
	mask := randomMask(3, n, d, false)
	a := newLinear(t, x, mask, score.LinearOptions{NoiseVariance: 0.7})
	b := newLinear(t, y, mask, score.LinearOptions{NoiseVariance: 0.7})
	everySet(d, func(j int, parents []int) {
		if got, want := b.LogScore(j, parents), a.LogScore(j, parents); !near(got, want, 1e-9) {
			t.Errorf("score(%d|%v): got %v, want %v", j, parents, got, want)
		}
		e, f := a.Equation(j, parents), b.Equation(j, parents)
		want := e.Intercept + 1000*float64(j)
		for k, i := range parents {
			want -= 1000 * float64(i) * f.Mean[k]
		}
		if !near(f.Intercept, want, 1e-9) {
			t.Errorf("intercept of %d given %v: got %v, want %v", j, parents, f.Intercept, want)
		}
	})
}

// The posterior of the weights of a normal model by Bayes' theorem: precision
// XᵀX/σ² + I/σ_e².
func TestLinearEquation(t *testing.T) {
	x := normals(23, 15, 3)
	opt := score.LinearOptions{NoiseVariance: 0.5, EdgeVariance: 2, NoIntercept: true}
	e := newLinear(t, x, nil, opt).Equation(0, []int{1, 2})
	design := x.Slice(0, 15, 1, 3)
	var precision, cov mat.Dense
	precision.Mul(design.T(), design)
	precision.Scale(1/opt.NoiseVariance, &precision)
	for k := range 2 {
		precision.Set(k, k, precision.At(k, k)+1/opt.EdgeVariance)
	}
	must.Do(t, cov.Inverse(&precision))
	var mean mat.VecDense
	mean.MulVec(design.T(), x.ColView(0))
	mean.MulVec(&cov, &mean)
	for k := range 2 {
		if want := mean.AtVec(k) / opt.NoiseVariance; !near(e.Mean[k], want, 1e-12) {
			t.Errorf("weight %d: got %v, want %v", k, e.Mean[k], want)
		}
		for l := range 2 {
			if got, want := e.Cov.At(k, l), cov.At(k, l); !near(got, want, 1e-12) {
				t.Errorf("covariance %d, %d: got %v, want %v", k, l, got, want)
			}
		}
	}
	if e.Intercept != 0 || e.NoiseVariance != opt.NoiseVariance || !math.IsInf(e.Freedom, 1) {
		t.Errorf("intercept %v, noise variance %v, %v degrees of freedom, want 0, %v, +Inf",
			e.Intercept, e.NoiseVariance, e.Freedom, opt.NoiseVariance)
	}
}

func TestLinearErrors(t *testing.T) {
	x := normals(1, 6, 3)
	for _, row := range []struct {
		opt  score.LinearOptions
		want string
	}{
		{score.LinearOptions{},
			"score: linear model: noise variance 0, want a finite positive number"},
		{score.LinearOptions{NoiseVariance: math.Inf(1)},
			"score: linear model: noise variance +Inf, want a finite positive number"},
		{score.LinearOptions{NoiseVariance: 1, EdgeVariance: -1},
			"score: linear model: edge variance -1, want a finite positive number"},
	} {
		if _, err := score.NewLinear(x, nil, row.opt); err == nil || err.Error() != row.want {
			t.Errorf("%+v: got %v, want %s", row.opt, err, row.want)
		}
	}
}
