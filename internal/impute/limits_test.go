package impute_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/internal/impute"
	"tobac/internal/must"
)

// normals is one variable, standard normal, and its child with the slope 1 and the variance 1.
type normals struct{}

func (normals) Parents(j int) []int { return [][]int{nil, {0}}[j] }

func (normals) LogDensity(j int, y float64, x []float64) float64 {
	if j == 1 {
		y -= x[0]
	}
	return -0.5 * y * y
}

// Values with limits that a causal model draws lie between them, and have the moments of truncated
// normal distributions, within five standard errors: equations and densities draw the same, far in
// a tail too.
func TestRedrawnLimits(t *testing.T) {
	const n = 4000
	for _, limit := range [][2]float64{{math.Inf(-1), -1}, {0.5, 2}, {6, math.Inf(1)}, {-60, -45}} {
		// Given the child y = 1 the variable is N(½, ½).
		low, high := (limit[0]-0.5)*math.Sqrt2, (limit[1]-0.5)*math.Sqrt2
		mass, first, second := 0.0, 0.0, 0.0
		from, to := max(low, -80), min(high, 80)
		nearest := min(max(0, from), to)
		for z := from + 5e-5; z < to; z += 1e-4 {
			p := math.Exp(-0.5*z*z + 0.5*nearest*nearest)
			mass, first, second = mass+p, first+z*p, second+z*z*p
		}
		mean := 0.5 + first/mass/math.Sqrt2
		sd := math.Sqrt((second/mass - first*first/mass/mass) / 2)
		var limits impute.Limits
		var places []int
		begin := mat.NewDense(n, 2, nil)
		for i := range n {
			places = append(places, 2*i)
			limits = append(limits, impute.Limit{Place: 2 * i, Low: limit[0], High: limit[1]})
			begin.SetRow(i, []float64{min(max(0, limit[0]), limit[1]), 1})
		}
		equations := &impute.Equations{Weights: mat.NewDense(2, 2, []float64{0, 1, 0, 0}),
			Intercepts: []float64{0, 0}, Variances: []float64{1, 1}, Limits: limits}
		densities := &impute.Gibbs{Of: normals{}, Values: make([][]float64, 2),
			Steps: []float64{sd, 1},
			Even:  make([]bool, 2), Limits: limits}
		for name, of := range map[string]interface {
			Redraw(*mat.Dense, []int, *mat.Dense, *rand.Rand) error
		}{"equations": equations, "densities": densities} {
			x := mat.DenseCopyOf(begin)
			rng := rand.New(rand.NewPCG(3, 1))
			for range 4 {
				must.Do(t, of.Redraw(x, places, nil, rng))
			}
			values := mat.Col(nil, 0, x)
			if floats.Min(values) < limit[0] || floats.Max(values) > limit[1] {
				t.Errorf("%s, %v: values from %v to %v", name, limit, floats.Min(values),
					floats.Max(values))
			}
			if got := stat.Mean(values, nil); math.Abs(got-mean) > 5*sd/math.Sqrt(n) {
				t.Errorf("%s, %v: mean %.4f, want %.4f ± %.4f", name, limit, got, mean,
					sd/math.Sqrt(n))
			}
		}
	}
}

// Of a table in which two fifths of a column are known to lie below a limit, and some of another
// between two, completed values lie there, and the moments of the complete table are found again,
// which those of the other rows are far from; in logarithms too.
func TestCompletedLimits(t *testing.T) {
	const n, d = 600, 3
	rng := rand.New(rand.NewPCG(5, 9))
	whole := correlated(n, d, rng)
	for _, logs := range []bool{false, true} {
		x := mat.DenseCopyOf(whole)
		column := func(x *mat.Dense) []float64 {
			y := mat.Col(nil, 1, x)
			if logs {
				for i := range y {
					y[i] = math.Log(y[i])
				}
			}
			return y
		}
		if logs {
			for i := range n {
				x.Set(i, 1, math.Exp((x.At(i, 1)-100)/1.5))
			}
		}
		truth := mat.DenseCopyOf(x)
		limit := stat.Quantile(0.4, stat.Empirical, sorted(mat.Col(nil, 1, x)), nil)
		lowest := math.Inf(-1)
		if logs {
			lowest = 0
		}
		var limits impute.Limits
		for i := range n {
			if x.At(i, 1) < limit {
				x.Set(i, 1, math.NaN())
				limits = append(limits, impute.Limit{Place: i*d + 1, Low: lowest, High: limit})
			}
			if v := x.At(i, 2); i%5 == 0 {
				x.Set(i, 2, math.NaN())
				limits = append(limits, impute.Limit{Place: i*d + 2, Low: math.Floor(v/10) * 10,
					High: math.Floor(v/10)*10 + 10})
			}
		}
		c := complete(t, x, impute.Settings{Count: 4, Seed: 2, Limits: limits})
		want := column(truth)
		mean, sd := stat.MeanStdDev(want, nil)
		correlation := stat.Correlation(want, mat.Col(nil, 0, truth), nil)
		for k := range c.Count() {
			filled := c.Table(k)
			for _, l := range limits {
				if v := filled.At(l.Place/d, l.Place%d); v < l.Low-1e-9 ||
					v > l.High*(1+1e-12)+1e-9 {
					t.Fatalf("logs %v: %v outside of [%v, %v]", logs, v, l.Low, l.High)
				}
			}
			got := column(filled)
			m, s := stat.MeanStdDev(got, nil)
			r := stat.Correlation(got, mat.Col(nil, 0, truth), nil)
			if math.Abs(m-mean) > 0.08*sd || math.Abs(s/sd-1) > 0.08 ||
				math.Abs(r-correlation) > 0.05 {
				t.Errorf("logs %v: mean %.3f, sd %.3f, correlation %.3f, want %.3f, %.3f, %.3f",
					logs, m, s, r, mean, sd, correlation)
			}
		}
		if got := c.Diagnostics.Columns[1]; got.Method != impute.Normal || got.Information <= 0 {
			t.Errorf("logs %v: column %+v", logs, got)
		}
	}
}

func sorted(v []float64) []float64 { floats.Argsort(v, make([]int, len(v))); return v }

// A value without limits is drawn as without the setting, and what are no limits of gaps panics.
func TestLimitsOfOtherPlaces(t *testing.T) {
	x := correlated(20, 2, rand.New(rand.NewPCG(1, 1)))
	x.Set(3, 1, math.NaN())
	for _, l := range []impute.Limits{
		{{Place: 6, Low: 0, High: 1}},
		{{Place: 7, Low: 1, High: 1}},
		{{Place: 70, Low: 0, High: 1}},
		{{Place: 7, Low: 0, High: 1}, {Place: 7, Low: 0, High: 1}},
		{{Place: 7, Low: math.NaN(), High: 1}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v was taken", l)
				}
			}()
			complete(t, x, impute.Settings{Limits: l})
		}()
	}
	x.Set(4, 0, math.NaN())
	x.Set(4, 1, math.NaN())
	one := impute.Limits{{Place: 9, Low: 90, High: 110}}
	if v := complete(t, x, impute.Settings{Count: 1, Limits: one}).Table(0).At(4, 1); v < 90 ||
		v > 110 {
		t.Errorf("a row without values has %v", v)
	}
}
