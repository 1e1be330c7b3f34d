package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"tobac/internal/cli"
	"tobac/internal/words"
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
		cli.PrintField(w, "files", fmt.Sprintf("in %s: %s", filepath.Clean(dir), strings.Join(r.files(), ", ")))
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
	t := cli.NewTable(w)
	fmt.Fprintln(t, metricsHeader)
	printListed(t, "listed", m.Listed)
	graphs := "draws"
	if particlesListed(r.Result) {
		graphs = "particles"
	}
	printScores(t, graphs, m.Empirical)
	if r.details {
		printScores(t, graphs+", weighted", m.Mixture)
	}
	printScores(t, "empty graph", &m.Empty)
	if err := t.Flush(); err != nil {
		return err
	}
	if l := m.Listed; c.Truth != "" && r.details {
		fmt.Fprintf(w, "  listed probabilities: Brier score %s, log score %s, calibration error %s\n", fixed(l.Brier, 4), fixed(l.LogScore, 3), fixed(l.CalibrationError, 3))
		fmt.Fprintf(w, "  skeleton: AUROC %s, average precision %s; median graph: SHD %s, of equivalence classes %s\n",
			fixed(l.SkeletonAUROC, 3), fixed(l.SkeletonAveragePrecision, 3), fixed(l.ConsensusSHD, 0), fixed(l.CPDAGSHD, 0))
	}
	if r.summary.Cyclic > 0 {
		fmt.Fprintf(w, "  particles with a cycle: %d of %d, left out\n", r.summary.Cyclic, len(r.Draws))
	}
	return nil
}
