package main

import (
	"fmt"
	"io"
	"slices"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/drawn"
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

// fitted are the tables that were fitted, several if values were missing; nil where columns were
// scaled.
func (r *result) fitted() []*dataset.Table {
	if r.train != nil {
		return []*dataset.Table{r.train}
	}
	var all []*dataset.Table
	if m := r.Imputation; m != nil {
		for k := range m.Tables {
			all = append(all, m.Table(k))
		}
	}
	return all
}

// network is the consensus graph with tables of probabilities, where all columns have levels: their
// posterior means given the graph. Tables need a direction of every edge. An edge whose direction
// is open has that of the drawn graph nearest to the consensus graph, unless it makes a cycle with
// more probable edges.
func (r *result) network() *graphfile.Graph {
	g := r.consensusGraph()
	fitted := r.fitted()
	if fitted == nil || len(r.Posterior.Draws) == 0 {
		return g
	}
	near, most := r.Posterior.Draws[0].Graph, -1
	for _, d := range r.Posterior.Draws {
		same := 0
		for _, e := range g.Edges {
			if d.Graph.Has(e.From, e.To) || e.Undirected && d.Graph.Has(e.To, e.From) {
				same++
			}
		}
		if same > most {
			near, most = d.Graph, same
		}
	}
	graph := dag.New(len(r.Names))
	for k := range g.Edges { // the most probable first
		e := &g.Edges[k]
		if e.Undirected && near.Has(e.To, e.From) {
			*e = graphfile.Edge{From: e.To, To: e.From, Adjacent: e.Adjacent}
		}
		if graph.Set(e.From, e.To, true); !graph.Acyclic() {
			graph.Set(e.From, e.To, false)
			*e = graphfile.Edge{From: e.To, To: e.From, Adjacent: e.Adjacent}
			graph.Set(e.From, e.To, true)
		}
		e.Undirected, e.Probability = false,
			graphfile.Known(r.Probabilities.At(e.From, e.To))
	}
	tables, ok := drawn.Tables(fitted, graph)
	if !ok {
		return r.consensusGraph()
	}
	for j, rows := range tables {
		t := graphfile.Table{Parents: graph.Parents(j), Rows: rows}
		if first := fitted[0]; first.Named(j) {
			t.States = first.Variables[j].Levels
		} else {
			for _, v := range first.Values(j) {
				t.States = append(t.States, string(delimited.AppendNumber(nil, v)))
			}
		}
		g.Tables = append(g.Tables, t)
	}
	return g
}

// export is the output of the consensus graph in a format that was asked for.
func export(f graphfile.Format) output {
	graph := (*result).consensusGraph
	if f == graphfile.BIF {
		graph = (*result).network
	}
	return output{
		name:  "consensus" + f.Ending(),
		write: func(r *result, w io.Writer) error { return f.Write(w, graph(r)) },
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
