package graphchains

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tobac/dag"
	"tobac/diagnostics"
	"tobac/internal/mcmc"
	"tobac/internal/scoretest"
	"tobac/score"
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
	s, err := mcmc.New(t.Context(), groups, score.Uniform(5), mcmc.Options{Chains: 4, Rungs: 1,
		WarmUp: 100, Starts: []*dag.Graph{forth, back}, Apart: true})
	if err != nil {
		t.Fatal(err)
	}
	e := &Settings{Chains: 4, WarmUp: 100, ESS: math.MaxInt32}
	for s.Iterations() < 400 {
		if e.agree(s) {
			t.Fatalf("ends after %d iterations", s.Iterations())
		}
		if err := s.Advance(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
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
