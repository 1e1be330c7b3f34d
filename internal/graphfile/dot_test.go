package graphfile_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/graph/formats/dot"
	"gonum.org/v1/gonum/graph/formats/dot/ast"
	"pgregory.net/rapid"

	"tobac/internal/graphfile"
	"tobac/internal/must"
)

// dotText draws a graph in the language of Graphviz: chains, subgraphs, ports, attributes,
// comments.
func dotText(t *rapid.T) string {
	name := rapid.SampledFrom([]string{"a", "b", "c1", "_d", "7", "-1.5", `"a b"`, `"q\"q"`, "é",
		`"graph"`, `"->"`, "<b>"})
	space := rapid.SampledFrom([]string{" ", "", "\n", " /* x -> y */ ", " // x\n", "\n# x\n"})
	var statements func(depth int) string
	operand := func(depth int) string {
		if depth < 3 && rapid.IntRange(0, 4).Draw(t, "operand") == 0 {
			return rapid.SampledFrom([]string{"{", "subgraph s {", "subgraph {"}).Draw(t, "open") +
				statements(depth+1) + "}"
		}
		return name.Draw(t, "name") + rapid.SampledFrom([]string{"", "", "", ":p", ":p:n"}).Draw(t,
			"port")
	}
	attributes := func() string {
		return rapid.SampledFrom([]string{"", "", "[]", `[color=red]`, `[tooltip="a]b"; x=1, y=2]`,
			"[a=b][c=d]"}).Draw(t, "attributes")
	}
	statements = func(depth int) string {
		var b strings.Builder
		for range rapid.IntRange(0, 4).Draw(t, "statements") {
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				b.WriteString(`x = "y"`)
			case 1:
				b.WriteString(rapid.SampledFrom([]string{"node", "graph", "edge", "EDGE"}).Draw(t,
					"of") + " [color=blue]")
			default:
				b.WriteString(operand(depth))
				for range rapid.IntRange(0, 2).Draw(t, "steps") {
					b.WriteString(space.Draw(t, "space") + "->" + space.Draw(t, "space") +
						operand(depth))
				}
				b.WriteString(attributes())
			}
			b.WriteString(";" + space.Draw(t, "space"))
		}
		return b.String()
	}
	return rapid.SampledFrom([]string{"digraph {", "strict digraph g {", "DIGRAPH \"g\"\n{"}).Draw(
		t, "head") + "\n" + statements(0) + "}\n"
}

// gonumEdges are the nodes and the edges of a graph as gonum's parser has them.
func gonumEdges(graph *ast.Graph) (nodes []string, edges [][2]string) {
	add := func(id string) string {
		if strings.HasPrefix(id, `"`) {
			id = strings.ReplaceAll(id[1:len(id)-1], `\"`, `"`)
		} else if strings.HasPrefix(id, "<") {
			id = id[1 : len(id)-1]
		}
		if !slices.Contains(nodes, id) {
			nodes = append(nodes, id)
		}
		return id
	}
	var walk func(list []ast.Stmt) []string
	vertex := func(v ast.Vertex) []string {
		if s, ok := v.(*ast.Subgraph); ok {
			return walk(s.Stmts)
		}
		return []string{add(v.(*ast.Node).ID)}
	}
	walk = func(list []ast.Stmt) (in []string) {
		for _, statement := range list {
			switch s := statement.(type) {
			case *ast.NodeStmt:
				in = append(in, add(s.Node.ID))
			case *ast.Subgraph:
				in = append(in, walk(s.Stmts)...)
			case *ast.EdgeStmt:
				from := vertex(s.From)
				in = append(in, from...)
				for to := s.To; to != nil; to = to.To {
					next := vertex(to.Vertex)
					for _, a := range from {
						for _, b := range next {
							edges = append(edges, [2]string{a, b})
						}
					}
					in, from = append(in, next...), next
				}
			}
		}
		return in
	}
	walk(graph.Stmts)
	return nodes, edges
}

// The parser agrees with gonum's on nodes and edges, and on which edges a graph may have.
func TestDOTAgreesWithGonum(t *testing.T) {
	compared, drawn := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		text := dotText(t)
		file, err := dot.ParseString(text)
		if err != nil {
			return // gonum's parser knows no lines of a preprocessor within a graph
		}
		nodes, edges := gonumEdges(file.Graphs[0])
		g, err := graphfile.DOT.Read([]byte(text), "graph.dot")
		seen, repeated, loop := map[[2]string]bool{}, false, false
		for _, e := range edges {
			repeated, loop = repeated || seen[e], loop || e[0] == e[1]
			seen[e] = true
		}
		if loop || repeated && !file.Graphs[0].Strict {
			if err == nil {
				t.Fatalf("%s\nread %+v in spite of edges %q", text, g, edges)
			}
			return
		}
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		compared++
		var got [][2]string
		for _, e := range g.Edges {
			got = append(got, [2]string{g.Names[e.From], g.Names[e.To]})
		}
		var want [][2]string
		for _, e := range edges {
			if !slices.Contains(want, e) {
				want = append(want, e)
			}
		}
		sorted := func(list [][2]string) [][2]string {
			slices.SortFunc(list, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
			return list
		}
		if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" ||
			!slices.Equal(slices.Sorted(slices.Values(nodes)),
				slices.Sorted(slices.Values(g.Names))) {
			t.Fatalf("%s\nnodes %q, want %q; edges (-gonum +got):\n%s", text, g.Names, nodes, diff)
		}
	})
	if compared < drawn/5 {
		t.Errorf("only %d of %d graphs were compared", compared, drawn)
	}
}

// Arrows by signs, attributes and defaults of Graphviz and DAGitty.
func TestDOTDirections(t *testing.T) {
	const refused = "refused"
	for _, c := range []struct{ text, want string }{
		{"digraph { a -> b }", "a -> b"},
		{"graph { a -- b }", "a -- b"},
		{"digraph { a -> b [dir=none] }", "a -- b"},
		{"digraph { a -> b [dir=back] }", "b -> a"},
		{"digraph { a -> b [dir=both] }", refused},
		{"digraph { a -> b [arrowhead=none] }", "a -- b"},
		{"digraph { a -> b [dir=both, arrowtail=none] }", "a -> b"},
		{"digraph { a -> b [dir=both, arrowtail=odot] }", refused},
		{"digraph { a -> b [dir=both, arrowhead=none, arrowtail=vee] }", "b -> a"},
		{"digraph { edge [dir=none]; a -> b }", "a -- b"},
		{"digraph { { edge [dir=none] } a -> b }", "a -> b"},
		{"digraph { edge [dir=none]; a -> b [dir=forward] }", "a -> b"},
		{"graph { a -- b [dir=forward] }", "a -> b"},
		{"dag { a <- b }", "b -> a"},
		{"dag { a <-> b }", refused},
		{"pag { a @-> b }", refused},
		{"pdag { a -- b }", "a -- b"},
		{"mag { b <- a }", "a -> b"},
	} {
		t.Run(c.text, func(t *testing.T) {
			g, f, err := graphfile.Read(strings.NewReader(c.text), "graph.dot")
			got := refused
			if err == nil {
				e := g.Edges[0]
				got = fmt.Sprintf("%s %s %s", g.Names[e.From],
					map[bool]string{true: "--", false: "->"}[e.Undirected], g.Names[e.To])
			} else if !strings.Contains(err.Error(), "hidden common cause") {
				t.Error(err)
			}
			if got != c.want || f != graphfile.DOT {
				t.Errorf("got %q, want %q, format %v", got, c.want, f)
			}
		})
	}
}

// The probability can be seen.
func TestDOTShowsProbability(t *testing.T) {
	g := &graphfile.Graph{Names: []string{"a", "b", "c"}, Edges: []graphfile.Edge{
		{From: 0, To: 1, Probability: graphfile.Known(0.97), Adjacent: graphfile.Known(1),
			Weight: graphfile.Known(-1.25)},
		{From: 2, To: 1, Undirected: true, Probability: graphfile.Known(0.5),
			Adjacent: graphfile.Known(0.6)},
	}}
	var text strings.Builder
	must.Do(t, graphfile.DOT.Write(&text, g))
	const want = `digraph {
	"a";
	"b";
	"c";
	"a" -> "b" ["label"="0.97\n-1.25", "penwidth"="3.90", "probability"="0.97", "adjacent"="1", "weight_mean"="-1.25"];
	"c" -> "b" ["label"="0.60", "penwidth"="2.60", "dir"="none", "style"="dashed", "probability"="0.5", "adjacent"="0.6"];
}
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A name in many pieces takes no more than its length.
func TestManyPieces(t *testing.T) {
	text := "digraph { " + strings.Repeat(`"abcd" + `, 20_000) + `"e" }`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	g, err := graphfile.DOT.Read([]byte(text), "g.dot")
	runtime.ReadMemStats(&after)
	if err != nil || len(g.Names) != 1 || len(g.Names[0]) != 80_001 {
		t.Fatal(err, g)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<27 {
		t.Errorf("%d bytes for a text of %d", taken, len(text))
	}
}

// Graphviz draws names as they are.
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
			must.Do(t, graphfile.DOT.Write(&text,
				&graphfile.Graph{Names: []string{test.vertex}}))
			if diff := cmp.Diff("digraph {\n\t"+test.want+";\n}\n", text.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
