package tobac_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/effects"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/internal/drawn"
	"tobac/internal/must"
	"tobac/internal/scoretest"
	"tobac/posterior"
	"tobac/score"
	"tobac/sem"
)

// chainTable has n rows of d columns in a chain with units of their own.
func chainTable(d, n int, seed uint64) *dataset.Table {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			v := rng.NormFloat64() * float64(j+1)
			if j > 0 {
				v += 0.8 * x.At(i, j-1)
			}
			x.Set(i, j, v)
		}
	}
	t := &dataset.Table{X: x}
	for j := range d {
		t.Names = append(t.Names, fmt.Sprintf("X%d", j))
	}
	return t
}

// Means of effects and probabilities of paths against the sum over all graphs, each with its
// closed-form posterior: the weights of different equations are independent, and a path takes at
// most one of each, so that the mean of an effect given the graph is the effect of the mean
// weights.
func TestEffectsAgainstEnumeration(t *testing.T) {
	for _, d := range []int{2, 3, 4} {
		table := chainTable(d, 30, uint64(d))
		bge := sem.BGe{AlphaLambda: float64(d + 2)}
		for _, row := range []struct {
			name  string
			model sem.Model
		}{{"bge", bge}, {"linear", sem.Linear{NoiseVariance: 2, EdgeVariance: 1}}} {
			r := must.Get(tobac.Fit(context.Background(), table,
				tobac.Config{Model: row.model, Engine: &sums.Exact{},
					Prior: background.Prior{Kind: background.Uniform}, Seed: 3}))(t)
			hypotheses, err := nodeScores(row.model).Hypotheses(context.Background(), table, nil, 1)
			if err != nil || len(hypotheses) != 1 {
				t.Fatal(err, len(hypotheses))
			}
			s := hypotheses[0].Scores.(score.Weighted)
			graphs := scoretest.Graphs(d)
			logs, mean, paths := make([]float64, len(graphs)), mat.NewDense(d, d, nil),
				mat.NewDense(d, d, nil)
			for k, g := range graphs {
				for j := range d {
					logs[k] += s.LogScore(j, g.Parents(j))
				}
			}
			total := floats.LogSumExp(logs)
			for k, g := range graphs {
				p := math.Exp(logs[k] - total)
				w := mat.NewDense(d, d, nil)
				for j := range d {
					q := s.Equation(j, g.Parents(j))
					for a, i := range g.Parents(j) {
						w.Set(i, j, q.Mean[a])
					}
				}
				reached := g.Closure()
				for i := range d {
					for j := range d {
						if i != j && reached.Has(i, j) {
							paths.Set(i, j, paths.At(i, j)+p)
							mean.Set(i, j, mean.At(i, j)+p*sumOfPaths(g, w, i, j))
						}
					}
				}
			}
			e := must.Get(r.Effects(context.Background()))(t)
			sigma := 1 / math.Sqrt(e.EffectiveDraws())
			for i := range d {
				for _, f := range e.Of(i) {
					p := paths.At(i, f.To)
					// 24 comparisons of each kind in all: 4.5 sigmas.
					if math.Abs(f.Path-p) > 4.5*sigma*math.Sqrt(p*(1-p))+1e-9 {
						t.Errorf("%s, d = %d: path %d to %d has the probability %.4f, want %.4f",
							row.name, d, i, f.To, f.Path, p)
					}
					if p*e.EffectiveDraws() < 10 {
						continue // hardly a draw has the path, and the spread of none is no sigma
					}
					if want := mean.At(i, f.To); math.Abs(f.Mean-want) > 4.5*sigma*f.SD+1e-9 {
						t.Errorf("%s, d = %d: effect of %d on %d is %.4f ± %.4f, want %.4f",
							row.name, d, i, f.To, f.Mean, f.SD, want)
					}
				}
			}
		}
	}
}

func sumOfPaths(g *dag.Graph, w *mat.Dense, from, to int) float64 {
	if from == to {
		return 1
	}
	sum := 0.0
	for _, i := range g.Parents(to) {
		sum += sumOfPaths(g, w, from, i) * w.At(i, to)
	}
	return sum
}

// Given the complete graph along an order, the model is one normal distribution: the total
// effect and E[x | do] have the posterior that regression gives, ± included.
func TestPredictionsOfARegression(t *testing.T) {
	table := chainTable(2, 50, 9)
	r := must.Get(tobac.Fit(context.Background(), table, tobac.Config{
		Model: sem.BGe{AlphaLambda: 4}, Engine: &sums.Exact{},
		Order: engine.Order{Known: []int{0, 1}},
		Prior: background.Prior{Required: []dag.Edge{{From: 0, To: 1}}},
	}))(t)
	e := must.Get(r.Effects(context.Background()))(t)
	x, y := mat.Col(nil, 0, table.X), mat.Col(nil, 1, table.X)
	mx, my := floats.Sum(x)/50, floats.Sum(y)/50
	sxx, sxy, syy := 0., 0., 0.
	for i := range x {
		sxx, sxy, syy = sxx+(x[i]-mx)*(x[i]-mx), sxy+(x[i]-mx)*(y[i]-my), syy+(y[i]-my)*(y[i]-my)
	}
	slope := sxy / sxx
	variance := (syy - slope*sxy) / 48
	f := e.Of(0)[0]
	// The prior is worth about two rows of fifty, and a thousand draws give a standard deviation to
	// 2 %.
	if math.Abs(f.Mean-slope) > 0.4*f.SD ||
		math.Abs(math.Log(f.SD/math.Sqrt(variance/sxx))) > 0.12 || f.Path != 1 {
		t.Errorf("effect %+v, regression %.4f ± %.4f", f, slope, math.Sqrt(variance/sxx))
	}
	for _, a := range []float64{mx, mx + 2} {
		all := must.Get(e.Do([]effects.Setting{{Var: 0, Value: a}}))(t)
		of := variance * (1./50 + (a-mx)*(a-mx)/sxx)
		p := all[0]
		if math.Abs(p.Mean.Mean-(my+slope*(a-mx))) > 0.4*p.Mean.SD ||
			math.Abs(math.Log(p.Mean.SD/math.Sqrt(of))) > 0.12 {
			t.Errorf("E[y | do(x = %v)] is %v ± %v, regression %v ± %v", a, p.Mean.Mean, p.Mean.SD,
				my+slope*(a-mx), math.Sqrt(of))
		}
		// t with 48 degrees of freedom
		if width := p.New.Q95 -
			p.New.Q05; math.Abs(math.Log(width/(2*1.677*math.Sqrt(of+variance)))) > 0.08 {
			t.Errorf("a new observation lies in an interval of %v, regression %v", width,
				2*1.677*math.Sqrt(of+variance))
		}
	}
}

// Multiplying and shifting columns maps effects and predictions under unequal noise
// variances exactly: to the rounding of the arithmetic.
func TestEffectsFollowUnits(t *testing.T) {
	table := chainTable(4, 60, 2)
	unit, shift := []float64{1000, 0.001, 12, 2.54}, []float64{-5, 1e3, 0, 273.15}
	moved := &dataset.Table{Names: table.Names, X: mat.DenseCopyOf(table.X)}
	moved.X.Apply(func(_, j int, v float64) float64 { return unit[j]*v + shift[j] }, moved.X)
	var all [2]*effects.Effects
	for k, data := range []*dataset.Table{table, moved} {
		r := must.Get(tobac.Fit(context.Background(), data,
			tobac.Config{Model: sem.BGe{}, Engine: &sums.Exact{}}))(t)
		all[k] = must.Get(r.Effects(context.Background()))(t)
	}
	same := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*(1+math.Abs(b)) }
	for from := range 4 {
		want := all[0].Of(from)
		for k, f := range all[1].Of(from) {
			by := unit[from] / unit[f.To]
			w := want[k]
			if !same(f.Path, w.Path) || !same(f.InSD, w.InSD) || !same(by*f.Mean, w.Mean) ||
				!same(by*f.SD, w.SD) || !same(by*f.Q05, w.Q05) || !same(by*f.Q95, w.Q95) {
				t.Errorf("effect %+v, in other units %+v", w, f)
			}
		}
	}
	plain := must.Get(all[0].Do([]effects.Setting{{Var: 1, Value: 2}}))(t)
	other := must.Get(all[1].Do([]effects.Setting{{Var: 1, Value: 2*unit[1] + shift[1]}}))(t)
	for k, p := range plain {
		back := func(v float64) float64 { return (v - shift[p.Var]) / unit[p.Var] }
		if q := other[k]; !same(back(q.Mean.Mean), p.Mean.Mean) ||
			!same(q.Mean.SD/unit[p.Var], p.Mean.SD) || !same(back(q.New.Q05), p.New.Q05) {
			t.Errorf("prediction %+v, in other units %+v", p, other[k])
		}
	}
}

// Networks: E[x | do(a)] of a draw without noise in the parents is the network's output, and
// effects know means alone. Graphs without parameters have no effects.
func TestEffectsOfOtherModels(t *testing.T) {
	table := chainTable(3, 30, 4)
	sampler := stein.SVGD{Particles: 4, Steps: 20, Samples: 8}
	r := must.Get(tobac.Fit(context.Background(), table,
		tobac.Config{Model: sem.FeedForward{Hidden: []int{3}},
			Order: engine.Order{Known: []int{2, 0, 1}}, Engine: &sampler}))(t)
	e := must.Get(r.Effects(context.Background()))(t)
	if e.FromPosterior() || len(e.Weights) != 4 {
		t.Errorf("from the posterior %v, %d draws", e.FromPosterior(), len(e.Weights))
	}
	rows := must.Get(e.Means([]effects.Setting{{Var: 0, Value: 1.5}, {Var: 2, Value: -0.5}}))(t)
	s := r.Standardization // of the networks
	scaled := func(j int, v float64) float64 { return (v - s.Mean[j]) / s.SD[j] }
	for m, draw := range r.Draws {
		// Parameters are those of the order X2, X0, X1: variable 1 is at position 2, with
		// inputs at 0 (X2) and 1 (X0).
		theta, want := draw.Parameters, 0.0
		w1, b1 := theta[2*3*3:], theta[27+2*3:]
		w2, b2 := theta[27+9+2*3:], theta[27+9+9+2]
		for a := range 3 {
			h := b1[a]
			if draw.Graph.Has(2, 1) {
				h += scaled(2, -0.5) * w1[a]
			}
			if draw.Graph.Has(0, 1) {
				h += scaled(0, 1.5) * w1[3+a]
			}
			want += math.Max(h, 0) * w2[a]
		}
		if want = s.Mean[1] +
			s.SD[1]*(want+b2); math.Abs(rows[m][1]-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("draw %d: E[x1 | do] is %v, the network gives %v", m, rows[m][1], want)
		}
	}
	for _, model := range []sem.Model{sem.BGe{Raw: true}} {
		r := must.Get(tobac.Fit(context.Background(), table,
			tobac.Config{Model: model, Order: engine.Order{Known: []int{0, 1, 2}},
				Engine: &sampler}))(t)
		if _, err := r.Effects(context.Background()); !errors.Is(err, effects.ErrNoParameters) ||
			!strings.Contains(err.Error(), "no parameters") {
			t.Errorf("%v: error %v", model, err)
		}
	}
	other := &posterior.Posterior{Names: []string{"a"}, Model: "x",
		Draws: []posterior.Draw{{Graph: dag.New(1), Parameters: []float64{1}}}}
	if _, err := drawn.EffectsOf(other, nil, 1); err == nil {
		t.Error("unknown model, no error")
	}
}

// Gaussian processes: the effect of x on y = x² + ε is the average slope, on rows from
// 0 to 4 about that from q05 to q95, with a standard deviation that fits; workers change nothing.
func TestEffectsOfProcesses(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	x := mat.NewDense(120, 3, nil)
	for i := range 120 {
		v := 4 * rng.Float64()
		x.SetRow(i, []float64{v, v*v + 0.5*rng.NormFloat64(), rng.NormFloat64()})
	}
	table := &dataset.Table{Names: []string{"x", "y", "z"}, X: x}
	var first []effects.Effect
	for _, workers := range []int{1, 5} {
		r := must.Get(tobac.Fit(context.Background(), table,
			tobac.Config{Model: sem.GaussianProcess{}, Engine: &sums.Exact{}, Workers: workers}))(t)
		stopped, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := r.Effects(stopped); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		e := must.Get(r.Effects(context.Background()))(t)
		all := must.Get(e.All(context.Background(), workers))(t)
		if first == nil {
			first = all
		} else if fmt.Sprint(first) != fmt.Sprint(all) {
			t.Error("effects differ between 1 and 5 workers")
		}
		low, high := r.Columns[0].Quantiles[0], r.Columns[0].Quantiles[4]
		f := all[0]
		if f.From != 0 || f.To != 1 || f.Path < 0.99 || math.Abs(f.Mean-low-high) > 3.5*f.SD ||
			f.SD > 0.2 || f.Q05 >= f.Mean || f.Q95 <= f.Mean {
			t.Errorf("effect %+v, want %.3f", f, low+high)
		}
		curve, _ := must.Two(e.Curve(0, []float64{1, 3}, 1))(t)
		// The noise has a standard deviation of 0.5, 120 rows leave about 0.12; four of them.
		if math.Abs(curve[0][0].Mean.Mean-1) > 0.5 || math.Abs(curve[1][0].Mean.Mean-9) > 0.5 {
			t.Errorf("E[y | do(x)] is %v at 1 and %v at 3", curve[0], curve[1])
		}
	}
}

// Two completed tables that differ in the level of y: half of the functions are those of each, so
// that y is expected half way between.
func TestEffectsOfProcessesImputed(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(22, 1))
	x := mat.NewDense(n, 2, nil)
	var places []int
	for i := range n {
		v := rng.NormFloat64()
		x.SetRow(i, []float64{v, v + 0.5*rng.NormFloat64()})
		places = append(places, 2*i+1)
	}
	names := []string{"x", "y"}
	const shift = 20
	r := must.Get(tobac.FitImputed(context.Background(),
		tobac.Imputed{Count: 2, Places: places, Table: func(k int) *dataset.Table {
			moved := mat.DenseCopyOf(x)
			moved.Apply(func(_, j int, v float64) float64 { return v + float64(j*k*shift) }, moved)
			return &dataset.Table{Names: names, X: moved}
		}}, tobac.Config{Model: sem.GaussianProcess{}, Engine: &sums.Exact{}, Workers: 2}))(t)
	e := must.Get(r.Effects(context.Background()))(t)
	free := must.Get(e.Do(nil))(t)
	// Each half is known to about a tenth of the standard deviation of y.
	if y := free[1]; math.Abs(y.Mean.Mean-shift/2) > 0.5 || math.Abs(y.Mean.Q05) > 1 ||
		math.Abs(y.Mean.Q95-shift) > 1 {
		t.Errorf("expected y: %+v, want 0 or %d", y.Mean, shift)
	}
}
