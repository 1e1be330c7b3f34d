package main

import (
	"fmt"
	"io"
	"slices"

	"tobac/internal/cli"
	"tobac/internal/graphfile"
)

// consensusGraph is the consensus graph with all that is known of its edges, those
// with an unknown direction included.
func (r *result) consensusGraph() *graphfile.Graph {
	g := &graphfile.Graph{Names: r.Names}
	consensus, _ := r.Posterior.PartiallyDirected()
	for _, p := range r.Posterior.Pairs() {
		if !consensus.Has(p.A, p.B) {
			continue // a directed edge follows the more probable direction, A → B
		}
		g.Edges = append(g.Edges,
			graphfile.Edge{From: p.A, To: p.B, Undirected: consensus.Has(p.B, p.A),
				Probability: graphfile.Known(r.Probabilities.At(p.A, p.B)),
				Adjacent:    graphfile.Known(p.Adjacent), Weight: graphfile.Known(p.Mean),
				WeightSD: graphfile.Known(p.SD)})
	}
	return g
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
