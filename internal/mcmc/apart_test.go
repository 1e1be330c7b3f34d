package mcmc_test

import (
	"slices"
	"testing"

	"tobac/dag"
	"tobac/internal/mcmc"
	"tobac/score"
)

// groups scores two graphs far above all others: from three variables to two, and back, less.
func groups() score.Scorer {
	return score.NewFunc(5, func(j int, parents []int) float64 {
		switch {
		case len(parents) == 0:
			return 0
		case j > 2 && slices.Equal(parents, []int{0, 1, 2}):
			return 450
		case j <= 2 && slices.Equal(parents, []int{3, 4}):
			return 280
		}
		return -600
	})
}

// Chains that begin apart stay where they begin; else those that begin far below the best graph
// begin there instead.
func TestApart(t *testing.T) {
	forth, back := dag.New(5), dag.New(5)
	for i := range 3 {
		for j := 3; j < 5; j++ {
			forth.Set(i, j, true)
			back.Set(j, i, true)
		}
	}
	for _, apart := range []bool{false, true} {
		m, err := mcmc.New(t.Context(), groups(), score.Uniform(5), mcmc.Options{Chains: 3,
			Rungs: 1, WarmUp: 10, Starts: []*dag.Graph{forth, back}, Apart: apart})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Advance(t.Context(), 60); err != nil {
			t.Fatal(err)
		}
		r, err := m.Result()
		if err != nil {
			t.Fatal(err)
		}
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
