package impute_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"tobac/internal/impute"
	"tobac/internal/must"
)

// equations on the graph 0 → 1 → 2, 0 → 2, 2 → 3.
func someEquations() *impute.Equations {
	w := mat.NewDense(4, 4, nil)
	w.Set(0, 1, 0.8)
	w.Set(1, 2, -1.5)
	w.Set(0, 2, 0.6)
	w.Set(2, 3, 2)
	return &impute.Equations{Weights: w, Intercepts: []float64{1, -2, 3, 0.5},
		Variances: []float64{1, 0.5, 2, 0.3}}
}

// joint is the mean and the covariance matrix of the variables by simulation's algebra, (I − Wᵀ)⁻¹
// b and (I − Wᵀ)⁻¹ D (I − W)⁻¹; a variable that was set has no parents, and any distribution will
// do for it, since it is conditioned on.
func joint(e *impute.Equations, set []float64) (mean *mat.VecDense, cov *mat.Dense) {
	d := len(e.Intercepts)
	system, noise, b := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil), mat.NewVecDense(d, nil)
	for j := range d {
		system.Set(j, j, 1)
		noise.Set(j, j, e.Variances[j])
		b.SetVec(j, e.Intercepts[j])
		for i := range d {
			if i != j && set[j] == 0 {
				system.Set(j, i, -e.Weights.At(i, j))
			}
		}
	}
	var inverse, half mat.Dense
	if err := inverse.Inverse(system); err != nil {
		panic(err)
	}
	mean, cov = new(mat.VecDense), new(mat.Dense)
	mean.MulVec(&inverse, b)
	half.Mul(&inverse, noise)
	cov.Mul(&half, inverse.T())
	return mean, cov
}

// Values are drawn from the conditional normal distribution, here by blocks of the covariance
// matrix, with interventions and without: each gap alone has uniform quantiles, and so has the
// difference of two gaps of a row. Kolmogorov's bound has a probability of 1e-4.
func TestRedraw(t *testing.T) {
	e := someEquations()
	for _, row := range []struct {
		gaps []int
		set  []float64
	}{
		{[]int{2}, []float64{0, 0, 0, 0}}, {[]int{0, 2}, []float64{0, 0, 0, 0}},
		{[]int{0, 1, 2, 3}, []float64{0, 0, 0, 0}},
		{[]int{0, 1}, []float64{0, 0, 1, 0}}, {[]int{0}, []float64{0, 1, 1, 0}},
		{[]int{1, 3}, []float64{1, 0, 0, 0}},
	} {
		t.Run(fmt.Sprint(row), func(t *testing.T) {
			const n = 3000
			given := []float64{0.3, 1.7, -2, 4}
			x, marks, places := mat.NewDense(n, 4, nil), mat.NewDense(n, 4, nil), []int{}
			for i := range n {
				x.SetRow(i, given)
				marks.SetRow(i, row.set)
				for _, j := range row.gaps {
					x.Set(i, j, math.NaN()) // what was there must not matter
					places = append(places, 4*i+j)
				}
			}
			must.Do(t, e.Redraw(x, places, marks, rand.New(rand.NewPCG(1, 2))))
			mean, cov := conditionalOn(e, row.set, row.gaps, given)
			check := func(what string, contrast []float64) {
				centre, variance := 0.0, 0.0
				for a, u := range contrast {
					centre += u * mean[a]
					for b, v := range contrast {
						variance += u * v * cov.At(a, b)
					}
				}
				normal := distuv.Normal{Mu: centre, Sigma: math.Sqrt(variance)}
				var quantiles []float64
				for i := range n {
					v := 0.0
					for a, j := range row.gaps {
						v += contrast[a] * x.At(i, j)
					}
					quantiles = append(quantiles, normal.CDF(v))
				}
				if got, most := kolmogorov(quantiles), 2.23/math.Sqrt(n); got > most {
					t.Errorf("%s: the distance from the conditional distribution is %.4f, want "+
						"at most %.4f", what, got, most)
				}
			}
			for a := range row.gaps {
				alone := make([]float64, len(row.gaps))
				alone[a] = 1
				check(fmt.Sprintf("gap %d", a), alone)
			}
			if len(row.gaps) > 1 {
				difference := make([]float64, len(row.gaps))
				difference[0], difference[1] = 1, -1
				check("difference", difference)
			}
			for j, v := range given {
				if got := x.At(7, j); !strings.Contains(fmt.Sprint(row.gaps), fmt.Sprint(j)) &&
					got != v {
					t.Errorf("the value of column %d changed from %v to %v", j, v, got)
				}
			}
		})
	}
}

// conditionalOn are mean and covariance of the gaps given the other values.
func conditionalOn(e *impute.Equations, set []float64, gaps []int, given []float64) ([]float64,
	*mat.Dense) {
	mean, cov := joint(e, set)
	var o []int
	for j := range given {
		if !strings.Contains(fmt.Sprint(gaps), fmt.Sprint(j)) {
			o = append(o, j)
		}
	}
	block := func(a, b []int) *mat.Dense {
		if len(a) == 0 || len(b) == 0 {
			return nil
		}
		m := mat.NewDense(len(a), len(b), nil)
		m.Apply(func(i, j int, _ float64) float64 { return cov.At(a[i], b[j]) }, m)
		return m
	}
	out := make([]float64, len(gaps))
	for a, j := range gaps {
		out[a] = mean.AtVec(j)
	}
	rest := block(gaps, gaps)
	if len(o) == 0 {
		return out, rest
	}
	var inverse, slope, less mat.Dense
	if err := inverse.Inverse(block(o, o)); err != nil {
		panic(err)
	}
	slope.Mul(block(gaps, o), &inverse)
	less.Mul(&slope, block(o, gaps))
	rest.Sub(rest, &less)
	for a := range gaps {
		for b, j := range o {
			out[a] += slope.At(a, b) * (given[j] - mean.AtVec(j))
		}
	}
	return out, rest
}

func TestRedrawPanics(t *testing.T) {
	e := someEquations()
	x, marks := mat.NewDense(2, 4, nil), mat.NewDense(2, 4, nil)
	marks.Set(1, 2, 1)
	rng := rand.New(rand.NewPCG(1, 1))
	for name, do := range map[string]func() error{
		"shape":      func() error { return e.Redraw(mat.NewDense(2, 3, nil), nil, nil, rng) },
		"descending": func() error { return e.Redraw(x, []int{2, 1}, nil, rng) },
		"outside":    func() error { return e.Redraw(x, []int{8}, nil, rng) },
		"set":        func() error { return e.Redraw(x, []int{6}, marks, rng) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "impute: ") {
					t.Errorf("panic %q, want one that begins with the package", text)
				}
			}()
			if err := do(); err != nil {
				t.Error(err)
			}
		})
	}
}
