package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"tobac/internal/cli"
	"tobac/metrics"
)

// print writes the report for a reader: the answer, what it rests on, then figures. Writes to a buffer do not fail, so only
// the tables' errors are passed on.
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

// units says on which scale the weights are.
func (c *runConfig) units() string {
	switch {
	case c.Standardize:
		return "of standardised columns"
	case c.Transform != "none":
		return "in units of the transformed columns"
	}
	return "in units of the data"
}

const metricsHeader = "  \tE-SHD\tAUROC\twith diagonal\tavg. prec.\tedges\tNeg.LL\tdata only"

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
		fmt.Fprintf(w, ", Neg.LL of %s", cli.Counted(c.HeldoutRows, "held-out row"))
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

// printListed writes the row of a matrix of edge probabilities.
func printListed(w io.Writer, name string, l *metrics.EdgeReport) {
	fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\t-\t-\n", name, fixed(l.ESHD, 2), fixed(l.AUROC, 3), fixed(l.AUROCWithDiagonal, 3), fixed(l.AveragePrecision, 3), fixed(l.ExpectedEdges, 2))
}

// printScores writes the row of weighted graphs; nil: none.
func printScores(w io.Writer, name string, s *scores) {
	if s != nil {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", name, fixed(s.ESHD, 2), fixed(s.AUROC, 3), fixed(s.AUROCWithDiagonal, 3),
			fixed(s.AveragePrecision, 3), fixed(s.ExpectedEdges, 2), fixed(s.NegLL, 1), fixed(s.NegLLDataOnly, 1))
	}
}

// label is the name of a column of the posterior as a cell of a table.
func (r *result) label(j int) string { return cli.Label(r.Names[j]) }

// fixed writes a metric with some decimals, or a dash where it is not defined.
func fixed(n metrics.Number, decimals int) string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return strconv.FormatFloat(float64(n), 'f', decimals, 64)
}
