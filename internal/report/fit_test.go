package report_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/internal/report"
	"tobac/posterior"
)

// chain is a posterior of draws over x0 → x1 → x2 with x_j = b + w x_{j−1}, and a second
// kind of draw without an edge, of the weight empty.
func chain(w, b float64, empty float64) *posterior.Posterior {
	p := &posterior.Posterior{Names: names(3), Kind: posterior.Draws}
	add := func(g *dag.Graph, weight float64) {
		e := &posterior.Equations{Weights: mat.NewDense(3, 3, nil), Intercepts: make([]float64, 3)}
		for _, edge := range g.Edges() {
			e.Weights.(*mat.Dense).Set(edge.From, edge.To, w)
			e.Intercepts[edge.To] = b
		}
		p.Draws = append(p.Draws,
			posterior.Draw{Graph: g, LogWeight: math.Log(weight), Equations: e})
	}
	line := dag.New(3)
	line.Set(0, 1, true)
	line.Set(1, 2, true)
	add(line, 1-empty)
	add(dag.New(3), empty)
	return p
}

// rows simulates the chain with noise of a standard deviation.
func rows(n int, w, b, sd float64, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 2))
	x := mat.NewDense(n, 3, nil)
	for r := range n {
		x.Set(r, 0, rng.NormFloat64())
		for j := 1; j < 3; j++ {
			x.Set(r, j, b+w*x.At(r, j-1)+sd*rng.NormFloat64())
		}
	}
	return x
}

func TestFitColumns(t *testing.T) {
	x := rows(400, 2, 5, 0.5, 1)
	fits := report.FitColumns(chain(2, 5, 0.25), x, nil)
	for j, want := range []struct {
		parents     []string
		probability float64
		r2          float64 // of the simulated equation
		sd          float64
	}{{nil, 1, 0, 1}, {[]string{"X0"}, 0.75, 4 / 4.25, 0.5},
		{[]string{"X1"}, 0.75, 17 / 17.25, 0.5}} {
		f := fits[j]
		if !slices.Equal(f.Parents, want.parents) ||
			!(math.Abs(f.Probability-want.probability) <= 1e-12) || f.Rows != 400 {
			t.Errorf("column %d: %+v", j, f)
		}
		// Three standard errors of 400 rows: .02 of R², .054 and .106 of the deviations.
		if !(math.Abs(f.R2-want.r2) <= 0.02) || !(math.Abs(f.ResidualSD-want.sd) <= 0.11*want.sd) {
			t.Errorf("column %d: R² %g and SD %g, want about %g and %g", j, f.R2, f.ResidualSD,
				want.r2, want.sd)
		}
		for _, c := range []report.Check{f.Normal, f.EqualVariance, f.Linear} {
			if c.Failed() {
				t.Errorf("column %d: %+v fails on data of the model", j, c)
			}
		}
	}
	if fits[0].Linear.Text != "no parents" || !math.IsNaN(fits[0].Linear.P) {
		t.Errorf("linearity without parents: %+v", fits[0].Linear)
	}
}

// Rows that say nothing about an equation change nothing: values set by intervention, and
// missing ones.
func TestFitColumnsLeavesRowsOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(30, 60).Draw(t, "n")
		x := rows(n, 1, 0, 1, rapid.Uint64().Draw(t, "seed"))
		clean := report.FitColumns(chain(1, 0, 0.1), x, nil)
		more, set := mat.NewDense(2*n, 3, nil), mat.NewDense(2*n, 3, nil)
		for r := range 2 * n {
			more.SetRow(r, x.RawRowView(r%n))
			if r < n {
				continue
			}
			for j := range 3 {
				switch {
				case r%2 == 0:
					more.Set(r, j, math.NaN())
				default:
					set.Set(r, j, 1)
					more.Set(r, j, 1000)
				}
			}
		}
		if diff := cmp.Diff(clean, report.FitColumns(chain(1, 0, 0.1), more, set),
			cmp.Comparer(equalNaN)); diff != "" {
			t.Errorf("(-alone +with rows that say nothing):\n%s", diff)
		}
	})
}

func equalNaN(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// Data and equations in other units have the same fit.
func TestFitColumnsDoesNotDependOnUnits(t *testing.T) {
	x := rows(200, 2, 5, 0.5, 3)
	p := chain(2, 5, 0.25)
	want := report.FitColumns(p, x, nil)
	scale, shift := []float64{1024, 0.25, 8}, []float64{3, -7, 11}
	y := mat.DenseCopyOf(x)
	y.Apply(func(_, j int, v float64) float64 { return scale[j]*v + shift[j] }, y)
	for _, draw := range p.Draws {
		for _, e := range draw.Graph.Edges() {
			w := draw.Equations.Weights.At(e.From, e.To)
			draw.Equations.Weights.(*mat.Dense).Set(e.From, e.To, w*scale[e.To]/scale[e.From])
		}
		for j := range 3 {
			b := scale[j]*draw.Equations.Intercepts[j] + shift[j]
			for i := range 3 {
				b -= draw.Equations.Weights.At(i, j) * shift[i]
			}
			draw.Equations.Intercepts[j] = b
		}
	}
	got := report.FitColumns(p, y, nil)
	near := func(a, b float64) bool {
		return equalNaN(a, b) || math.Abs(a-b) <= 1e-9*(math.Abs(a)+math.Abs(b))
	}
	for j := range want {
		want[j].ResidualSD *= scale[j]
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(near)); diff != "" {
		t.Errorf("in other units (-want +got):\n%s", diff)
	}
	// The scale of the equations is that of the posterior; the deviation stays in units of the
	// data.
	p.Standardization = &posterior.Standardization{Mean: make([]float64, 3), SD: []float64{2, 3, 4}}
	if f := report.FitColumns(p, y,
		nil); !(math.Abs(f[1].ResidualSD-3*got[1].ResidualSD) <= 1e-12*f[1].ResidualSD) {
		t.Errorf("residual SD %g on a scale of 3, %g without", f[1].ResidualSD, got[1].ResidualSD)
	}
}

func TestFitColumnsWithoutEquations(t *testing.T) {
	p := chain(1, 0, 0.1)
	for k := range p.Draws {
		p.Draws[k].Equations = nil
	}
	if f := report.FitColumns(p, rows(30, 1, 0, 1, 1), nil); f != nil {
		t.Errorf("fits of draws without equations: %+v", f)
	}
	if f := report.FitColumns(&posterior.Posterior{Names: names(3)}, rows(30, 1, 0, 1, 1),
		nil); f != nil {
		t.Errorf("fits without draws: %+v", f)
	}
}

// Data that break one assumption fail that check.
func TestChecksFindWhatTheyAreFor(t *testing.T) {
	p := chain(1, 0, 0.1)
	simulate := func(noise func(x, e float64) float64) []report.ColumnFit {
		rng := rand.New(rand.NewPCG(9, 9))
		x := mat.NewDense(500, 3, nil)
		for r := range 500 {
			v := rng.NormFloat64()
			x.SetRow(r, []float64{v, noise(v, rng.NormFloat64()), rng.NormFloat64()})
		}
		return report.FitColumns(p, x, nil)
	}
	if f := simulate(func(x, e float64) float64 {
		return x + math.Exp(e)
	})[1]; !f.Normal.Failed() || f.EqualVariance.Failed() || f.Linear.Failed() {
		t.Errorf("skewed noise: %+v", f)
	}
	if f := simulate(func(x, e float64) float64 {
		return x + math.Exp(x)*e
	})[1]; !f.EqualVariance.Failed() {
		t.Errorf("noise of unequal variance: %+v", f)
	}
	if f := simulate(func(x, e float64) float64 { return x + x*x + e })[1]; !f.Linear.Failed() {
		t.Errorf("a parabola: %+v", f)
	}
}

// Constant and few columns end in words, never in NaN verdicts or panics.
func TestChecksOfDegenerateColumns(t *testing.T) {
	p := chain(1, 0, 0.1)
	for name, x := range map[string]*mat.Dense{
		"constant": mat.NewDense(40, 3, nil),
		"two rows": rows(2, 1, 0, 1, 1),
		"one row":  rows(1, 1, 0, 1, 1),
		"binary": func() *mat.Dense {
			x := rows(60, 1, 0, 1, 1)
			x.Apply(func(_, _ int, v float64) float64 { return math.Round(0.5 + 0.5*math.Tanh(v)) },
				x)
			return x
		}(),
		"exact": rows(40, 1, 0, 0, 1),
	} {
		for _, f := range report.FitColumns(p, x, nil) {
			for _, c := range []report.Check{f.Normal, f.EqualVariance, f.Linear} {
				if c.Text == "" || c.P < 0 || c.P > 1 {
					t.Errorf("%s: %+v", name, c)
				}
			}
		}
	}
}

// Ancestors and numbers of edges are sums over draws, here by hand.
func TestAncestorsAndEdgeCounts(t *testing.T) {
	p := chain(1, 0, 0.25)
	want := mat.NewDense(3, 3, []float64{0, 0.75, 0.75, 0, 0, 0.75, 0, 0, 0})
	if got := report.Ancestors(p); !mat.EqualApprox(got, want, 1e-12) {
		t.Errorf("ancestors %v", mat.Formatted(got))
	}
	if got := report.EdgeCounts(p); len(got) != 3 || !(math.Abs(got[0]-0.25) <= 1e-12) ||
		got[1] != 0 || !(math.Abs(got[2]-0.75) <= 1e-12) {
		t.Errorf("numbers of edges %v", got)
	}
	none := &posterior.Posterior{Names: names(3)}
	if report.Ancestors(none) != nil || report.EdgeCounts(none) != nil {
		t.Error("ancestors or numbers of edges without draws")
	}
}
