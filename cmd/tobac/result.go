package main

import (
	"context"
	"io"
	"slices"

	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/file"
	"tobac/internal/graphfile"
)

// fitOutputs are the files that tobac fit may write.
var fitOutputs = []output{
	{name: "edges.csv", write: (*result).writeEdges},
	{name: "pairs.csv", write: (*result).writePairs},
	{name: effectsFile, write: (*result).writeEffects, has: func(r *result) bool { return r.effects != nil }},
	{name: "consensus.csv", write: (*result).writeConsensus},
	{name: "consensus.dot", write: (*result).writeDOT},
	{name: particlesFile, write: func(r *result, w io.Writer) error { return r.Posterior.Write(w) }},
	{name: comparedFile, write: func(r *result, w io.Writer) error { return r.particles.Write(w) }, has: func(r *result) bool { return r.particles != nil }},
	{name: functionsFile, write: func(r *result, w io.Writer) error { return r.functions.Write(w) }, has: func(r *result) bool { return r.functions != nil }},
	{name: cli.ConfigFile, write: (*result).writeConfig},
	{name: summaryFile, write: func(r *result, w io.Writer) error { return cli.WriteJSON(w, r.summary) }},
	{name: reportFile, write: func(r *result, w io.Writer) error { return r.page.WriteHTML(w) }, has: func(r *result) bool { return r.page != nil }},
	{name: "imputation.csv", write: (*result).writeImputed, has: func(r *result) bool { return r.imputed != nil }},
	export(graphfile.GraphML), export(graphfile.GML), export(graphfile.BIF), export(graphfile.NetworkX), export(graphfile.Cytoscape), export(graphfile.Arrows), exportPosterior,
}

// fitFiles are the names of these files and of the manifest.
func fitFiles() []string { return append(outputNames(fitOutputs), file.Manifest) }

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

// files are the names of the files of this result, and of the folder of its figures.
func (r *result) files() []string {
	names := outputNames(r.outputs())
	if r.page != nil {
		names = append(names, figuresFolder+"/")
	}
	return names
}

// save writes all files into the folder, or none.
func (r *result) save(out *file.Set) error {
	out.SetID(r.summary.Run)
	for _, o := range r.outputs() {
		if err := out.Write(o.name, func(w io.Writer) error { return o.write(r, w) }); err != nil {
			return err
		}
	}
	if r.page != nil {
		if err := writeFigures(context.Background(), r.page, out); err != nil {
			return err
		}
	}
	return out.Commit()
}

// writeEdges writes every edge with a probability above 0, most probable first.
// What is not known of its weight stays empty. Fixed is 1 for an edge that was required, 0 for one
// that was found.
func (r *result) writeEdges(w io.Writer) error {
	text := []byte("source,target,probability,weight_mean,weight_sd,adjacent,direction,fixed\n")
	fixed := newCertainty(&r.Config.Prior, len(r.Names))
	for _, e := range r.Posterior.EdgesFrom(0) {
		text = delimited.AppendTexts(text, r.Names[e.Source], r.Names[e.Target])
		text = appendKnown(text, e.Probability, e.WeightMean, e.WeightSD, e.Adjacent, r.Posterior.DirectionOf(e.Source, e.Target))
		if text = append(text, ",0"...); fixed.given(e.Source, e.Target) {
			text[len(text)-1] = '1'
		}
		text = append(text, '\n')
	}
	_, err := w.Write(text)
	return err
}
