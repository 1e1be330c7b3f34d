package graphfile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"tobac/internal/graphfile"
	"tobac/internal/must"
)

func read(t *testing.T, text string) *graphfile.Graph {
	t.Helper()
	g, _ := must.Two(graphfile.Read(strings.NewReader(text), "file"))(t)
	return g
}

func TestOn(t *testing.T) {
	numbered := func(first, n int) (names []string) {
		for k := range n {
			names = append(names, "X"+string(rune('0'+first+k)))
		}
		return names
	}
	for _, c := range []struct {
		name, text string
		columns    []string
		left       []string
		missing    []string
		err        string
	}{
		{name: "another sequence", text: "source,target\nb,a\n", columns: []string{"a", "b"}},
		{name: "columns without edges", text: "source,target\nb,a\n",
			columns: []string{"a", "b", "c"}},
		{name: "columns that a list of vertices lacks", text: "digraph { a; b -> a }",
			columns: []string{"a", "b", "c"}, missing: []string{"c"}},
		{name: "columns that no list has", text: "digraph { b -> a }",
			columns: []string{"a", "b", "c"}},
		{name: "vertex without edges", text: "digraph { u; b -> a }", columns: []string{"a", "b"},
			left: []string{"u"}},
		{name: "hidden variable", text: "digraph {\nu -> a; u -> b }", columns: []string{"a", "b"},
			err: `line 2: unknown vertex "u"; allowed: "a", "b"`},
		{name: "hidden variables", text: "digraph {\nu -> v; v -> b }", columns: []string{"a", "b"},
			err: `line 2: unknown vertices "u", "v"; allowed: "a", "b"`},
		{name: "no names", text: "0,0\n1,0\n", columns: []string{"a", "b"}},
		{name: "no names, too few", text: "0,0\n1,0\n", columns: []string{"a", "b", "c"},
			err: `graph of 2 vertices without names, want 3, one for each column`},
		{name: "names of places", text: "X0,X1\n0,0\n1,0\n", columns: []string{"a", "b"},
			err: `unknown vertices "X0", "X1"; allowed: "a", "b"`},
		{name: "from one", text: "source,target\nX1,X2\nX1,X3\n", columns: numbered(0, 3),
			err: `line 3: vertices are counted from X1, columns from X0; allowed: the same names, "X0", "X1", "X2"`},
		{name: "from zero", text: "source,target\nX0,X2\n", columns: numbered(1, 3),
			err: `line 2: vertices are counted from X0, columns from X1; allowed: the same names, "X1", "X2", "X3"`},
		{name: "another case", text: "source,target\nAge,b\n", columns: []string{"age", "b"},
			err: `line 2: unknown vertex "Age", but there is a column "age": names must agree in case and blanks`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := read(t, c.text)
			on, left, err := g.On(c.columns)
			switch {
			case c.err != "":
				if err == nil || err.Error() != c.err {
					t.Errorf("error\n got %v\nwant %s", err, c.err)
				}
				return
			case err != nil:
				t.Fatal(err)
			}
			if len(on.Edges) != 1 || on.Edges[0].From != 1 || on.Edges[0].To != 0 ||
				!slices.Equal(on.Names, c.columns) || on.Unnamed {
				t.Errorf("got %+v", on)
			}
			if diff := cmp.Diff([][]string{c.left, c.missing},
				[][]string{left, g.Missing(c.columns)}); diff != "" {
				t.Errorf("left and missing (-want +got):\n%s", diff)
			}
		})
	}
}

// Turning all edges round twice changes nothing, and keeps edges without direction.
func TestReversed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphs(false).Draw(t, "graph")
		back := g.Reversed()
		for n, e := range g.Edges {
			if got := back.Edges[n]; e.Undirected && got != e || !e.Undirected &&
				(got.From != e.To || got.To != e.From) {
				t.Fatalf("edge %+v became %+v", e, got)
			}
		}
		if diff := cmp.Diff(g.Edges, back.Reversed().Edges, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func TestAbove(t *testing.T) {
	g := read(t,
		"source,target,type,probability,adjacent\na,b,->,0.6,0.9\nb,c,--,0.3,0.9\nc,d,->,0.5,0.5\n")
	for p, want := range map[float64]int{0: 3, 0.5: 2, 0.6: 1, 0.95: 0} {
		if got, err := g.Above(p); err != nil || len(got.Edges) != want {
			t.Errorf("above %v: %d edges, error %v, want %d", p, len(got.Edges), err, want)
		}
	}
	if _, err := read(t, "a -> b\n").Above(0.5); err == nil ||
		err.Error() != `edge "a" -> "b" has no probability` {
		t.Errorf("error %v", err)
	}
}

func TestDense(t *testing.T) {
	g := read(t,
		"source,target,type,probability,adjacent,weight\na,b,->,0.6,0.9,-2\nb,c,--,,0.9,1\n")
	for values, want := range map[graphfile.Values][]float64{
		graphfile.AdjacencyValues:   {0, 1, 0, 0, 0, 1, 0, 1, 0},
		graphfile.ProbabilityValues: {0, 0.6, 0, 0, 0, 0.9, 0, 0.9, 0},
		graphfile.WeightValues:      {0, -2, 0, 0, 0, 1, 0, 1, 0},
	} {
		if got, err := g.Dense(values); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: got %v, error %v, want %v", values, got, err, want)
		}
	}
}

// The content decides, even where it begins with a word or a sign of another format.
func TestRecognised(t *testing.T) {
	for text, want := range map[string]graphfile.Format{
		"variable,height (cm)\n0,1\n0,0\n":                                     graphfile.Matrix,
		"graph,b [x]\n0,1\n0,0\n":                                              graphfile.Matrix,
		"network,target,source\n1,{,(\n":                                       graphfile.EdgeList,
		"# from [1]\na -> b\n":                                                 graphfile.Arrows,
		"graph\n{ a -- b }":                                                    graphfile.DOT,
		"// x\nstrict digraph \"a {\" { b }":                                   graphfile.DOT,
		"/* network { */ network \"a b\" { }\nvariable a { }":                  graphfile.BIF,
		"network\n{ }\nvariable a { }":                                         graphfile.BIF,
		"<?xml version=\"1.0\"?>\n<!-- <BIF> -->\n<graphml><graph/></graphml>": graphfile.GraphML,
	} {
		if _, got, err := graphfile.Read(strings.NewReader(text), "file"); err != nil ||
			got != want {
			t.Errorf("%q: %v, error %v, want %v", text, got, err, want)
		}
	}
}

// FormatOf goes by the ending, and Read does not care for a byte order mark.
func TestFormatOf(t *testing.T) {
	for path, want := range map[string]graphfile.Format{
		"a.csv": graphfile.EdgeList, "A.CSV": graphfile.EdgeList, "a.tsv": graphfile.EdgeTabs,
		"a.txt": graphfile.Arrows, "a.npy": graphfile.NPY, "a.json": graphfile.NetworkX,
		"a.gv": graphfile.DOT, "x/a.dot": graphfile.DOT, "a.bif": graphfile.BIF,
	} {
		if got, ok := graphfile.FormatOf(path); !ok || got != want {
			t.Errorf("%s: %v, %v, want %v", path, got, ok, want)
		}
	}
	for _, path := range []string{"a.png", "a.xml", "csv"} {
		if f, ok := graphfile.FormatOf(path); ok {
			t.Errorf("%s is %v", path, f)
		}
	}
	for _, f := range graphfile.Formats() {
		if _, ok := graphfile.FormatOf("graph" + f.Ending()); !ok {
			t.Errorf("%v has the ending %s, which is none of a format", f, f.Ending())
		}
	}
	for _, text := range []string{"digraph { a -> b }", "source,target\na,b\n",
		`{"nodes":[{"id":"a"},{"id":"b"}],"edges":[{"source":"a","target":"b"}]}`,
		"<graphml><graph><node id=\"a\"/><node id=\"b\"/><edge source=\"a\" " +
			"target=\"b\"/></graph></graphml>", "a -> b\n"} {
		if diff := cmp.Diff(read(t, text).Edges, read(t, "\uFEFF"+text).Edges); diff != "" {
			t.Errorf("with a byte order mark (-without +with):\n%s", diff)
		}
	}
}

// Numbers of edges are decimal in every format: what Go alone reads as one is none.
func TestDecimalNumbers(t *testing.T) {
	for text, ok := range map[string]bool{"0.5": true, "5e-1": true, "NaN": true, "1_0": false,
		"0x1p-2": false, "half": false} {
		for name, document := range map[string]string{
			"GraphML": `<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="w" for="edge" attr.name="weight" attr.type="double"/><graph edgedefault="directed"><node id="a"/><node id="b"/><edge source="a" target="b"><data key="w">%s</data></edge></graph></graphml>`,
			"JSON":    `{"directed": true, "nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b", "weight": "%s"}]}`,
			"DOT":     `digraph { a -> b [weight="%s"] }`,
			"CSV":     "source,target,weight\na,b,%s\n",
		} {
			if name == "CSV" && text == "NaN" {
				continue // its numbers are finite or missing
			}
			g, _, err := graphfile.Read(strings.NewReader(fmt.Sprintf(document, text)), name)
			if (err == nil) != ok || ok && g.Edges[0].Weight.Known != (text != "NaN") {
				t.Errorf("%s, %s: %v, %v", name, text, g, err)
			}
		}
	}
}
