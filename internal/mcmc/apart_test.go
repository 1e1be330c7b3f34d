package mcmc_test

import (
	"testing"

	"tobac/dag"
	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/internal/scoretest"
	"tobac/score"
)

// Chains that begin apart stay where they begin; else those that begin far below the best graph
// begin there instead.
func TestApart(t *testing.T) {
	groups, forth, back := scoretest.Apart()
	for _, apart := range []bool{false, true} {
		m := must.Get(mcmc.New(t.Context(), groups, score.Uniform(5), mcmc.Options{Chains: 3,
			Rungs: 1, WarmUp: 10, Starts: []*dag.Graph{forth, back}, Apart: apart}))(t)
		must.Do(t, m.Advance(t.Context(), 60))
		r := must.Get(m.Result())(t)
		for _, draw := range r.Draws {
			if got := draw.Graph.Has(3, 0); got != (apart && draw.Chain == 1) {
				t.Fatalf("apart %v: chain %d has %v", apart, draw.Chain, draw.Graph.Edges())
			}
		}
		if apart != (r.Edges.At(3, 0) > 0.3) || m.Apart() != apart {
			t.Errorf("apart %v: the edge back has %v", apart, r.Edges.At(3, 0))
		}
	}
}
