package dag_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/internal/scoretest"
)

// markovClass names the equivalence class of g by its definition: adjacent pairs and v-structures.
func markovClass(g *dag.Graph) string {
	adjacent := func(i, j int) bool { return g.Has(i, j) || g.Has(j, i) }
	name := ""
	for i := range g.Len() {
		for j := range i {
			if adjacent(i, j) {
				name += fmt.Sprintf("%d-%d ", i, j)
			}
			for k := range g.Len() {
				if g.Has(i, k) && g.Has(j, k) && !adjacent(i, j) {
					name += fmt.Sprintf("%d>%d<%d ", i, k, j)
				}
			}
		}
	}
	return name
}

// Up to four vertices the CPDAG of every DAG is the union of the DAGs in its class, so equal CPDAGs
// mean equal classes and an edge is directed exactly when the whole class agrees.
func TestCPDAGIsTheUnionOfItsClass(t *testing.T) {
	// OEIS A003024 and A007984
	counts := []struct{ dags, classes int }{{1, 1}, {1, 1}, {3, 2}, {25, 11}, {543, 185}}
	for d, want := range counts {
		t.Run(fmt.Sprintf("d=%d", d), func(t *testing.T) {
			all := scoretest.Graphs(d)
			union := make(map[string]*dag.Graph)
			for _, g := range all {
				class := markovClass(g)
				if union[class] == nil {
					union[class] = dag.New(d)
				}
				for _, e := range g.Edges() {
					union[class].Set(e.From, e.To, true)
				}
			}
			if len(all) != want.dags || len(union) != want.classes {
				t.Fatalf("%d DAGs in %d classes, want %d in %d", len(all), len(union), want.dags,
					want.classes)
			}
			for _, g := range all {
				got := must.Get(g.CPDAG())(t)
				if class := union[markovClass(g)]; !got.Equal(class) {
					t.Fatalf("CPDAG of %v is %v, want %v", g.Edges(), got.Edges(), class.Edges())
				}
			}
		})
	}
}

// Reversing an edge a → b with pa(b) = pa(a) ∪ {a} (a covered edge) stays inside the class
// (Chickering 1995); larger graphs than can be listed.
func TestCPDAGSurvivesCoveredReversals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := acyclicGraphs(8).Draw(t, "graph")
		want := must.Get(g.CPDAG())(t)
		for _, e := range g.Edges() {
			h := g.Clone()
			h.Set(e.From, e.To, false)
			covered := cmp.Equal(h.Parents(e.From), h.Parents(e.To))
			h.Set(e.To, e.From, true)
			if !h.Acyclic() {
				continue
			}
			got := must.Get(h.CPDAG())(t)
			if got.Equal(want) != covered {
				t.Fatalf("%v: reversing %v (covered: %v) gives an equal CPDAG: %v", g.Edges(), e,
					covered, got.Equal(want))
			}
		}
	})
}

func TestCPDAGOfACycle(t *testing.T) {
	g := mustGraph(t, 2, dag.Edge{From: 0, To: 1}, dag.Edge{From: 1, To: 0})
	_, err := g.CPDAG()
	if cycle := new(dag.CycleError); !errors.As(err, &cycle) {
		t.Errorf("error %v, want a %T", err, cycle)
	}
}

// labelled is the CPDAG of g by the labelling of Chickering (UAI 1995, "A transformational
// characterization of equivalent Bayesian network structures", figures 4 and 5), which knows none
// of Meek's rules: edges are labelled compelled or reversible in an order along which each label
// follows from earlier ones.
func labelled(t *testing.T, g *dag.Graph) *dag.Graph {
	t.Helper()
	order := must.Get(g.TopologicalOrder())(t)
	const compelled, reversible = 1, 2
	label := map[dag.Edge]int{}
	mark := func(y, as int) {
		for _, z := range g.Parents(y) {
			if e := (dag.Edge{From: z, To: y}); label[e] == 0 {
				label[e] = as
			}
		}
	}
	for _, y := range order {
		for _, x := range slices.Backward(order) {
			e := dag.Edge{From: x, To: y}
			if !g.Has(x, y) || label[e] != 0 {
				continue
			}
			settled := false
			for _, w := range g.Parents(x) {
				if label[dag.Edge{From: w, To: x}] != compelled {
					continue
				}
				if !g.Has(w, y) {
					for _, z := range g.Parents(y) {
						label[dag.Edge{From: z, To: y}] = compelled
					}
					settled = true
					break
				}
				label[dag.Edge{From: w, To: y}] = compelled
			}
			if settled {
				continue
			}
			as := reversible
			for _, z := range g.Parents(y) {
				if z != x && !g.Has(z, x) {
					as = compelled
				}
			}
			mark(y, as)
		}
	}
	p := g.Clone()
	for e, l := range label {
		if l == reversible {
			p.Set(e.To, e.From, true)
		}
	}
	return p
}

// Meek's rules and Chickering's labelling give the same CPDAG, on graphs large enough for every
// condition of every rule to matter: without the condition that the two paths of R3 begin at
// vertices that are not adjacent, some are directed too far.
func TestCPDAGAgreesWithLabelling(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 3))
	for k := range 4000 {
		d := 4 + rng.IntN(6)
		g, density := dag.New(d), 0.2+0.6*rng.Float64()
		order := rng.Perm(d)
		for a, i := range order {
			for _, j := range order[a+1:] {
				g.Set(i, j, rng.Float64() < density)
			}
		}
		got := must.Get(g.CPDAG())(t)
		if want := labelled(t, g); !got.Equal(want) {
			t.Fatalf("graph %d: CPDAG of %v is %v, want %v", k, g.Edges(), got.Edges(),
				want.Edges())
		}
	}
}
