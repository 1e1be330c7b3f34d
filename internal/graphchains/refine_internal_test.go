package graphchains

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tobac/background"
	"tobac/dag"
	"tobac/diagnostics"
	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/internal/scoretest"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// weighed scores a variable by its number times its number of parents.
type weighed float64

func (w weighed) Vars() int { return 2 }
func (w weighed) LogScore(j int, parents []int) float64 {
	return float64(w) * float64(j*len(parents))
}

// Of several searches those count that ended as high as the best one, in turns. Where no other did,
// the best graph of each counts.
func TestTogether(t *testing.T) {
	empty, one, other := dag.New(2), dag.New(2), dag.New(2)
	one.Set(0, 1, true)
	other.Set(1, 0, true) // as good as none
	a, b, c := []*dag.Graph{one, other}, []*dag.Graph{other}, []*dag.Graph{empty, one}
	for _, x := range []struct {
		weight    weighed
		ends      [][]*dag.Graph
		want      []*dag.Graph
		lost      float64
		scattered bool
	}{
		{5, [][]*dag.Graph{a, c}, []*dag.Graph{one, empty, other, one}, 5, false},
		{5, [][]*dag.Graph{c, a}, []*dag.Graph{one, empty, other, one}, 5, false},
		{50, [][]*dag.Graph{b, a}, []*dag.Graph{one, other}, 50, true},
		{50, [][]*dag.Graph{b, c, a}, []*dag.Graph{one, other, empty}, 50, true},
		{50, [][]*dag.Graph{b, a, a}, []*dag.Graph{one, one, other, other}, 50, false},
	} {
		got := together(x.weight, score.Uniform(2), x.ends)
		if !slices.Equal(got.graphs, x.want) || got.lost != x.lost ||
			got.scattered() != x.scattered {
			t.Errorf("weight %v: %v, %v lost, scattered %v; want %v, %v, %v", x.weight, got.graphs,
				got.lost, got.scattered(), x.want, x.lost, x.scattered)
		}
	}
}

// Chains that stay at the graphs of different searches end, and are said to be apart; more
// iterations are not recommended. Those that meet are judged as others.
func TestScattered(t *testing.T) {
	groups, forth, back := scoretest.Apart()
	s := must.Get(mcmc.New(t.Context(), groups, score.Uniform(5), mcmc.Options{Chains: 4, Rungs: 1,
		WarmUp: 100, Starts: []*dag.Graph{forth, back}, Apart: true}))(t)
	e := &Settings{Chains: 4, WarmUp: 100, ESS: math.MaxInt32}
	for s.Iterations() < 400 {
		if e.agree(s) {
			t.Fatalf("ends after %d iterations", s.Iterations())
		}
		must.Do(t, s.Advance(t.Context(), 100))
	}
	d, err := s.Diagnostics()
	if err != nil || !e.agree(s) {
		t.Fatalf("does not end after %d iterations, %v", s.Iterations(), err)
	}
	f := together(groups, score.Uniform(5), [][]*dag.Graph{{back}, {forth}})
	checks := f.explain(ChainChecks(&d))
	if c := checks[0]; len(checks) != 1 || c.Verdict != diagnostics.Bad ||
		!strings.Contains(c.Text, "2 searches") || !strings.Contains(c.Text, "60 nats") {
		t.Errorf("checks %+v", checks)
	}
	d.Uncertain, d.LogP.RHat = d.Uncertain[:0], 1
	if checks := f.explain(ChainChecks(&d)); checks[0].Verdict != diagnostics.OK ||
		checks[len(checks)-1].Name != "searches" {
		t.Errorf("checks %+v of chains that meet", checks)
	}
}

// Beside an edge on which four chains stand still at 0 and 1, nothing is sure; elsewhere, where
// chains agree, and where knowledge says so, everything stays.
func TestTemper(t *testing.T) {
	apart := diagnostics.EdgeQuantity{From: 0, To: 1,
		Quantity: diagnostics.Quantity{Mean: 0.5, RHat: math.Inf(1), Range: 1}}
	probabilities := func() *mat.Dense {
		return mat.NewDense(4, 4, []float64{
			0, 0.5, 0.99, 0,
			0, 0, 0.01, 0,
			0.01, 0.02, 0, 0.98,
			0, 0, 0.02, 0})
	}
	p, none := probabilities(), background.Prior{}
	temper(p, diagnostics.GraphChains{Uncertain: []diagnostics.EdgeQuantity{apart}}, 4, &none)
	adjacent, direction := 1-0.5*0.2, 0.99-0.49*0.2
	if got := p.At(0, 2); math.Abs(got-adjacent*direction) > 1e-12 {
		t.Errorf("beside: %v, want %v", got, adjacent*direction)
	}
	if got := p.At(0, 2) + p.At(2, 0); math.Abs(got-adjacent) > 1e-12 {
		t.Errorf("beside: adjacent with %v, want %v", got, adjacent)
	}
	if p.At(2, 3) != 0.98 || p.At(2, 1) != 0.02 || p.At(0, 1) != 0.5 {
		t.Errorf("elsewhere:\n%v", mat.Formatted(p))
	}
	known := background.Prior{Required: []dag.Edge{{From: 0, To: 2}}}
	p = probabilities()
	p.Set(0, 2, 1)
	p.Set(2, 0, 0)
	temper(p, diagnostics.GraphChains{Uncertain: []diagnostics.EdgeQuantity{apart}}, 4, &known)
	if p.At(0, 2) != 1 || p.At(2, 0) != 0 {
		t.Errorf("required: %v and %v back", p.At(0, 2), p.At(2, 0))
	}
	apart.RHat = 1.05
	p = probabilities()
	temper(p, diagnostics.GraphChains{Uncertain: []diagnostics.EdgeQuantity{apart}}, 4, &none)
	if !mat.Equal(p, probabilities()) {
		t.Errorf("chains that agree:\n%v", mat.Formatted(p))
	}
}
