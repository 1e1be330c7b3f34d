package inference_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/dag"
	"tobac/internal/inference"
	"tobac/internal/nodescore"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// Directions are drawn in proportion to prior and the part of the evidence that counts, among the
// graphs with the same adjacencies that the prior allows; adjacencies stay, also in the
// probabilities.
func TestTurning(t *testing.T) {
	const d, n = 4, 4000
	rng := rand.New(rand.NewPCG(5, 50))
	scores := map[string]float64{}
	s := score.NewFunc(d, func(j int, parents []int) float64 { // not one of equivalence classes
		key := fmt.Sprint(j, parents)
		if _, ok := scores[key]; !ok {
			scores[key] = 6 * rng.NormFloat64()
		}
		return scores[key]
	})
	prior := score.Fair(d)
	prior.Forbid(3, 0)
	pairs := []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 2}, {From: 0, To: 3}}
	want, total := mat.NewDense(d, d, nil), 0.0
	for bits := range 1 << len(pairs) {
		g := dag.New(d)
		for k, e := range pairs {
			if bits>>k&1 == 1 {
				e.From, e.To = e.To, e.From
			}
			g.Set(e.From, e.To, true)
		}
		if !g.Acyclic() {
			continue
		}
		log := 0.3 * nodescore.OfGraph(s, g)
		for j := range d {
			log += prior.LogPrior(j, g.Parents(j))
		}
		total += math.Exp(log)
		for _, e := range g.Edges() {
			want.Set(e.From, e.To, want.At(e.From, e.To)+math.Exp(log))
		}
	}
	want.Scale(1/total, want)

	first := dag.New(d)
	for _, e := range pairs {
		first.Set(e.From, e.To, true)
	}
	graphs := slices.Repeat([]*dag.Graph{first}, n)
	edges := mat.NewDense(d, d, nil)
	for _, e := range pairs {
		edges.Set(e.From, e.To, 1)
	}
	inference.Turning{Part: 0.3, Prior: prior, Scores: []score.Scorer{s}}.Turn(graphs, edges,
		slices.Repeat([]float64{1}, n), 1)
	drawn := mat.NewDense(d, d, nil)
	for _, g := range graphs {
		if !g.Acyclic() || g.Size() != len(pairs) {
			t.Fatalf("graph %v", g.Edges())
		}
		for _, e := range g.Edges() {
			drawn.Set(e.From, e.To, drawn.At(e.From, e.To)+1./n)
		}
	}
	if !mat.EqualApprox(edges, want, 0.01) {
		t.Errorf("probabilities\n%v, want\n%v", mat.Formatted(edges), mat.Formatted(want))
	}
	if !mat.EqualApprox(drawn, want, 0.03) {
		t.Errorf("frequencies\n%v, want\n%v", mat.Formatted(drawn), mat.Formatted(want))
	}
	if first.Size() != len(pairs) || !first.Has(0, 3) || !first.Has(0, 1) || !first.Has(1, 2) {
		t.Error("the graph that was given has changed")
	}
}
