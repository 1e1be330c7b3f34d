package graphfile_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tobac/internal/graphfile"
)

// hostile are names that some format could take for something else.
var hostile = []string{
	"a", "b", "node", "edge", "graph", "digraph", "strict", "subgraph", "variable", "probability",
	"network", "source", "target", "weight", "type", "name", "id", "label",
	"a,b", "a;b", `say "hi"`, `"`, "'", "<b>", "&amp;", "R&D", "&#65;", "a b", " a", "a ", "\t",
	"a\nb", "a\r\nb", `\`, `\N`, `a\`, "1", "1.5", "-1", "1e5", "NaN", "2nd", "X0", "X1",
	"ä", "Ä", "日本語", "𝒳", "a->b", "a -> b", "-->", "--", "{", "}", "[", "]", "|", "(x)", "a|b",
	"%20", "a%b", "a+b", "//x", "/*", "*/", "#", "# a", "a.b", "a:b", "=", "true", "null", "A",
	"node 1",
	"]]>", "\u2028", "\uFEFFx", "é", "e\u0301", "graph nodes:", "1. a",
	strings.Repeat("long ", 100),
}

func names(d int) *rapid.Generator[[]string] {
	text := rapid.OneOf(rapid.SampledFrom(hostile), rapid.StringN(1, 5, -1))
	return rapid.SliceOfNDistinct(text, d, d, rapid.ID)
}

// graphs draws any graph that Check accepts: acyclic ones with at most directed edges, or whatever
// is allowed.
func graphs(acyclic bool) *rapid.Generator[*graphfile.Graph] {
	return rapid.Custom(func(t *rapid.T) *graphfile.Graph {
		d := rapid.IntRange(1, 5).Draw(t, "vertices")
		g := &graphfile.Graph{Names: names(d).Draw(t, "names")}
		kinds := rapid.SampledFrom([]string{"none", "forward", "backward", "both", "undirected",
			"undirected back"})
		for i := range d {
			for j := range i {
				forward, back := graphfile.Edge{From: j, To: i}, graphfile.Edge{From: i, To: j}
				switch kind := kinds.Draw(t, "kind"); kind {
				case "forward":
					g.Edges = append(g.Edges, numbered(t, forward))
				case "backward":
					if !acyclic {
						g.Edges = append(g.Edges, numbered(t, back))
					}
				case "both":
					if !acyclic {
						g.Edges = append(g.Edges, numbered(t, back), numbered(t, forward))
					}
				case "undirected", "undirected back":
					e := forward
					if kind == "undirected back" {
						e = back
					}
					e.Undirected = true
					g.Edges = append(g.Edges, numbered(t, e))
				}
			}
		}
		return g
	})
}

// numbered draws the numbers of an edge.
func numbered(t *rapid.T, e graphfile.Edge) graphfile.Edge {
	number := func(least, most float64) graphfile.Number {
		if rapid.Bool().Draw(t, "known") {
			return graphfile.Known(rapid.Float64Range(least, most).Draw(t, "number"))
		}
		return graphfile.Number{}
	}
	e.Probability, e.Adjacent = number(0, 1), number(0, 1)
	e.Weight, e.WeightSD = number(-1e300, 1e300), number(0, 1e300)
	return e
}

// holds reports whether a format can hold the graph with all that Lost does not name.
func holds(f graphfile.Format, g *graphfile.Graph) bool {
	clean := !slices.ContainsFunc(g.Names, func(name string) bool {
		return strings.ContainsFunc(name, func(c rune) bool {
			return c < ' ' || c == 0xFFFE || c == 0xFFFF || 0x7f <= c && c < 0xa0
		})
	})
	directed, _ := g.Directed()
	switch f {
	case graphfile.BIF:
		return directed.Acyclic()
	case graphfile.GraphML, graphfile.DOT, graphfile.NPZ:
		return clean
	}
	return true
}

// canonical is what reading back must give: edges sorted, undirected ones without numbers of a
// direction from the smaller vertex, lost numbers gone.
func canonical(g *graphfile.Graph, f graphfile.Format) []graphfile.Edge {
	var edges []graphfile.Edge
	lost := f.Lost(g)
	for _, e := range g.Edges {
		if slices.Contains(lost, "probabilities") {
			e.Probability = graphfile.Number{}
		}
		if slices.Contains(lost, "probabilities of adjacency") {
			e.Adjacent = graphfile.Number{}
		}
		if slices.Contains(lost, "weights") {
			e.Weight = graphfile.Number{}
		}
		if slices.Contains(lost, "standard deviations of weights") {
			e.WeightSD = graphfile.Number{}
		}
		if e.Undirected && e.From > e.To && !e.Probability.Known && !e.Weight.Known &&
			!e.WeightSD.Known {
			e.From, e.To = e.To, e.From
		}
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(a, b graphfile.Edge) int {
		return slices.Compare([]int{a.From, a.To}, []int{b.From, b.To})
	})
	return edges
}

// Whatever the names, every format gives back the graph that it wrote, but for what Lost names; and
// recognises its own files.
func TestRoundTrip(t *testing.T) {
	for _, f := range graphfile.Formats() {
		t.Run(f.String(), func(t *testing.T) {
			held, drawn := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				drawn++
				g := graphs(f == graphfile.BIF).Draw(t, "graph")
				if !holds(f, g) {
					if err := f.Write(&bytes.Buffer{}, g); err == nil && f == graphfile.BIF {
						t.Fatalf("wrote a graph that the format cannot hold")
					}
					return
				}
				held++
				checkRoundTrip(t, f, g)
			})
			if held < drawn/5 {
				t.Errorf("only %d of %d graphs that the format holds", held, drawn)
			}
		})
	}
}

func checkRoundTrip(t interface {
	Fatalf(format string, args ...any)
}, f graphfile.Format, g *graphfile.Graph) {
	var text bytes.Buffer
	if err := f.Write(&text, g); err != nil {
		t.Fatalf("write: %v", err)
	}
	got, as, err := graphfile.Read(bytes.NewReader(text.Bytes()), "file")
	if err != nil {
		t.Fatalf("%v of\n%s", err, text.String())
	}
	if as != f {
		t.Fatalf("recognised as %v:\n%s", as, text.String())
	}
	at := map[string]int{}
	for v, name := range got.Names {
		at[name] = v
	}
	for v, name := range g.Names {
		w, known := at[name]
		if f == graphfile.NPY && got.Unnamed {
			w, known = v, true
		}
		if !known {
			t.Fatalf("name %q is lost, got %q:\n%s", name, got.Names, text.String())
		}
		at[name] = w
	}
	if len(got.Names) != len(g.Names) {
		t.Fatalf("got %d vertices, want %d:\n%s", len(got.Names), len(g.Names), text.String())
	}
	if f != graphfile.NPY { // vertices may come in another sequence
		on, left, err := got.On(g.Names)
		if err != nil || left != nil {
			t.Fatalf("left %q, error %v", left, err)
		}
		got = on
	}
	want := canonical(g, f)
	// a matrix of 0 and 1 cannot tell both edges from one without direction
	if f == graphfile.NPY || f == graphfile.Matrix {
		want = merged(want)
	}
	if diff := cmp.Diff(want, canonical(got, f)); diff != "" {
		t.Fatalf("edges (-want +got):\n%s\nof\n%s", diff, text.String())
	}
	if f == graphfile.NPY != got.Unnamed {
		t.Fatalf("unnamed is %v", got.Unnamed)
	}
}

// merged has one edge without direction for two opposite ones.
func merged(edges []graphfile.Edge) (out []graphfile.Edge) {
	for _, e := range edges {
		back := slices.IndexFunc(edges, func(b graphfile.Edge) bool {
			return b.From == e.To && b.To == e.From
		})
		switch {
		case back >= 0 && e.From < e.To:
			out = append(out, graphfile.Edge{From: e.From, To: e.To, Undirected: true})
		case back < 0:
			out = append(out, e)
		}
	}
	return out
}
