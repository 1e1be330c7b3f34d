package effects_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/effects"
	"tobac/internal/must"
	"tobac/posterior"
)

// constants is a posterior of equally probable draws of one variable without edges, N(mean,
// variance) each, beside a second variable.
func constants(means, variances []float64) *posterior.Posterior {
	p := &posterior.Posterior{Kind: posterior.Draws, Names: []string{"a", "b"}}
	for k, mean := range means {
		p.Draws = append(p.Draws,
			posterior.Draw{Graph: dag.New(2), LogPrior: math.NaN(), LogLikelihood: math.NaN(),
				Equations: &posterior.Equations{Weights: mat.NewDense(2, 2, nil),
					Intercepts: []float64{mean, 0}, NoiseVariances: []float64{variances[k], 1}}})
	}
	p.Marginals = p.Frequencies()
	return p
}

// A new observation has the variance E[Var] + Var[E] over the draws, the mean of the observations
// only the latter; quantiles are those of the mixture.
func TestMixtureOfDraws(t *testing.T) {
	e := must.Get(effects.Linear(constants([]float64{-3, 3}, []float64{1, 4}), nil))(t)
	all := must.Get(e.Do([]effects.Setting{{Var: 1, Value: 0}}))(t)
	got := all[0].New
	if want := math.Sqrt((1+4)/2.0 + 9); !near(got.SD, want, 1e-12) || got.Mean != 0 ||
		!near(all[0].Mean.SD, 3, 1e-12) {
		t.Errorf("new observation %+v, its mean %+v, want the standard deviations %v and 3", got,
			all[0].Mean, want)
	}
	normal := func(v, mean, sd float64) float64 { return 0.5 * math.Erfc((mean-v)/sd/math.Sqrt2) }
	for q, v := range map[float64]float64{0.05: got.Q05, 0.5: got.Q50, 0.95: got.Q95} {
		if below := (normal(v, -3, 1) + normal(v, 3, 2)) / 2; !near(below, q, 1e-9) {
			t.Errorf("the quantile %v at %v has %v below it", v, q, below)
		}
	}
	if n := e.EffectiveDraws(); !near(n, 2, 1e-12) {
		t.Errorf("two draws of equal weight are worth %v", n)
	}
}

// Columns must be as many as the variables, and a warning is about variables that exist.
func TestColumnsAndVariablesFit(t *testing.T) {
	p := constants([]float64{1}, []float64{1})
	columns := effects.Describe([]string{"a", "b", "c"},
		mat.NewDense(2, 3, []float64{0, 0, 0, 1, 1, 1}))
	if _, err := effects.Linear(p, columns); err == nil ||
		err.Error() != "effects: 3 columns for 2 variables" {
		t.Errorf("three columns: error %v", err)
	}
	if _, err := effects.Linear(p, columns[:1]); err == nil ||
		err.Error() != "effects: 1 columns for 2 variables" {
		t.Errorf("one column: error %v", err)
	}
	e := must.Get(effects.Linear(p, columns[:2]))(t)
	for _, v := range []int{-1, 2, 7} {
		if w := e.Warnings([]effects.Setting{{Var: v, Value: 100}}); len(w) != 0 {
			t.Errorf("variable %d, which does not exist: %q", v, w)
		}
	}
	if w := e.Warnings([]effects.Setting{{Var: 1, Value: 100}}); len(w) != 1 {
		t.Errorf("a value out of range: %q", w)
	}
}
