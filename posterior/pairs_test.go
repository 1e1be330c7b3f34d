package posterior_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/posterior"
)

// Every pair is listed once with the sum of its two probabilities; products give
// them back.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawPosterior(t).Marginals
		d, _ := m.Probabilities.Dims()
		pairs := m.PairsFrom(0)
		joined := 0
		for i := range d {
			for j := range i {
				if m.Probabilities.At(i, j)+m.Probabilities.At(j, i) > 0 {
					joined++
				}
			}
		}
		if len(pairs) != joined {
			t.Fatalf("%d pairs, want %d", len(pairs), joined)
		}
		for k, p := range pairs {
			if p.Direction < 0.5 || p.Direction > 1 || p.Adjacent <= 0 || p.Adjacent > 1 {
				t.Fatalf("pair %+v", p)
			}
			if k > 0 && pairs[k-1].Adjacent < p.Adjacent {
				t.Fatalf("pair %d is more probable than the one before", k)
			}
			if got, want := p.Adjacent*p.Direction,
				m.Probabilities.At(p.A, p.B); !(math.Abs(got-want) <= 1e-12) {
				t.Fatalf("pair %+v: product %v, probability %v", p, got, want)
			}
			if back := m.Pair(p.B, p.A); back.A != p.A || back.B != p.B ||
				back.Adjacent != p.Adjacent || back.Direction != p.Direction {
				t.Fatalf("pair %+v, from its other end %+v", p, back)
			}
			if got := m.DirectionOf(p.A, p.B) +
				m.DirectionOf(p.B, p.A); !(math.Abs(got-1) <= 1e-12) {
				t.Fatalf("directions of %+v sum to %v", p, got)
			}
		}
	})
}

// The graph joins the pairs above one half, its arrows are the directions from the
// threshold on, save those that would close a cycle.
func TestPartiallyDirected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawPosterior(t).Marginals
		g, w := m.PartiallyDirected()
		arrows := g.Clone()
		for _, e := range g.Undirected() {
			arrows.Set(e.From, e.To, false)
			arrows.Set(e.To, e.From, false)
		}
		if !arrows.Acyclic() {
			t.Fatal("directed edges with a cycle")
		}
		for i := range g.Len() {
			for j := range i {
				p := m.Pair(i, j)
				if joined := g.Has(i, j) || g.Has(j, i); joined != (p.Adjacent > 0.5) {
					t.Fatalf("%+v is joined: %v", p, joined)
				}
				if arrows.Has(i, j) || arrows.Has(j, i) {
					if p.Direction < posterior.Directed || !arrows.Has(p.A, p.B) {
						t.Fatalf("arrow of %+v", p)
					}
				}
				if p.Adjacent > 0.5 && p.Direction >= posterior.Directed && !arrows.Has(p.A, p.B) {
					arrows.Set(p.A, p.B, true)
					if arrows.Acyclic() {
						t.Fatalf("no arrow for %+v", p)
					}
					arrows.Set(p.A, p.B, false)
				}
			}
		}
		if w != nil {
			for _, e := range g.Edges() {
				if math.IsNaN(w.At(e.From, e.To)) {
					t.Fatalf("weight of %v is unknown", e)
				}
			}
		}
	})
}

// By hand: an arrow, an open direction and a cycle of three directions of which
// the weakest stays open.
func TestPartiallyDirectedByHand(t *testing.T) {
	p := mat.NewDense(5, 5, []float64{
		0, .95, 0, 0, .3,
		0, 0, .93, 0, 0,
		.91, 0, 0, .45, 0,
		0, 0, .45, 0, 0,
		.2, 0, 0, 0, 0,
	})
	g, w := posterior.Marginals{Probabilities: p}.PartiallyDirected()
	want := []dag.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 2}, {From: 2, To: 0},
		{From: 2, To: 3}, {From: 3, To: 2}}
	if !slices.Equal(g.Edges(), want) || w != nil {
		t.Errorf("edges %v, want %v", g.Edges(), want)
	}
}
