package effects_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/effects"
	"tobac/internal/must"
	"tobac/posterior"
)

// asFunctions are linear equations behind the interface of nonlinear ones.
type asFunctions struct{ *posterior.Equations }

func (e asFunctions) Mean(dst []float64, j int, parents []int, columns [][]float64) {
	for r := range dst {
		dst[r] = e.Intercepts[j]
		for k, i := range parents {
			dst[r] += e.Weights.At(i, j) * columns[k][r]
		}
	}
}

func (e asFunctions) NoiseVariance(j int) float64 { return e.NoiseVariances[j] }

// Linear equations give the same effects and expected values when they are simulated, on
// either scale: the noise sums to 0.
func TestSimulationOfLinearEquations(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	p := randomPosterior(5, 12, rng)
	x := mat.NewDense(40, 5, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	for _, scale := range []*posterior.Standardization{nil,
		{Mean: []float64{1, -2, 30, 0, 5}, SD: []float64{1, 2, .3, 1e3, 1e-2}}} {
		p.Standardization = scale
		columns := effects.Describe(p.Names, x)
		if scale != nil {
			columns = effects.InDataUnits(columns, scale.Mean, scale.SD)
		}
		exact := must.Get(effects.Linear(p, columns))(t)
		simulated :=
			must.Get(effects.Nonlinear(p, columns, 1, func(m int) (effects.Equations, error) {
				return asFunctions{p.Draws[m].Equations}, nil
			}))(t)
		for from := range 5 {
			want := exact.Of(from)
			for k, f := range simulated.Of(from) {
				if f.Path != want[k].Path || !near(f.Mean, want[k].Mean, 1e-9) ||
					!near(f.SD, want[k].SD, 1e-9) || !near(f.Q95, want[k].Q95, 1e-9) {
					t.Errorf("effect %+v, want %+v", f, want[k])
				}
			}
		}
		set := []effects.Setting{{Var: 2, Value: columns[2].Max}}
		want, _ := exact.Do(set)
		got := must.Get(simulated.Do(set))(t)
		for k, q := range got {
			if !near(q.Mean.Mean, want[k].Mean.Mean, 1e-9) ||
				!near(q.Mean.SD, want[k].Mean.SD, 1e-8) {
				t.Errorf("prediction %+v, want %+v", q, want[k])
			}
			// 128 rows of noise: the standard deviation is right to 1/sqrt(256), four sigmas are
			// 0.25.
			if !(math.Abs(math.Log(q.New.SD/want[k].New.SD)) <= 0.25) {
				t.Errorf("a new observation has the standard deviation %v, want %v", q.New.SD,
					want[k].New.SD)
			}
		}
	}
}

// squares has x1 = x0² + ε and x2 = x1² + ε.
type squares struct{}

func (squares) Mean(dst []float64, _ int, parents []int, columns [][]float64) {
	for r := range dst {
		dst[r] = 0
		for k := range parents {
			dst[r] += columns[k][r] * columns[k][r]
		}
	}
}

func (squares) NoiseVariance(int) float64 { return 0.25 }

// By hand: E[x2 | do(x0 = a)] = a⁴ + ¼, and the average slope of E[x1] from q05 to q95 is
// their sum.
func TestSquares(t *testing.T) {
	g := must.Get(dag.FromEdges(3, []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}}))(t)
	p := &posterior.Posterior{Names: []string{"a", "b", "c"}, Kind: posterior.Draws,
		Draws: []posterior.Draw{{Graph: g}}}
	columns := effects.Describe(p.Names, mat.NewDense(2, 3, []float64{1, 0, 0, 3, 1, 1}))
	e := must.Get(effects.Nonlinear(p, columns, 1, func(int) (effects.Equations, error) {
		return squares{}, nil
	}))(t)
	curve, _ := must.Two(e.Curve(0, []float64{0, 2}, 2))(t)
	// The mean of 64 different ε² has the standard error ¼·sqrt(2/64) = 0.044.
	if low, high := curve[0][0].Mean.Mean, curve[1][0].Mean.Mean; !(math.Abs(low-0.25) <= 0.15) ||
		!(math.Abs(high-16.25) <= 0.15) {
		t.Errorf("curve %+v, want 0.25 and 16.25", curve)
	}
	low, high := columns[0].Quantiles[0], columns[0].Quantiles[4]
	if f := e.Of(0)[0]; !near(f.Mean, low+high, 1e-9) || !near(low, 1.1, 1e-12) ||
		!near(high, 2.9, 1e-12) {
		t.Errorf("slope %v between %v and %v", f.Mean, low, high)
	}
	if _, err := effects.Nonlinear(p, nil, 1, nil); err == nil {
		t.Error("no columns, no error")
	}
}
