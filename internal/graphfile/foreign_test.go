package graphfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tobac/internal/graphfile"
	"tobac/internal/must"
)

// Files of other programs hold a → b, a → c d and b → c d, and mostly é alone; testdata/README.md
// says who wrote them.
func TestForeignFiles(t *testing.T) {
	all := []string{"a", "b", "c d", "é"}
	weights := map[[2]string]float64{{"a", "b"}: 1.5, {"a", "c d"}: -0.25, {"b", "c d"}: 2e-07}
	rows := []struct {
		file       string
		format     graphfile.Format
		names      []string // nil means all
		weighted   bool
		undirected string // "all", or the one from a to b
		unnamed    bool
		partial    bool
	}{
		{file: "foreign/networkx.graphml", format: graphfile.GraphML, weighted: true},
		{file: "foreign/numbered.graphml", format: graphfile.GraphML, weighted: true},
		{file: "foreign/undirected.graphml", format: graphfile.GraphML, weighted: true,
			undirected: "all"},
		{file: "foreign/igraph.graphml", format: graphfile.GraphML, weighted: true},
		{file: "foreign/igraph.dot", format: graphfile.DOT, weighted: true},
		{file: "foreign/pydot.dot", format: graphfile.DOT, weighted: true},
		{file: "foreign/node_link_edges.json", format: graphfile.NetworkX, weighted: true},
		{file: "foreign/node_link_links.json", format: graphfile.NetworkX, weighted: true},
		{file: "foreign/numbered.json", format: graphfile.NetworkX, weighted: true},
		{file: "foreign/undirected.json", format: graphfile.NetworkX, weighted: true,
			undirected: "all"},
		{file: "foreign/weights.npy", format: graphfile.NPY, weighted: true, unnamed: true},
		{file: "foreign/fortran.npy", format: graphfile.NPY, weighted: true, unnamed: true},
		{file: "foreign/big_endian.npy", format: graphfile.NPY, weighted: true, unnamed: true},
		{file: "foreign/adjacency_int64.npy", format: graphfile.NPY, unnamed: true},
		{file: "foreign/adjacency_bool.npy", format: graphfile.NPY, unnamed: true},
		{file: "foreign/named.npz", format: graphfile.NPZ, weighted: true},
		{file: "foreign/compressed.npz", format: graphfile.NPZ},
		{file: "foreign/single.npz", format: graphfile.NPZ, weighted: true, unnamed: true},
		{file: "foreign/pandas_matrix.csv", format: graphfile.Matrix, weighted: true},
		{file: "foreign/pandas_header.csv", format: graphfile.Matrix, weighted: true},
		{file: "foreign/pandas_edges.csv", format: graphfile.EdgeList, weighted: true,
			names: all[:3], partial: true},
		{file: "foreign/pandas_edges.tsv", format: graphfile.EdgeTabs, weighted: true,
			names: all[:3], partial: true},
		{file: "foreign/pgmpy.bif", format: graphfile.BIF, names: []string{"a", "b", "c_d", "e"}},
		{file: "foreign/pgmpy_dagitty.txt", format: graphfile.DOT,
			names: []string{"a", "b", "c_d", "e"}},
		{file: "dialects/dagitty.txt", format: graphfile.DOT},
		{file: "dialects/dagitty_chain.txt", format: graphfile.DOT},
		{file: "dialects/pdag.txt", format: graphfile.DOT, undirected: "one"},
		{file: "dialects/tetrad.txt", format: graphfile.Arrows},
		{file: "dialects/tetrad_pattern.txt", format: graphfile.Arrows,
			names: []string{"a", "b", "cd", "é"}, undirected: "one"},
		{file: "dialects/bnlearn.dot", format: graphfile.DOT},
		{file: "dialects/bnlearn.bif", format: graphfile.BIF, names: []string{"a", "b", "cd", "é"}},
		{file: "dialects/causallearn.dot", format: graphfile.DOT, undirected: "one"},
		{file: "dialects/subgraphs.gv", format: graphfile.DOT},
		{file: "dialects/yed.graphml", format: graphfile.GraphML},
		{file: "dialects/d3.json", format: graphfile.NetworkX},
		{file: "dialects/boot.strength.csv", format: graphfile.EdgeList, names: all[:3],
			partial: true},
		{file: "dialects/lines.txt", format: graphfile.Arrows, names: all[:3], partial: true},
	}
	for _, row := range rows {
		t.Run(row.file, func(t *testing.T) {
			g, format := must.Two(graphfile.ReadFile(filepath.Join("testdata", row.file)))(t)
			if format != row.format || g.Unnamed != row.unnamed || g.Partial != row.partial {
				t.Errorf("format %v, unnamed %v, partial %v; want %v, %v, %v", format, g.Unnamed,
					g.Partial, row.format, row.unnamed, row.partial)
			}
			names := all
			if row.names != nil {
				names = row.names
			}
			on, left, err := g.On(names)
			if err != nil || left != nil || len(g.Names) != len(names) {
				t.Fatalf("names %q: left %q, error %v", g.Names, left, err)
			}
			var want []graphfile.Edge
			for _, e := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
				edge := graphfile.Edge{From: e[0], To: e[1], Undirected: row.undirected == "all" ||
					row.undirected == "one" && e[1] == 1}
				if row.weighted {
					edge.Weight = graphfile.Known(weights[[2]string{all[e[0]], all[e[1]]}])
				}
				want = append(want, edge)
			}
			if row.file == "foreign/big_endian.npy" { // in single precision
				want[2].Weight = graphfile.Known(float64(float32(2e-07)))
			}
			// the chain repeats b → c d, and only the first counts
			if row.file == "dialects/subgraphs.gv" {
				want[0].Weight, want[1].Weight = graphfile.Known(2), graphfile.Known(2)
			}
			if diff := cmp.Diff(want, canonical(on, graphfile.EdgeList)); diff != "" {
				t.Errorf("edges (-want +got):\n%s", diff)
			}
		})
	}
	for _, folder := range []string{"foreign", "dialects"} {
		files := must.Get(os.ReadDir(filepath.Join("testdata", folder)))(t)
		for _, file := range files {
			listed := false
			for _, row := range rows {
				listed = listed || row.file == folder+"/"+file.Name()
			}
			if !listed {
				t.Errorf("%s/%s is read by no row", folder, file.Name())
			}
		}
	}
}
