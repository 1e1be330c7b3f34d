package main

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"tobac/internal/cli"
	"tobac/metrics"
)

// fixed writes a metric with some decimals, or a dash where it is not defined.
func fixed(n metrics.Number, decimals int) string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return strconv.FormatFloat(float64(n), 'f', decimals, 64)
}

const metricsHeader = "  \tE-SHD\tAUROC\twith diagonal\tavg. prec.\tedges\tNeg.LL\tdata only"

// printListed writes the row of a matrix of edge probabilities.
func printListed(w io.Writer, name string, l *metrics.EdgeReport) {
	fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\t-\t-\n", name, fixed(l.ESHD, 2), fixed(l.AUROC, 3),
		fixed(l.AUROCWithDiagonal, 3), fixed(l.AveragePrecision, 3), fixed(l.ExpectedEdges, 2))
}

// printScores writes the row of weighted graphs; nil means none.
func printScores(w io.Writer, name string, s *scores) {
	if s != nil {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", name, fixed(s.ESHD, 2),
			fixed(s.AUROC, 3), fixed(s.AUROCWithDiagonal, 3),
			fixed(s.AveragePrecision, 3), fixed(s.ExpectedEdges, 2), fixed(s.NegLL, 1),
			fixed(s.NegLLDataOnly, 1))
	}
}

// label is the name of a column of the posterior as a cell of a table.
func (r *result) label(j int) string { return cli.Label(r.Names[j]) }

// refuted is the assumption that the data refute, after what rests on it.
func (r *result) refuted() string {
	if r.verdict.Refuted == "" {
		return ""
	}
	return ", " + r.verdict.Refuted
}
