package main

import (
	"fmt"
	"io"
	"math"

	"tobac/dag"
	"tobac/internal/delimited"
	"tobac/internal/graphfile"
)

// writePairs writes every pair with a probability above 0, most probable first.
// What is not known of its weights stays empty.
func (r *result) writePairs(w io.Writer) error {
	text := []byte("first,second,adjacent,direction,weight_mean,weight_sd,reverse_weight_mean,reverse_weight_sd\n")
	for _, p := range r.Posterior.PairsFrom(0) {
		text = delimited.AppendTexts(text, r.Names[p.A], r.Names[p.B])
		text = appendKnown(text, p.Adjacent, p.Direction, p.Mean, p.SD, p.ReverseMean, p.ReverseSD)
		text = append(text, '\n')
	}
	_, err := w.Write(text)
	return err
}

// appendKnown appends numbers with a comma before each; what is not known stays
// empty.
func appendKnown(text []byte, numbers ...float64) []byte {
	for _, v := range numbers {
		text = append(text, ',')
		if !math.IsNaN(v) {
			text = delimited.AppendNumber(text, v)
		}
	}
	return text
}

// writeConsensus writes the partially directed consensus graph as an edge list; an
// undirected edge is written in its more probable direction.
func (r *result) writeConsensus(w io.Writer) error {
	g, weights := r.Posterior.PartiallyDirected()
	return dag.WritePartiallyDirected(w, g, r.Names, weights, func(e dag.Edge) bool { return r.Posterior.Pair(e.From, e.To).A == e.From })
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
