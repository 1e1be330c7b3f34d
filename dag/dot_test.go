package dag_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/graph/formats/dot"
	"gonum.org/v1/gonum/graph/formats/dot/ast"
	"pgregory.net/rapid"

	"tobac/dag"
)

// Whatever the names, the text parses, and its nodes and edges are those of the graph.
func TestDOTParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphs(5).Draw(t, "graph")
		names := names(g.Len()).Draw(t, "names")
		for i := range names {
			// gonum's parser takes this character for an error in the encoding
			names[i] = strings.ReplaceAll(names[i], "\uFFFD", "x")
		}
		if !distinct(names) {
			t.Skip("names became equal")
		}
		label := func(e dag.Edge) []dag.Attribute {
			return []dag.Attribute{{Key: "label", Value: names[e.From]}}
		}
		var text strings.Builder
		if err := dag.WriteDOT(&text, g, names, label); err != nil {
			t.Fatal(err)
		}
		file, err := dot.ParseString(text.String())
		if err != nil {
			t.Fatalf("%q: %v", text.String(), err)
		}
		index := make(map[string]int)
		got := dag.New(g.Len())
		for _, statement := range file.Graphs[0].Stmts {
			switch s := statement.(type) {
			case *ast.NodeStmt:
				index[s.Node.ID] = len(index)
			case *ast.EdgeStmt:
				from := s.From.(*ast.Node).ID
				got.Set(index[from], index[s.To.Vertex.(*ast.Node).ID], true)
				if s.Attrs[0].Val != from {
					t.Fatalf("label %s of an edge from %s", s.Attrs[0].Val, from)
				}
			}
		}
		if len(index) != g.Len() || !got.Equal(g) {
			t.Fatalf("%q: %d nodes and edges %v, want %d and %v", text.String(), len(index),
				got.Edges(), g.Len(), g.Edges())
		}
	})
}

func distinct(names []string) bool {
	seen := make(map[string]bool)
	for _, name := range names {
		seen[name] = true
	}
	return len(seen) == len(names)
}

func TestDOTEscapes(t *testing.T) {
	tests := []struct{ name, vertex, want string }{
		{"plain", "p44/42", `"p44/42"`},
		{"quote", `say "hi"`, `"say \"hi\""`},
		{"trailing backslash", `a\`, `"a\\"`},
		{"escape of Graphviz", `\N`, `"\\N"`},
		{"HTML entity", "&lt;", `"&amp;lt;"`},
		{"HTML label", "<b>x</b>", `"<b>x</b>"`},
		{"line end", "a\nb", `"a\nb"`},
		{"keyword", "graph", `"graph"`},
		{"statement", `x"; y -> z; "`, `"x\"; y -> z; \""`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var text strings.Builder
			if err := dag.WriteDOT(&text, dag.New(1), []string{test.vertex}, nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("digraph {\n\t"+test.want+";\n}\n", text.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
