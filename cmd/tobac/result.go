package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"tobac/dag"
	"tobac/effects"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/file"
	"tobac/internal/graphfile"
)

// fitOutputs are the files that tobac fit may write.
var fitOutputs = []output{
	{name: "edges.csv", write: (*result).writeEdges},
	{name: "pairs.csv", write: (*result).writePairs},
	{name: effectsFile, write: (*result).writeEffects, has: func(r *result) bool {
		return r.effects != nil
	}},
	{name: "contrasts.csv", write: (*result).writeContrasts, has: func(r *result) bool {
		return r.contrasts != nil
	}},
	{name: "consensus.csv", write: (*result).writeConsensus},
	{name: "consensus.dot", write: (*result).writeDOT},
	{name: particlesFile, write: func(r *result, w io.Writer) error {
		return r.Posterior.Write(w)
	}},
	{name: comparedFile, write: func(r *result, w io.Writer) error { return r.particles.Write(w) },
		has: func(r *result) bool { return r.particles != nil }},
	{name: functionsFile, write: func(r *result, w io.Writer) error { return r.functions.Write(w) },
		has: func(r *result) bool { return r.functions != nil }},
	{name: cli.ConfigFile, write: (*result).writeConfig},
	{name: summaryFile, write: func(r *result, w io.Writer) error {
		return cli.WriteJSON(w, r.summary)
	}},
	{name: reportFile, write: func(r *result, w io.Writer) error { return r.page.WriteHTML(w) },
		has: func(r *result) bool { return r.page != nil }},
	{name: "imputation.csv", write: (*result).writeImputed, has: func(r *result) bool {
		return r.imputed != nil
	}},
	export(graphfile.GraphML), export(graphfile.BIF), export(graphfile.NetworkX),
	export(graphfile.Arrows), exportPosterior,
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
	return slices.DeleteFunc(slices.Clone(fitOutputs), func(o output) bool {
		return o.has != nil && !o.has(r)
	})
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
		if err := writeFigures(context.Background(), r.page, out, false); err != nil {
			return err
		}
	}
	return out.Commit()
}

// writeEdges writes every edge that [listedFrom] lists, most probable first.
// What is not known of its weight stays empty. Fixed is 1 for an edge that was required, 0 for one
// that was found.
func (r *result) writeEdges(w io.Writer) error {
	text := []byte("source,target,probability,weight_mean,weight_sd,adjacent,direction,fixed\n")
	fixed := newCertainty(&r.Config.Prior, len(r.Names))
	for _, e := range r.Posterior.EdgesFrom(listedFrom(len(r.Names))) {
		text = delimited.AppendTexts(text, r.Names[e.Source], r.Names[e.Target])
		text = appendKnown(text, e.Probability, e.WeightMean, e.WeightSD, e.Adjacent,
			r.Posterior.DirectionOf(e.Source, e.Target))
		if text = append(text, ",0"...); fixed.given(e.Source, e.Target) {
			text[len(text)-1] = '1'
		}
		text = append(text, '\n')
	}
	_, err := w.Write(text)
	return err
}

// An output is a file that tobac fit writes with --out.
type output struct {
	name  string
	write func(*result, io.Writer) error
	has   func(*result) bool // whether this result has it; nil means every one
}

// listedFrom is the probability above 0 from which on edges.csv and pairs.csv of so many columns
// list an edge and a pair: all of them would be half a million pairs of 1,000 columns.
func listedFrom(columns int) float64 {
	if columns > manyColumns {
		return 0.001
	}
	return 0
}

// manyColumns is the number of columns up to which these files list whatever has a probability
// above 0.
const manyColumns = 100

// writePairs writes every pair that [listedFrom] lists, most probable first.
// What is not known of its weights stays empty.
func (r *result) writePairs(w io.Writer) error {
	text := []byte("first,second,adjacent,direction,weight_mean,weight_sd,reverse_weight_mean,re" +
		"verse_weight_sd\n")
	for _, p := range r.Posterior.PairsFrom(listedFrom(len(r.Names))) {
		text = delimited.AppendTexts(text, r.Names[p.A], r.Names[p.B])
		text = appendKnown(text, p.Adjacent, p.Direction, p.Mean, p.SD, p.ReverseMean, p.ReverseSD)
		text = append(text, '\n')
	}
	_, err := w.Write(text)
	return err
}

// writeConsensus writes the partially directed consensus graph as an edge list; an
// undirected edge is written in its more probable direction.
func (r *result) writeConsensus(w io.Writer) error {
	g, weights := r.Posterior.PartiallyDirected()
	return dag.WritePartiallyDirected(w, g, r.Names, weights, func(e dag.Edge) bool {
		return r.Posterior.Pair(e.From, e.To).A == e.From
	})
}

// writeDOT draws the consensus graph for Graphviz.
func (r *result) writeDOT(w io.Writer) error {
	return graphfile.DOT.Write(w, r.consensusGraph())
}

// writeEffects writes the total effects of all pairs that may have one, strongest
// first. What is not known stays empty.
func (r *result) writeEffects(w io.Writer) error {
	text := []byte(effectsHeader + "\n")
	for _, f := range r.effects {
		text = delimited.AppendTexts(text, r.Names[f.From], r.Names[f.To])
		text = appendKnown(text, f.Mean, f.SD, f.Q05, f.Q50, f.Q95, f.Path, f.InSD)
		text = append(text, '\n')
	}
	_, err := w.Write(text)
	return err
}

// contrastsHeader is the first line of contrasts.csv.
const contrastsHeader = "from,value,to,level,mean,sd,q05,q50,q95,more,more_sd,more_q05,more_q50," +
	"more_q95,path"

// writeContrasts writes what is expected at each value that is set, and how much more that is than
// at the first one: probabilities of levels, or the mean of a column without. What is not known
// stays empty.
func (r *result) writeContrasts(w io.Writer) error {
	text := []byte(contrastsHeader + "\n")
	for _, c := range r.contrasts {
		for t, to := range c.to {
			line := func(k int, level string, mean, more effects.Distribution) {
				value := string(delimited.AppendNumber(nil, c.at[k]))
				if names := c.names(c.from); names != nil {
					value = names[k]
				}
				text = delimited.AppendTexts(text, r.Names[c.from], value, r.Names[to], level)
				text = appendKnown(text, mean.Mean, mean.SD, mean.Q05, mean.Q50, mean.Q95)
				if k == 0 {
					more = unknown
				}
				text = appendKnown(text, more.Mean, more.SD, more.Q05, more.Q50, more.Q95,
					c.path[t])
				text = append(text, '\n')
			}
			for k := range c.at {
				p, contrast := c.means[k][t], c.contrasts[k][t]
				if c.hasMean(t) {
					line(k, "", p.Mean, contrast.Mean)
				}
				if c.hasLevels(t) {
					for l, name := range c.names(to) {
						line(k, name, p.Levels[l], contrast.Levels[l])
					}
				}
			}
		}
	}
	_, err := w.Write(text)
	return err
}

// writeImputed writes, for every pair of columns, the probability of the edge, its standard
// deviation between the completed tables, and its probability in each of them.
func (r *result) writeImputed(w io.Writer) error {
	m := r.Imputation
	text := []byte("source,target,probability,sd_between_tables")
	for k := range m.Tables {
		text = fmt.Appendf(text, ",table%d", k+1)
	}
	text = append(text, '\n')
	for i, source := range r.Names {
		for j, target := range r.Names {
			if i == j {
				continue
			}
			text = delimited.AppendText(text, source)
			text = delimited.AppendText(append(text, ','), target)
			text = delimited.AppendNumber(append(text, ','), r.Probabilities.At(i, j))
			text = delimited.AppendNumber(append(text, ','), m.SD.At(i, j))
			for _, p := range m.Probabilities {
				text = delimited.AppendNumber(append(text, ','), p.At(i, j))
			}
			text = append(text, '\n')
		}
	}
	_, err := w.Write(text)
	return err
}
