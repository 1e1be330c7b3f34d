package main

import (
	"io"
	"math"
	"slices"

	"tobac"
	"tobac/dag"
	"tobac/delimited"
	"tobac/internal/file"
)

// A result is a finished fit.
type result struct {
	*tobac.Result
	summary summary
	warned  []string // warnings that the user has seen
}

// fitFiles are the files that tobac fit may write.
var fitFiles = []string{"edges.csv", "graph.csv", "graph.dot", particlesFile, besideFile, "summary.json"}

// files are those of this result.
func (r *result) files() []string {
	if r.Particles != nil {
		return fitFiles
	}
	return slices.DeleteFunc(slices.Clone(fitFiles), func(name string) bool { return name == besideFile })
}

// save writes all files into the folder, or none.
func (r *result) save(out *file.Set) error {
	p := r.Posterior
	graph, weights := p.Consensus()
	var labels func(dag.Edge) []dag.Attribute
	if weights != nil {
		labels = dag.WeightLabels(weights)
	}
	writers := map[string]func(io.Writer) error{
		"edges.csv":    r.writeEdges,
		"graph.csv":    func(w io.Writer) error { return dag.WriteEdges(w, graph, p.Names, weights) },
		"graph.dot":    func(w io.Writer) error { return dag.WriteDOT(w, graph, p.Names, labels) },
		particlesFile:  p.Write,
		besideFile:     func(w io.Writer) error { return r.Particles.Write(w) },
		"summary.json": func(w io.Writer) error { return writeJSON(w, r.summary) },
	}
	for _, name := range r.files() {
		if err := out.Write(name, writers[name]); err != nil {
			return err
		}
	}
	return out.Commit()
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
