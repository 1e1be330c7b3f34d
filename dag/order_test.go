package dag_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/internal/must"
)

// gonumAcyclic asks an independent library.
func gonumAcyclic(g *dag.Graph) bool {
	h := simple.NewDirectedGraph()
	for i := range g.Len() {
		h.AddNode(simple.Node(i))
	}
	for _, e := range g.Edges() {
		h.SetEdge(simple.Edge{F: simple.Node(e.From), T: simple.Node(e.To)})
	}
	_, err := topo.Sort(h)
	return err == nil
}

func TestOrderFollowsEdgesOrACycleIsNamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphs(8).Draw(t, "graph")
		acyclic := gonumAcyclic(g)
		if g.Acyclic() != acyclic {
			t.Fatalf("%v: Acyclic %v, gonum says %v", g.Edges(), g.Acyclic(), acyclic)
		}
		order, err := g.TopologicalOrder()
		if acyclic {
			if err != nil || g.CheckAcyclic(nil) != nil {
				t.Fatalf("%v: %v, %v", g.Edges(), err, g.CheckAcyclic(nil))
			}
			position := dag.Inverse(order)
			for _, e := range g.Edges() {
				if position[e.From] > position[e.To] {
					t.Fatalf("%v: order %v puts %d after %d", g.Edges(), order, e.From, e.To)
				}
			}
			return
		}
		var cycle *dag.CycleError
		if !errors.As(err, &cycle) || order != nil {
			t.Fatalf("%v: order %v, error %v", g.Edges(), order, err)
		}
		for c, from := range cycle.Vertices {
			if to := cycle.Vertices[(c+1)%len(cycle.Vertices)]; !g.Has(from, to) {
				t.Fatalf("%v: cycle %v has no edge %d -> %d", g.Edges(), cycle.Vertices, from, to)
			}
		}
		sorted := slices.Sorted(slices.Values(cycle.Vertices))
		if len(slices.Compact(sorted)) != len(cycle.Vertices) || cycle.Vertices[0] != sorted[0] {
			t.Fatalf("cycle %v repeats a vertex or does not begin with the lowest", cycle.Vertices)
		}
	})
}

func TestOrderIsKahnsWithAQueue(t *testing.T) {
	tests := []struct {
		name  string
		d     int
		edges []dag.Edge
		want  []int
	}{
		{"no edges: by index", 3, nil, []int{0, 1, 2}},
		// A stack would take 3 before 1, the lowest ready vertex first would take 2 before 4.
		{"queue", 5, []dag.Edge{{From: 3, To: 0}, {From: 1, To: 4}, {From: 3, To: 2}},
			[]int{1, 3, 4, 0, 2}},
		{"children by index", 4, []dag.Edge{{From: 3, To: 2}, {From: 3, To: 0}, {From: 3, To: 1}},
			[]int{3, 0, 1, 2}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := must.Get(mustGraph(t, test.d, test.edges...).TopologicalOrder())(t)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCycleErrorText(t *testing.T) {
	g := mustGraph(t, 5, dag.Edge{From: 0, To: 4}, dag.Edge{From: 4, To: 2},
		dag.Edge{From: 2, To: 1}, dag.Edge{From: 1, To: 4}, dag.Edge{From: 1, To: 3})
	if got, want := g.CheckAcyclic(nil).Error(),
		"graph has a cycle: 1 -> 4 -> 2 -> 1"; got != want {
		t.Errorf("without names\n got %s\nwant %s", got, want)
	}
	names := []string{"A", "B", "p44/42", "D", `"E"`}
	if got, want := g.CheckAcyclic(names).Error(),
		`graph has a cycle: "B" -> "\"E\"" -> "p44/42" -> "B"`; got != want {
		t.Errorf("with names\n got %s\nwant %s", got, want)
	}
}

func TestClosureIsReachability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphs(7).Draw(t, "graph")
		h := g.Closure()
		for i := range g.Len() {
			reached := make([]bool, g.Len())
			for stack := []int{i}; len(stack) > 0; {
				v := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				for _, j := range g.Children(v) {
					if !reached[j] {
						reached[j] = true
						stack = append(stack, j)
					}
				}
			}
			for j := range g.Len() {
				if i != j && h.Has(i, j) != reached[j] {
					t.Fatalf("%v: closure has %d -> %d: %v, want %v", g.Edges(), i, j, h.Has(i, j),
						reached[j])
				}
			}
		}
		if !h.Closure().Equal(h) {
			t.Fatalf("%v: closure of the closure differs", g.Edges())
		}
		if h.Acyclic() != g.Acyclic() {
			t.Fatalf("%v: closure acyclic %v, graph %v", g.Edges(), h.Acyclic(), g.Acyclic())
		}
	})
}

// Section 3.3 of the specification: G[order[a]][order[b]] = S[a][b]. The order is no involution, so
// the transposed mistake would show.
func TestRelabelConvention(t *testing.T) {
	g := mustGraph(t, 3, dag.Edge{From: 2, To: 0}, dag.Edge{From: 0, To: 1})
	got := g.Relabel([]int{2, 0, 1})
	if diff := cmp.Diff([]dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}}, got.Edges()); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
}

func TestRelabellingCommutes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := acyclicGraphs(6).Draw(t, "graph")
		order := orders(g.Len()).Draw(t, "relabelling")
		h := g.Relabel(order)
		for a := range order {
			for b := range order {
				if h.Has(a, b) != g.Has(order[a], order[b]) {
					t.Fatalf("entry %d, %d", a, b)
				}
			}
		}
		if !h.Relabel(dag.Inverse(order)).Equal(g) {
			t.Fatal("the inverse does not lead back")
		}
		if !h.Closure().Equal(g.Closure().Relabel(order)) {
			t.Fatal("closure does not commute with relabelling")
		}
		left := must.Get(h.CPDAG())(t)
		right := must.Get(g.CPDAG())(t)
		if !left.Equal(right.Relabel(order)) {
			t.Fatal("CPDAG does not commute with relabelling")
		}
		topological := must.Get(g.TopologicalOrder())(t)
		for _, e := range g.Relabel(topological).Edges() {
			if e.From > e.To {
				t.Fatalf("topological relabelling leaves %d -> %d", e.From, e.To)
			}
		}
	})
}
