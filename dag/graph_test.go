package dag_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/internal/must"
)

// graphs draws graphs with up to maxVars vertices, cycles included.
func graphs(maxVars int) *rapid.Generator[*dag.Graph] {
	return rapid.Custom(func(t *rapid.T) *dag.Graph {
		d := rapid.IntRange(0, maxVars).Draw(t, "d")
		g := dag.New(d)
		density := rapid.IntRange(1, 5).Draw(t, "density")
		for i := range d {
			for j := range d {
				if i != j {
					g.Set(i, j, rapid.IntRange(0, density).Draw(t, "edge") == density)
				}
			}
		}
		return g
	})
}

// acyclicGraphs draws DAGs whose edges follow a random order of the vertices.
func acyclicGraphs(maxVars int) *rapid.Generator[*dag.Graph] {
	return rapid.Custom(func(t *rapid.T) *dag.Graph {
		g := graphs(maxVars).Draw(t, "graph")
		for _, e := range g.Edges() {
			if e.From > e.To {
				g.Set(e.From, e.To, false)
			}
		}
		return g.Relabel(orders(g.Len()).Draw(t, "order"))
	})
}

func orders(d int) *rapid.Generator[[]int] {
	identity := make([]int, d)
	for a := range identity {
		identity[a] = a
	}
	return rapid.Permutation(identity)
}

func mustGraph(t *testing.T, d int, edges ...dag.Edge) *dag.Graph {
	t.Helper()
	return must.Get(dag.FromEdges(d, edges))(t)
}

func TestRepresentationsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphs(7).Draw(t, "graph")
		edges := g.Edges()
		fromEdges, err := dag.FromEdges(g.Len(), edges)
		if err != nil {
			t.Fatal(err)
		}
		if !fromEdges.Equal(g) || !dag.FromMatrix(g.Matrix()).Equal(g) || !g.Clone().Equal(g) {
			t.Fatalf("edges %v: FromEdges, FromMatrix or Clone differs", edges)
		}
		if len(edges) != g.Size() {
			t.Fatalf("%d edges, Size %d", len(edges), g.Size())
		}
		for i := range g.Len() {
			for _, j := range g.Children(i) {
				if !g.Has(i, j) {
					t.Fatalf("child %d of %d without edge", j, i)
				}
			}
		}
		var again []dag.Edge
		for j := range g.Len() {
			for _, i := range g.Parents(j) {
				again = append(again, dag.Edge{From: i, To: j})
			}
		}
		back, err := dag.FromEdges(g.Len(), again)
		if err != nil || !back.Equal(g) {
			t.Fatalf("parents give %v, error %v, want %v", again, err, edges)
		}
	})
}

func TestGraphIsAValue(t *testing.T) {
	g := mustGraph(t, 3, dag.Edge{From: 0, To: 1})
	h := g.Clone()
	h.Set(1, 2, true)
	h.Set(0, 1, false)
	h.Set(2, 2, false) // removing what cannot be there does nothing
	if diff := cmp.Diff([]dag.Edge{{From: 0, To: 1}}, g.Edges()); diff != "" {
		t.Errorf("changing a clone changed the graph (-want +got):\n%s", diff)
	}
	if g.Equal(h) || g.Equal(dag.New(4)) || dag.New(2).Equal(dag.New(3)) {
		t.Error("Equal holds for different graphs")
	}
	g.Matrix().Set(0, 2, 1)
	if g.Has(0, 2) {
		t.Error("changing the matrix changed the graph")
	}
}

func TestFromMatrixReadsNonZeroEntries(t *testing.T) {
	g := dag.FromMatrix(mat.NewDense(3, 3, []float64{
		7, -0.5, 0,
		0, 7, 1e-300,
		0, 0, 7,
	}))
	if diff := cmp.Diff([]dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}}, g.Edges()); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
}

func TestFromEdgesErrors(t *testing.T) {
	tests := []struct {
		name string
		edge dag.Edge
		want string
	}{
		{"from too high", dag.Edge{From: 3, To: 0},
			"dag: edge 1 is 3 -> 0, want vertices from 0 to 2"},
		{"to negative", dag.Edge{From: 0, To: -1},
			"dag: edge 1 is 0 -> -1, want vertices from 0 to 2"},
		{"to itself", dag.Edge{From: 2, To: 2},
			"dag: edge 1 is 2 -> 2, want two different vertices"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := dag.FromEdges(3, []dag.Edge{{From: 0, To: 1}, test.edge}); err == nil ||
				err.Error() != test.want {
				t.Errorf("error\n got %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestMisuseNamesThePackage(t *testing.T) {
	g := dag.New(2)
	tests := []struct {
		name string
		call func()
		want string
	}{
		{"negative size", func() { dag.New(-1) }, "dag: -1 vertices"},
		{"Has outside", func() { g.Has(0, 2) }, "dag: edge 0 -> 2 in a graph with 2 vertices"},
		{"Set outside", func() {
			g.Set(-1, 0, true)
		}, "dag: edge -1 -> 0 in a graph with 2 vertices"},
		{"Set to itself", func() { g.Set(1, 1, true) }, "dag: edge 1 -> 1 from a vertex to itself"},
		{"Parents outside", func() { g.Parents(2) }, "dag: edge 2 -> 2 in a graph with 2 vertices"},
		{"Children outside", func() {
			g.Children(5)
		}, "dag: edge 5 -> 5 in a graph with 2 vertices"},
		{"matrix not square", func() { dag.FromMatrix(mat.NewDense(2, 3, nil)) },
			"dag: matrix is 2×3, want square"},
		{"short order", func() {
			g.Relabel([]int{0})
		}, "dag: order of 1 vertices for a graph with 2"},
		{"repeated vertex", func() {
			g.Relabel([]int{1, 1})
		}, "dag: order [1 1] is not a permutation of 0 to 1"},
		{"vertex outside", func() {
			dag.Inverse([]int{0, 2})
		}, "dag: order [0 2] is not a permutation of 0 to 1"},
		{"wrong number of names", func() { _ = g.CheckAcyclic([]string{"a"}) },
			"dag: 1 names for 2 vertices"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				if got := recover(); got != test.want {
					t.Errorf("panic %v, want %s", got, test.want)
				}
			}()
			test.call()
		})
	}
}

func TestNoVertices(t *testing.T) {
	var zero dag.Graph
	if !zero.Equal(dag.New(0)) || !zero.Acyclic() || zero.Size() != 0 || zero.Edges() != nil {
		t.Error("the zero Graph is not the graph without vertices")
	}
	if rows, cols := zero.Matrix().Dims(); rows != 0 || cols != 0 {
		t.Errorf("matrix is %d×%d", rows, cols)
	}
	class, err := zero.CPDAG()
	if err != nil || class.Len() != 0 || zero.Closure().Len() != 0 {
		t.Errorf("CPDAG %v, error %v", class, err)
	}
}
