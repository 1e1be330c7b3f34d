package graphfile_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tobac/internal/graphfile"
	"tobac/internal/must"
)

const network = `network unknown { }
variable A { type discrete [ 2 ] { yes, no }; }
variable B { type discrete [ 3 ] { <5, 5-9, >=10 }; }
variable C { type discrete [ 2 ] { yes, no }; }
probability ( A ) { table 0.2, 0.8; }
probability ( B | A ) { (yes) 0.5, 0.25, 0.25; (no) 0.1, 0.2, 0.7; }
probability ( C | A, B ) { default 0.5, 0.5; (no, 5-9) 0.125, 0.875; }
`

// Tables of a network are read, and written so that they are read again.
func TestTables(t *testing.T) {
	read := func(text string) *graphfile.Graph {
		t.Helper()
		g, _ := must.Two(graphfile.Read(strings.NewReader(text), "net.bif"))(t)
		return g
	}
	g := read(network)
	half := []float64{0.5, 0.5}
	want := []graphfile.Table{
		{States: []string{"yes", "no"}, Parents: []int{}, Rows: [][]float64{{0.2, 0.8}}},
		{States: []string{"<5", "5-9", ">=10"}, Parents: []int{0},
			Rows: [][]float64{{0.5, 0.25, 0.25}, {0.1, 0.2, 0.7}}},
		{States: []string{"yes", "no"}, Parents: []int{0, 1},
			Rows: [][]float64{half, half, half, half, {0.125, 0.875}, half}},
	}
	if diff := cmp.Diff(want, g.Tables); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	var b bytes.Buffer
	must.Do(t, graphfile.BIF.Write(&b, g))
	if diff := cmp.Diff(want, read(b.String()).Tables); diff != "" || graphfile.BIF.Lost(g) != nil {
		t.Errorf("tables written and read again (-want +got):\n%s, %q are lost", diff,
			graphfile.BIF.Lost(g))
	}
	if lost := graphfile.DOT.Lost(g); len(lost) != 1 || lost[0] != "tables of probabilities" {
		t.Errorf("DOT loses %q", lost)
	}
	// A table of another form leaves the graph alone.
	for _, text := range []string{
		strings.Replace(network, "0.1, 0.2, 0.7", "0.1, 0.2", 1),
		strings.Replace(network, "(yes) 0.5", "(maybe) 0.5", 1),
		strings.Replace(network, "(no, 5-9)", "(no)", 1),
		strings.Replace(network, "0.125", "x", 1),
	} {
		if g := read(text); g.Tables != nil || len(g.Edges) != 3 {
			t.Errorf("%d edges and %d tables of\n%s", len(g.Edges), len(g.Tables), text)
		}
	}
	g.Edges = g.Edges[:2]
	if err := g.Check(); err == nil {
		t.Error("tables of another graph were accepted")
	}
}
