package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"tobac/internal/cli"
	"tobac/internal/explain"
	"tobac/internal/words"
	"tobac/posterior"
)

// print writes the report for a reader: the answer, what it rests on, then figures. Writes to a
// buffer do not fail, so only the tables' errors are passed on.
func (r *result) print(w io.Writer, dir string) error {
	if err := r.printPairs(w, dir); err != nil {
		return err
	}
	r.printVerdict(w)
	fmt.Fprintln(w)
	r.printRun(w)
	if dir != "" {
		cli.PrintField(w, "files",
			fmt.Sprintf("in %s: %s", filepath.Clean(dir), strings.Join(r.files(), ", ")))
	}
	if r.details {
		if err := r.printEffects(w, dir); err != nil {
			return err
		}
	}
	return r.printMetrics(w)
}

// printMetrics puts the metrics of the edge probabilities above those of the
// graphs behind them and of the empty graph, where there is anything to compare
// with.
func (r *result) printMetrics(w io.Writer) error {
	c, m := r.summary.Config, r.summary.Metrics
	if c.Truth == "" && c.HeldoutRows == 0 {
		return nil
	}
	if m == nil {
		fmt.Fprintln(w)
		cli.PrintField(w, "metrics", "none: "+r.summary.Failed)
		return nil
	}
	fmt.Fprint(w, "\nMetrics")
	if c.Truth != "" {
		fmt.Fprintf(w, " against %s", c.Truth)
	}
	if c.HeldoutRows > 0 {
		fmt.Fprintf(w, ", Neg.LL of %s", words.Counted(c.HeldoutRows, "held-out row"))
	}
	fmt.Fprintln(w)
	t := r.metricsTable(w)
	t.listed("listed", m.Listed)
	graphs := "draws"
	if particlesListed(r.Result) {
		graphs = "particles"
	}
	t.scores(graphs, m.Empirical)
	if r.details {
		t.scores(graphs+", weighted", m.Mixture)
	}
	t.scores("empty graph", &m.Empty)
	if err := t.Flush(); err != nil {
		return err
	}
	if l := m.Listed; c.Truth != "" && r.details {
		fmt.Fprintf(w, "  listed probabilities: Brier score %s, log score %s, calibration error "+
			"%s\n", fixed(l.Brier, 4), fixed(l.LogScore, 3), fixed(l.CalibrationError, 3))
		fmt.Fprintf(w, "  skeleton: AUROC %s, average precision %s; median graph: SHD %s, of "+
			"equivalence classes %s\n",
			fixed(l.SkeletonAUROC, 3), fixed(l.SkeletonAveragePrecision, 3),
			fixed(l.ConsensusSHD, 0), fixed(l.CPDAGSHD, 0))
	}
	if r.summary.Cyclic > 0 {
		fmt.Fprintf(w, "  particles with a cycle: %d of %d, left out\n", r.summary.Cyclic,
			len(r.Draws))
	}
	return nil
}

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
		fmt.Fprintf(t, "  %s\t%s\t%s\t%.2f\t%.2f", r.label(p.A), pairMark(p), r.label(p.B),
			p.Adjacent, p.Direction)
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
		left := ""
		if n := len(r.Posterior.PairsFrom(inConsensus)) - most; n > 0 {
			left = fmt.Sprintf(", %d of them adjacent above 1/2", n)
		}
		fmt.Fprintf(w, "  and %s%s (%s)\n", words.Counted(more, "less probable pair"), left, where)
	}
	if weighted {
		fmt.Fprintf(w, "  weight: mean of the coefficient given the edge%s, %s\n",
			plusMinusText(r.Posterior.Marginals), r.summary.Config.units())
	}
	if known.any() {
		fmt.Fprintln(w, "  known: given before, not found in the data")
	}
	r.printConsensus(w)
	return nil
}

// rows is the number of pairs that the report lists: those of the consensus graph, and below them
// up to a number of pairs that are not improbable, in a report of 40 lines for ten columns.
func (r *result) rows() int {
	pairs := r.Posterior.Pairs()
	most := 20
	if !r.details {
		if most = 12; len(r.Names) > 10 {
			most = min(20, max(14, len(r.Names)))
		}
		most = min(most, max(8, len(r.Posterior.PairsFrom(inConsensus))),
			max(3, len(r.Posterior.PairsFrom(probable))))
	}
	return min(most, len(pairs))
}

// Probabilities of adjacency from which on a pair is not improbable, and above which the consensus
// graph has it.
const (
	probable    = 0.05
	inConsensus = 0.5
)

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
	fmt.Fprintf(w, "Consensus graph, pairs adjacent above 1/2: %s directed (→), %d undirected "+
		"(—)\n", words.Counted(directed, "edge"), undirected)
}

// mostSentences is how many sentences of the verdict the report prints.
const mostSentences = 5

// printVerdict prints the first sentences of the verdict and its assumptions, or with --details
// all, with the warnings.
func (r *result) printVerdict(w io.Writer) {
	fmt.Fprintln(w, "\nVerdict")
	all, left := r.verdict.Sentences, 0
	if said, _ := explain.Parted(all, nil); !r.details {
		all = said
		if left = len(said) - mostSentences; left > 0 {
			all = append(slices.Clone(said[:mostSentences-1]), said[len(said)-1])
		}
	}
	for _, s := range all {
		cli.PrintField(w, "      -", s)
	}
	if left > 0 {
		cli.PrintField(w, "",
			fmt.Sprintf("(--details prints %s)", words.Counted(left, "more sentence")))
	}
}
