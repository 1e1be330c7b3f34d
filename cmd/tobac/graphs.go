package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tobac/dag"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/file"
	"tobac/internal/graphfile"

	"github.com/spf13/pflag"
)

// readGraph reads a graph on the named columns in any format: what is known of
// edges, or the truth, whose edges are certain. Vertices that are no columns and have no edges are left out;
// columns of which the file says nothing have no edges.
func readGraph(path string, columns []string) (on, whole *graphfile.Graph, err error) {
	if err := file.CheckEdited(path); err != nil {
		return nil, nil, err
	}
	whole, _, err = graphfile.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	certain, err := whole.Certain()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w, for what is given is certain; tobac convert %s OUT.txt --above P keeps the edges above P", path, err, cli.ShellWord(path))
	}
	if on, _, err = certain.On(columns); err != nil {
		return nil, nil, cli.Located(path, err)
	}
	return on, whole, nil
}

// readTruth reads an acyclic graph on the named variables, all of which it has to
// name if its format names vertices without edges.
func readTruth(path string, names []string) (*dag.Graph, error) {
	g, whole, err := readGraph(path, names)
	if err != nil {
		return nil, err
	}
	if missing := whole.Missing(names); missing != nil {
		return nil, fmt.Errorf("%s: the graph has no vertex %s; allowed: a graph with all columns as vertices", path, delimited.Excerpts(missing))
	}
	truth, err := g.DAG()
	if err != nil {
		return nil, cli.Located(path, err)
	}
	return truth, nil
}

// consensusGraph is the consensus graph with all that is known of its edges, those
// with an unknown direction included.
func (r *result) consensusGraph() *graphfile.Graph {
	g := &graphfile.Graph{Names: r.Names}
	consensus, _ := r.Posterior.PartiallyDirected()
	for _, p := range r.Posterior.Pairs() {
		if !consensus.Has(p.A, p.B) {
			continue // a directed edge follows the more probable direction, A → B
		}
		g.Edges = append(g.Edges, graphfile.Edge{From: p.A, To: p.B, Undirected: consensus.Has(p.B, p.A), Probability: graphfile.Known(r.Probabilities.At(p.A, p.B)),
			Adjacent: graphfile.Known(p.Adjacent), Weight: graphfile.Known(p.Mean), WeightSD: graphfile.Known(p.SD)})
	}
	return g
}

// exported are the formats of results.formats; consensus.dot is there without it too.
var exported = []graphfile.Format{graphfile.GraphML, graphfile.GML, graphfile.BIF, graphfile.NetworkX, graphfile.Cytoscape, graphfile.NPZ, graphfile.Arrows, graphfile.DOT}

// formatList is a flag for some of the exported formats.
func formatList(value *[]graphfile.Format) pflag.Value {
	var names []string
	for _, f := range exported {
		names = append(names, f.String())
	}
	return cli.Bound(value, "F,F,...", strings.Join(names, ", ")+", separated by commas", func(text string) (list []graphfile.Format, ok bool) {
		for word := range strings.SplitSeq(text, ",") {
			at := slices.Index(names, strings.ToLower(strings.TrimSpace(word)))
			if at < 0 {
				return nil, false
			}
			list = append(list, exported[at])
		}
		return list, true
	})
}

// export is the output of the consensus graph in a format that was asked for.
func export(f graphfile.Format) output {
	return output{
		name:  "consensus" + f.Ending(),
		write: func(r *result, w io.Writer) error { return f.Write(w, r.consensusGraph()) },
		has:   func(r *result) bool { return slices.Contains(r.formats, f) },
	}
}

// exportPosterior is the archive of all matrices, if it was asked for.
var exportPosterior = output{
	name: "posterior.npz",
	write: func(r *result, w io.Writer) error {
		return graphfile.WritePosterior(w, r.consensusGraph(), r.Posterior.Marginals)
	},
	has: func(r *result) bool { return slices.Contains(r.formats, graphfile.NPZ) },
}

// checkFormats finds formats that cannot hold the names of the columns, before the
// work.
func checkFormats(formats []graphfile.Format, names []string, out string) error {
	if formats != nil && out == "" {
		return cli.Usagef("results.formats names files of --out DIR, which is missing")
	}
	for _, f := range formats {
		if err := f.Write(io.Discard, &graphfile.Graph{Names: names}); err != nil {
			return cli.Located(fmt.Sprintf("results.formats=%v", f), err)
		}
	}
	return nil
}
