package dag_test

import (
	"bytes"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
)

// A partially directed graph with weights reads back as it was written; of an
// undirected edge, the weight of the direction that was written holds for both.
func TestPartiallyDirectedReadsBack(t *testing.T) {
	names := []string{"a", "b c", "d,e", `q"`, "z"}
	rapid.Check(t, func(t *rapid.T) {
		d := len(names)
		g, weights := dag.New(d), mat.NewDense(d, d, nil)
		for i := range d {
			for j := range d {
				if i != j && rapid.Bool().Draw(t, "edge") {
					g.Set(i, j, true)
					weights.Set(i, j, rapid.Float64Range(-9, 9).Draw(t, "weight"))
				}
			}
		}
		if !rapid.Bool().Draw(t, "weighted") {
			weights = nil
		}
		backwards := rapid.Bool().Draw(t, "backwards")
		var text bytes.Buffer
		if err := dag.WritePartiallyDirected(&text, g, names, weights, func(dag.Edge) bool {
			return !backwards
		}); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(text.String(), "\n"); lines != 1+g.Size()-len(g.Undirected()) {
			t.Fatalf("%d lines for %d edges, %d of them undirected pairs", lines, g.Size(),
				len(g.Undirected()))
		}
		got, w, err := dag.ReadEdges(&text, "consensus.csv", names)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Equal(g) || (w == nil) != (weights == nil) {
			t.Fatalf("read %v, wrote %v", got.Edges(), g.Edges())
		}
		for _, e := range g.Edges() {
			if weights == nil {
				break
			}
			want := weights.At(e.From, e.To)
			if g.Has(e.To, e.From) && (e.From > e.To) != backwards {
				want = weights.At(e.To, e.From)
			}
			if w.At(e.From, e.To) != want {
				t.Fatalf("weight of %v is %v, want %v", e, w.At(e.From, e.To), want)
			}
		}
	})
}

func TestTypeFaults(t *testing.T) {
	names := []string{"a", "b"}
	for _, row := range []struct{ name, text, want string }{
		{"unknown type", "source,target,type\na,b,o-o\n",
			`g.csv: line 2: type of the edge is "o-o"; allowed: ->, --`},
		{"undirected and directed", "source,target,type\na,b,--\nb,a,->\n",
			`g.csv: line 3: edge "b" -> "a" is already on line 2; allowed: each edge once`},
	} {
		if _, _, err := dag.ReadEdges(strings.NewReader(row.text), "g.csv", names); err == nil ||
			err.Error() != row.want {
			t.Errorf("%s: got %v, want %s", row.name, err, row.want)
		}
	}
}
