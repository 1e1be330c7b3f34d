package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"

	"tobac/internal/cli"
	"tobac/internal/words"
	"tobac/posterior"
)

// printPairs lists the pairs of variables that are most probably adjacent.
func (r *result) printPairs(w io.Writer, dir string) error {
	pairs := r.Posterior.Pairs()
	most := r.rows()
	switch {
	case len(r.Draws) > 0 && r.summary.Cyclic == len(r.Draws):
		fmt.Fprint(w, "Every particle has a cycle: there is no acyclic graph to report.\n")
		return nil
	case len(pairs) == 0:
		fmt.Fprint(w, "No pair is adjacent with a probability of 0.005 or more.\n")
		return nil
	}
	weighted := r.Posterior.WeightMean != nil
	given := ", strongest first"
	if r.verdict.Conditional != "" {
		given = " " + r.verdict.Conditional
	}
	given += r.refuted()
	fmt.Fprintf(w, "Pairs%s: probability of an edge, and of A → B if there is one\n", given)
	t := cli.NewTable(w)
	fmt.Fprint(t, "  A\t \tB\tadjacent\tA → B if so")
	if weighted {
		fmt.Fprint(t, "\tweight of A → B\tof B → A")
	}
	precedes, known := r.Posterior.Precedes(), newCertainty(&r.Config.Prior, len(r.Names))
	if r.summary.Orders != nil {
		fmt.Fprint(t, "\torders that allow A → B")
	}
	if known.any() {
		fmt.Fprint(t, "\tknown")
	}
	fmt.Fprintln(t)
	for _, p := range pairs[:most] {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%.2f\t%.2f", r.label(p.A), pairMark(p), r.label(p.B), p.Adjacent, p.Direction)
		if weighted {
			reverse := "-"
			if p.Adjacent*(1-p.Direction) >= posterior.Floor {
				reverse = cli.WeightText(p.ReverseMean, p.ReverseSD)
			}
			fmt.Fprintf(t, "\t%s\t%s", cli.WeightText(p.Mean, p.SD), reverse)
		}
		if r.summary.Orders != nil {
			fmt.Fprintf(t, "\t%.2f", precedes.At(p.A, p.B))
		}
		if known.any() {
			fmt.Fprint(t, "\t", known.mark(p.A, p.B))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(pairs) - most; more > 0 {
		where := "pairs.csv with --out DIR"
		if dir != "" {
			where = filepath.Join(dir, "pairs.csv")
		}
		fmt.Fprintf(w, "  and %s (%s)\n", words.Counted(more, "less probable pair"), where)
	}
	if weighted {
		fmt.Fprintf(w, "  weight: mean of the coefficient given the edge%s, %s\n", plusMinusText(r.Posterior.Marginals), r.summary.Config.units())
	}
	if known.any() {
		fmt.Fprintln(w, "  known: given before, not found in the data")
	}
	r.printConsensus(w)
	return nil
}

// rows is the number of pairs that the report lists: as many as there are columns, fewer if the
// others are hardly adjacent.
func (r *result) rows() int {
	pairs := len(r.Posterior.Pairs())
	if r.details {
		return min(20, pairs)
	}
	return min(20, pairs, len(r.Names), max(3, len(r.Posterior.PairsFrom(probable))))
}

// probable is the probability of adjacency from which on the report lists a pair.
const probable = 0.05

// plusMinusText says what ± is, if it is printed.
func plusMinusText(m posterior.Marginals) string {
	for _, p := range m.Pairs() {
		if !math.IsNaN(p.SD) {
			return " ± its standard deviation"
		}
	}
	return ""
}

// pairMark is an arrow where the direction has a high probability, as in the
// consensus graph.
func pairMark(p posterior.Pair) string {
	if p.Direction >= posterior.Directed {
		return "→"
	}
	return "—"
}

// printConsensus says what the consensus graph holds.
func (r *result) printConsensus(w io.Writer) {
	g, _ := r.Posterior.PartiallyDirected()
	undirected := len(g.Undirected())
	directed := g.Size() - 2*undirected
	fmt.Fprintf(w, "Consensus graph, pairs adjacent above 1/2: %s directed (→), %s undirected (—)\n",
		words.Counted(directed, "edge"), words.Counted(undirected, "edge"))
}
