package inference_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/dag"
	"tobac/internal/inference"
	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/combin"
)

// Directions are those of graphs in proportion to prior and the part of the evidence that counts,
// among those that the prior allows and turned edges lead to, with a cause of the one variable that
// becomes one of the other or without; adjacencies stay, and pairs that are not adjacent in such a
// graph have the directions of its orders, of which the first variables in all sequences are taken.
func TestTurning(t *testing.T) {
	const d, n = 4, 4000
	rng := rand.New(rand.NewPCG(5, 50))
	scores := map[string]float64{}
	s := score.NewFunc(d, func(j int, parents []int) float64 { // not one of equivalence classes
		key := fmt.Sprint(j, parents)
		if _, ok := scores[key]; !ok {
			scores[key] = rng.NormFloat64()
		}
		return scores[key]
	})
	prior := score.Fair(d)
	for _, j := range []int{0, 1, 3} {
		prior.Forbid(2, j)
	}
	pairs := []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 2}, {From: 0, To: 3}}
	first := dag.New(d)
	for _, e := range pairs {
		first.Set(e.From, e.To, true)
	}
	log := func(g *dag.Graph) float64 {
		sum := 0.3 * nodescore.OfGraph(s, g)
		for j := range d {
			sum += prior.LogPrior(j, g.Parents(j))
		}
		return sum
	}
	reached := map[string]*dag.Graph{}
	var reach func(g *dag.Graph)
	reach = func(g *dag.Graph) {
		key := fmt.Sprint(g.Edges())
		if reached[key] != nil || !g.Acyclic() || math.IsInf(log(g), -1) {
			return
		}
		reached[key] = g
		for _, e := range g.Edges() {
			i, j := e.From, e.To
			turned := g.Clone()
			turned.Set(i, j, false)
			turned.Set(j, i, true)
			reach(turned)
			for _, p := range g.Parents(j) {
				if p != i && !g.Has(p, i) && !g.Has(i, p) {
					handed := turned.Clone()
					handed.Set(p, j, false)
					handed.Set(p, i, true)
					reach(handed)
				}
			}
		}
	}
	reach(first)
	sequences := combin.Permutations(d, d)
	want, total := mat.NewDense(d, d, nil), 0.0
	parted := 0
	for _, g := range reached {
		w := math.Exp(log(g))
		total += w
		if !g.Has(0, 3) && !g.Has(3, 0) {
			parted++
		}
		g = g.Clone()
		g.Set(1, 2, true) // the other direction is forbidden
		g.Set(0, 2, true)
		for _, sequence := range sequences {
			var order []int
			for left := slices.Clone(sequence); len(left) > 0; {
				at := slices.IndexFunc(left, func(j int) bool {
					return !slices.ContainsFunc(left, func(i int) bool { return g.Has(i, j) })
				})
				order = append(order, left[at])
				left = slices.Delete(left, at, at+1)
			}
			for _, e := range pairs {
				if slices.Index(order, e.From) > slices.Index(order, e.To) {
					e.From, e.To = e.To, e.From
				}
				want.Set(e.From, e.To, want.At(e.From, e.To)+w/float64(len(sequences)))
			}
		}
	}
	want.Scale(1/total, want)
	if len(reached) < 10 || parted < 3 {
		t.Fatalf("%d graphs, %d of them with other adjacencies", len(reached), parted)
	}

	graphs := slices.Repeat([]*dag.Graph{first}, n)
	edges := mat.NewDense(d, d, nil)
	for _, e := range pairs {
		edges.Set(e.From, e.To, 1)
	}
	turning := inference.Turning{Part: 0.3, Prior: prior, Scores: []score.Scorer{s}}
	must.Do(t, turning.Turn(t.Context(), graphs, edges, slices.Repeat([]float64{1}, n), 1))
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
