package impute_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"tobac/internal/impute"
	"tobac/internal/must"
)

// A single column with gaps has a predictive distribution in closed form: with Ψ = S + λI from the
// complete rows, the gap is distributed as
//
//	ȳ + Ψ_yx Ψ_xx⁻¹ (x − x̄) + √(Ψ_y|x/ν · (1 + 1/n + (x−x̄)ᵀ Ψ_xx⁻¹ (x−x̄))) · t_ν,   ν = n − 1 + ν₀,
//
// whatever rows with a gap say about the other columns. Complete chains must draw from it: their
// quantiles are uniform. The bound of Kolmogorov's distance has a probability of 1e-4.
func TestPredictiveOfOneColumn(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const n, d, complete0, tables = 26, 3, 18, 3000
	x := correlated(n, d, rng)
	for i := complete0; i < n; i++ {
		x.Set(i, 1, math.NaN())
	}
	c := complete(t, x, impute.Settings{Count: tables, Seed: 4,
		Methods: []impute.Method{impute.Normal, impute.Normal, impute.Normal}})
	m := c.Diagnostics.Models[0]
	z, mean, sd := scale(x)
	psi, centre := mat.NewDense(d, d, nil), make([]float64, d)
	for j := range d {
		for i := range complete0 {
			centre[j] += z.At(i, j) / complete0
		}
	}
	for a := range d {
		psi.Set(a, a, m.Ridge)
		for b := range d {
			for i := range complete0 {
				psi.Set(a, b, psi.At(a, b)+(z.At(i, a)-centre[a])*(z.At(i, b)-centre[b]))
			}
		}
	}
	xx := mat.NewDense(2, 2, []float64{psi.At(0, 0), psi.At(0, 2), psi.At(2, 0), psi.At(2, 2)})
	xy := mat.NewVecDense(2, []float64{psi.At(0, 1), psi.At(2, 1)})
	var slope mat.VecDense
	must.Do(t, slope.SolveVec(xx, xy))
	nu := complete0 - 1 + m.DF
	rest := psi.At(1, 1) - mat.Dot(&slope, xy)
	for i := complete0; i < n; i++ {
		from := mat.NewVecDense(2, []float64{z.At(i, 0) - centre[0], z.At(i, 2) - centre[2]})
		var solved mat.VecDense
		must.Do(t, solved.SolveVec(xx, from))
		spread := math.Sqrt(rest / nu * (1 + 1.0/complete0 + mat.Dot(from, &solved)))
		student := distuv.StudentsT{Mu: centre[1] + mat.Dot(&slope, from), Sigma: spread, Nu: nu}
		var quantiles []float64
		for k := range tables {
			quantiles = append(quantiles, student.CDF((c.Table(k).At(i, 1)-mean[1])/sd[1]))
		}
		if got, most := kolmogorov(quantiles), 2.23/math.Sqrt(tables); got > most {
			t.Errorf("row %d: the distance from the predictive distribution is %.4f, want at "+
				"most %.4f", i, got, most)
		}
	}
}

// kolmogorov is the largest distance of an empirical distribution function from that of the uniform
// distribution.
func kolmogorov(u []float64) float64 {
	slices.Sort(u)
	most, n := 0.0, float64(len(u))
	for k, v := range u {
		most = math.Max(most, math.Max(math.Abs(v-float64(k)/n), math.Abs(v-float64(k+1)/n)))
	}
	return most
}

// Over 400 tables with values missing at random (MAR: y is observed less often where x is great),
// the 95 % interval of the mean of y by Rubin's rules covers the truth in 95 % of them, with a
// standard error of 1.1 %, where that of the complete rows does in hardly any.
func TestCoverage(t *testing.T) {
	const tables, n = 400, 80
	covered, complete0 := 0, 0
	rng := rand.New(rand.NewPCG(6, 1))
	bias := 0.0
	for seed := range tables {
		x := mat.NewDense(n, 3, nil)
		for i := range n {
			a := rng.NormFloat64()
			b := 10 + 2*a + rng.NormFloat64()
			c := -a + 0.1*b + rng.NormFloat64()
			x.SetRow(i, []float64{a, b, c})
			if rng.Float64() < 1/(1+math.Exp(-2*a)) {
				x.Set(i, 1, math.NaN())
			} else if rng.Float64() < 0.1 {
				x.Set(i, 2, math.NaN())
			}
		}
		c := complete(t, x, impute.Settings{Count: 8, Seed: uint64(seed)})
		var estimates, variances, seen []float64
		for k := range c.Count() {
			mean, variance := meanOf(mat.Col(nil, 1, c.Table(k)))
			estimates, variances = append(estimates, mean), append(variances, variance)
		}
		for i := range n {
			if v := x.At(i, 1); !math.IsNaN(v) {
				seen = append(seen, v)
			}
		}
		p := impute.Pool(estimates, variances, n-1)
		bias += (p.Mean - 10) / tables
		if math.Abs(p.Mean-10) <= p.SD*(distuv.StudentsT{Sigma: 1, Nu: p.DF}).Quantile(0.975) {
			covered++
		}
		mean, variance := meanOf(seen)
		if math.Abs(mean-10) <= math.Sqrt(variance)*(distuv.StudentsT{Sigma: 1,
			Nu: float64(len(seen) - 1)}).Quantile(0.975) {
			complete0++
		}
		if info := c.Diagnostics.Columns[1].Information; info < 0.03 || info > 0.99 ||
			c.Diagnostics.Columns[0].Information != 0 {
			t.Errorf("table %d: fractions of missing information %v and %v", seed, info,
				c.Diagnostics.Columns[0].Information)
		}
	}
	t.Logf("covered %d of %d, by complete rows %d; bias %.3f", covered, tables, complete0, bias)
	if rate := float64(covered) / tables; !(math.Abs(rate-0.95) <= 0.033) { // three standard errors
		t.Errorf("the intervals cover the truth in %.3f of the tables, want .95", rate)
	}
	if rate := float64(complete0) / tables; rate > 0.3 {
		t.Errorf("complete rows cover in %.3f: the test shows nothing", rate)
	}
	// the standard error of a mean is about 0.3, of their average 0.017
	if !(math.Abs(bias) <= 0.06) {
		t.Errorf("bias %v", bias)
	}
}

func meanOf(x []float64) (mean, variance float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / (n - 1) / n
	}
	return mean, variance
}

// With many rows, completed tables have the moments of the distribution, although a fifth of their
// values is missing at random and the observed ones have others.
func TestMoments(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	const n = 20000
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		a := rng.NormFloat64()
		b := a + rng.NormFloat64()
		x.SetRow(i, []float64{a, b, a - b + rng.NormFloat64()})
		if a > 0.5 && rng.Float64() < 0.8 {
			x.Set(i, 1, math.NaN())
		}
		if a < -0.5 && rng.Float64() < 0.6 {
			x.Set(i, 2, math.NaN())
		}
	}
	c := complete(t, x, impute.Settings{Count: 2, Seed: 3, Workers: 2})
	want := [3][3]float64{{1, 1, 0}, {1, 2, -1}, {0, -1, 2}}
	for k := range 2 {
		table := c.Table(k)
		for a := range 3 {
			for b := range 3 {
				sum := 0.0
				for i := range n {
					sum += table.At(i, a) * table.At(i, b) / n
				}
				// standard errors of up to .02, and up to half the information missing
				if !(math.Abs(sum-want[a][b]) <= 0.08) {
					t.Errorf("table %d: moment %d, %d is %.3f, want %v", k, a, b, sum, want[a][b])
				}
			}
		}
	}
}

// By hand: estimates 1, 2, 3 with the variance 1: B = 1, T = 1 + 4/3, γ = 4/7, r = 4/3, 1/DF =
// (4/7)²/2 for many rows.
func TestPool(t *testing.T) {
	p := impute.Pool([]float64{1, 2, 3}, []float64{1, 1, 1}, math.Inf(1))
	df := 2 * 49.0 / 16
	want := impute.Pooled{Mean: 2, SD: math.Sqrt(7.0 / 3), DF: df,
		Information: (4.0/3 + 2/(df+3)) / (7.0 / 3)}
	for _, v := range [][2]float64{{p.Mean, want.Mean}, {p.SD, want.SD}, {p.DF, want.DF},
		{p.Information, want.Information}} {
		if !(math.Abs(v[0]-v[1]) <= 1e-12) {
			t.Errorf("got %+v, want %+v", p, want)
		}
	}
	if p := impute.Pool([]float64{2, 2}, []float64{4, 4},
		7); p != (impute.Pooled{Mean: 2, SD: 2, DF: 7}) {
		t.Errorf("equal estimates: got %+v", p)
	}
	if p := impute.Pool([]float64{1, 2, 3}, []float64{1, 1, 1}, 5); !(p.DF < 5) {
		t.Errorf("with 5 degrees of freedom of complete data: got %v, want fewer", p.DF)
	}
}
