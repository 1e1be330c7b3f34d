package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"

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

// A metricsTable is the table of metrics of the report. It has the columns that the truth, held-out
// rows and --details ask for.
type metricsTable struct {
	*tabwriter.Writer
	shown []bool // of the columns
}

func (r *result) metricsTable(w io.Writer) *metricsTable {
	truth, heldout := r.summary.Config.Truth != "", r.summary.Config.HeldoutRows > 0
	t := &metricsTable{cli.NewTable(w), []bool{truth, truth, truth && r.details, truth, true,
		heldout, heldout}}
	t.row("", "E-SHD", "AUROC", "with diagonal", "avg. prec.", "edges", "Neg.LL", "data only")
	return t
}

func (t *metricsTable) row(name string, cells ...string) {
	fmt.Fprint(t, "  ", name)
	for k, show := range t.shown {
		if show {
			fmt.Fprint(t, "\t", cells[k])
		}
	}
	fmt.Fprintln(t)
}

// listed writes the row of a matrix of edge probabilities.
func (t *metricsTable) listed(name string, l *metrics.EdgeReport) {
	t.row(name, fixed(l.ESHD, 2), fixed(l.AUROC, 3), fixed(l.AUROCWithDiagonal, 3),
		fixed(l.AveragePrecision, 3), fixed(l.ExpectedEdges, 2), "-", "-")
}

// scores writes the row of weighted graphs; nil means no row.
func (t *metricsTable) scores(name string, s *scores) {
	if s != nil {
		t.row(name, fixed(s.ESHD, 2), fixed(s.AUROC, 3), fixed(s.AUROCWithDiagonal, 3),
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
