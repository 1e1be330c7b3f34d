package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

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
		printField(w, "files", fmt.Sprintf("in %s: %s", filepath.Clean(dir), strings.Join(r.files(), ", ")))
	}
	if r.details {
		if err := r.printEffects(w, dir); err != nil {
			return err
		}
	}
	return r.printMetrics(w)
}

// Width of the report: a field is a word, then text that begins at column indent
// and wraps before column width.
const (
	indent = 8
	width  = 90
)

// printField writes a field. Every line of text is wrapped on its own.
func printField(w io.Writer, name, text string) {
	for _, line := range strings.Split(text, "\n") {
		at, start := 0, true
		for _, word := range strings.Split(line, " ") {
			n := utf8.RuneCountInString(word)
			switch {
			case start:
				fmt.Fprintf(w, "%-*s%s", indent, name, word)
				at, start = indent+n, false
			case at+1+n > width:
				fmt.Fprintf(w, "\n%-*s%s", indent, "", word)
				at = indent + n
			default:
				fmt.Fprint(w, " ", word)
				at += 1 + n
			}
		}
		fmt.Fprintln(w)
		name = ""
	}
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

// weightText is a weight with its standard deviation, which has two digits and
// decides how many the weight has.
func weightText(mean, sd float64) string {
	switch {
	case math.IsNaN(mean):
		return "-"
	case math.IsNaN(sd) || sd <= 0:
		return fmt.Sprintf("%.3g", mean)
	}
	decimals := 1 - int(math.Floor(math.Log10(sd)))
	switch {
	case decimals > 5 || decimals < -3:
		digits := max(1, int(math.Floor(math.Log10(math.Max(math.Abs(mean), sd))))+decimals)
		return fmt.Sprintf("%.*e ± %.1e", min(digits, 9), mean, sd)
	case decimals < 0:
		unit := math.Pow(10, float64(-decimals))
		return fmt.Sprintf("%.0f ± %.0f", unit*math.Round(mean/unit), unit*math.Round(sd/unit))
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, mean, decimals, sd)
}

// counted is a number of things.
func counted(n int, thing string) string {
	switch n {
	case 0:
		return "no " + thing
	case 1:
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
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
		printField(w, "metrics", "none: "+r.summary.Failed)
		return nil
	}
	fmt.Fprint(w, "\nMetrics")
	if c.Truth != "" {
		fmt.Fprintf(w, " against %s", c.Truth)
	}
	if c.HeldoutRows > 0 {
		fmt.Fprintf(w, ", Neg.LL of %s", counted(c.HeldoutRows, "held-out row"))
	}
	fmt.Fprintln(w)
	t := newTable(w)
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
func (r *result) label(j int) string { return label(r.Names[j]) }

// label is a column's name, quoted if it would break a table.
func label(name string) string {
	if strings.ContainsFunc(name, func(c rune) bool { return !strconv.IsPrint(c) }) {
		return strconv.Quote(name)
	}
	return name
}

func newTable(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// fixed writes a metric with some decimals, or a dash where it is not defined.
func fixed(n metrics.Number, decimals int) string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return strconv.FormatFloat(float64(n), 'f', decimals, 64)
}
