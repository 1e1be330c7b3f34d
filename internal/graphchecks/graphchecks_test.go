package graphchecks_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/graphchecks"
	"tobac/posterior"
)

func graph(d int, edges ...dag.Edge) *dag.Graph {
	g, err := dag.FromEdges(d, edges)
	if err != nil {
		panic(err)
	}
	return g
}

func ExampleVariety() {
	forward, backward := graph(2, dag.Edge{From: 0, To: 1}), graph(2, dag.Edge{From: 1, To: 0})
	graphs, classes := graphchecks.Variety([]*dag.Graph{forward, backward, forward})
	fmt.Println(graphs, "graphs,", classes, "class")
	// Output:
	// 2 graphs, 1 class
}

// Equivalent graphs are one class; graphs with a cycle are classes of their own.
func TestVariety(t *testing.T) {
	forward, backward := graph(3, dag.Edge{From: 0, To: 1}), graph(3, dag.Edge{From: 1, To: 0})
	cycle := dag.New(3)
	cycle.Set(0, 1, true)
	cycle.Set(1, 0, true)
	if graphs, classes := graphchecks.Variety([]*dag.Graph{forward, backward, forward,
		cycle}); graphs != 3 || classes != 2 {
		t.Errorf("%d graphs of %d classes, want 3 of 2", graphs, classes)
	}
}

// Independent draws from a product over edges have neither imbalance nor crowding; equal graphs
// have, and graphs that lost an edge.
func TestGraphChecks(t *testing.T) {
	const d, n = 8, 60
	rng := rand.New(rand.NewPCG(1, 2))
	p := mat.NewDense(d, d, nil)
	for i := range d {
		for j := i + 1; j < d; j++ {
			p.Set(i, j, rng.Float64())
		}
	}
	var draws, equal []*dag.Graph
	for range n {
		g := dag.New(d)
		for i := range d {
			for j := i + 1; j < d; j++ {
				g.Set(i, j, rng.Float64() < p.At(i, j))
			}
		}
		draws, equal = append(draws, g), append(equal, draws0(draws, g))
	}
	upper := func(i, j int) bool { return i < j }
	frequencies := func(all []*dag.Graph) mat.Matrix {
		return posterior.Uniform(all).EdgeProbabilities()
	}
	// 28 differences of about 0.05 each: their mean has a standard deviation of about 0.007.
	if v := graphchecks.Imbalance(frequencies(draws), p, n, upper); v > 0.02 {
		t.Errorf("imbalance %v of independent draws", v)
	}
	if v := graphchecks.Imbalance(frequencies(equal), p, n, upper); v < 0.2 {
		t.Errorf("imbalance %v of equal graphs", v)
	}
	if a, b := graphchecks.Crowding(draws, p), graphchecks.Crowding(equal, p); a > 0.01 ||
		b < 0.99 {
		t.Errorf("crowding %v of draws, %v of equal graphs", a, b)
	}
	if v := graphchecks.Crowding(draws[:1], p); v != 0 {
		t.Errorf("crowding %v of one graph", v)
	}
}

// draws0 is the first of a list, or g.
func draws0(list []*dag.Graph, g *dag.Graph) *dag.Graph {
	if len(list) == 0 {
		return g
	}
	return list[0]
}

// The difference that independent draws explain is the one that they have, within a tenth.
func TestCompare(t *testing.T) {
	const d, n = 12, 400
	rng := rand.New(rand.NewPCG(3, 4))
	p := mat.NewDense(d, d, nil)
	p.Apply(func(i, j int, _ float64) float64 {
		if i == j {
			return 0
		}
		return 0.1 + 0.8*rng.Float64()
	}, p)
	sample := func() posterior.Marginals {
		m := mat.NewDense(d, d, nil)
		m.Apply(func(i, j int, _ float64) float64 {
			hits := 0
			for range n {
				if rng.Float64() < p.At(i, j) {
					hits++
				}
			}
			return float64(hits) / n
		}, m)
		return posterior.Marginals{Probabilities: m}
	}
	a, b := sample(), sample()
	got := graphchecks.Compare(a, b, [2]*mat.Dense{graphchecks.SamplingErrors(a.Probabilities, n),
		graphchecks.SamplingErrors(b.Probabilities, n)})
	if !(math.Abs(got.Mean/got.Explained-1) < 0.15) || got.Greatest < got.Mean ||
		got.Greatest != math.Abs(a.Probabilities.At(got.Source, got.Target)-
			b.Probabilities.At(got.Source, got.Target)) {
		t.Errorf("%+v", got)
	}
	if same := graphchecks.Compare(a, a, [2]*mat.Dense{}); same.Mean != 0 || same.Greatest != 0 ||
		same.Explained != 0 {
		t.Errorf("%+v of a posterior and itself", same)
	}
}

// Components of equal weight whose probabilities differ by 2δ have the standard error δ, whatever
// the others; one alone says nothing.
func TestComponentErrors(t *testing.T) {
	const d = 3
	part := func(v float64) posterior.Component {
		p := mat.NewDense(d, d, nil)
		p.Set(0, 1, 0.5+v)
		p.Set(1, 2, 0.25)
		return posterior.Component{Weight: 0.5, Marginals: &posterior.Marginals{Probabilities: p}}
	}
	whole := part(0)
	p := &posterior.Posterior{Names: []string{"a", "b", "c"}, Marginals: *whole.Marginals,
		Components: []posterior.Component{part(0.2), part(-0.2)}}
	got, want := graphchecks.ComponentErrors(p), mat.NewDense(d, d, nil)
	want.Set(0, 1, 0.2)
	if got == nil || !mat.EqualApprox(got, want, 1e-12) {
		t.Errorf("got %v, want %v", got, want)
	}
	p.Components = p.Components[:1]
	if got := graphchecks.ComponentErrors(p); got != nil {
		t.Errorf("one component: got %v", got)
	}
}
