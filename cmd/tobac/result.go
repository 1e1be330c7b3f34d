package main

import (
	"io"
	"math"
	"slices"

	"tobac"
	"tobac/dag"
	"tobac/delimited"
	"tobac/graphfile"
	"tobac/internal/file"
)

// A result is a finished fit.
type result struct {
	*tobac.Result
	summary summary
	warned  []string           // warnings that the user has seen
	formats []graphfile.Format // of --formats
}

// An output is a file that tobac fit writes with --out.
type output struct {
	name  string
	write func(*result, io.Writer) error
	has   func(*result) bool // whether this result has it; nil: every one
}

// fitOutputs are the files that tobac fit may write.
var fitOutputs = []output{
	{name: "edges.csv", write: (*result).writeEdges},
	{name: "consensus.csv", write: (*result).writeConsensus},
	{name: "consensus.dot", write: (*result).writeDOT},
	{name: particlesFile, write: func(r *result, w io.Writer) error { return r.Posterior.Write(w) }},
	{name: besideFile, write: func(r *result, w io.Writer) error { return r.Particles.Write(w) }, has: func(r *result) bool { return r.Particles != nil }},
	{name: "summary.json", write: func(r *result, w io.Writer) error { return writeJSON(w, r.summary) }},
	export(graphfile.GraphML), export(graphfile.GML), export(graphfile.BIF), export(graphfile.NetworkX), export(graphfile.Cytoscape), export(graphfile.Arrows), exportPosterior,
}

// fitFiles are their names.
func fitFiles() []string { return outputNames(fitOutputs) }

func outputNames(outputs []output) []string {
	names := make([]string, len(outputs))
	for k, o := range outputs {
		names[k] = o.name
	}
	return names
}

// outputs are those of this result.
func (r *result) outputs() []output {
	return slices.DeleteFunc(slices.Clone(fitOutputs), func(o output) bool { return o.has != nil && !o.has(r) })
}

// files are the names of the files of this result.
func (r *result) files() []string { return outputNames(r.outputs()) }

// save writes all files into the folder, or none.
func (r *result) save(out *file.Set) error {
	for _, o := range r.outputs() {
		if err := out.Write(o.name, func(w io.Writer) error { return o.write(r, w) }); err != nil {
			return err
		}
	}
	return out.Commit()
}

// writeConsensus writes the edges of the consensus graph with their weights.
func (r *result) writeConsensus(w io.Writer) error {
	graph, weights := r.Posterior.Consensus()
	return dag.WriteEdges(w, graph, r.Names, weights)
}

// writeDOT draws the consensus graph for Graphviz.
func (r *result) writeDOT(w io.Writer) error {
	return graphfile.DOT.Write(w, r.consensusGraph())
}

// writeEdges writes every edge with a probability above 0, most probable first.
// What is not known of its weight stays empty.
func (r *result) writeEdges(w io.Writer) error {
	text := []byte("source,target,probability,weight_mean,weight_sd\n")
	known := func(v float64) {
		text = append(text, ',')
		if !math.IsNaN(v) {
			text = delimited.AppendNumber(text, v)
		}
	}
	for _, e := range r.Posterior.EdgesFrom(0) {
		text = delimited.AppendText(text, r.Names[e.Source])
		text = delimited.AppendText(append(text, ','), r.Names[e.Target])
		known(e.Probability)
		known(e.WeightMean)
		known(e.WeightSD)
		text = append(text, '\n')
	}
	_, err := w.Write(text)
	return err
}
