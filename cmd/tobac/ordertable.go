package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/internal/words"
	"tobac/metrics"
	"tobac/ordering"

	"gonum.org/v1/gonum/mat"
)

// An orderRow is what one method made of the data.
type orderRow struct {
	method  ordering.Method
	result  *ordering.Result // nil means it failed
	err     error
	seconds float64
}

// compareOrders runs every method and prints a table; known and truth may be nil. Methods
// that fail have their reason in the table; it fails if all do.
func compareOrders(ctx context.Context, t *dataset.Table, label string, known *ordering.Precedence,
	truth *dag.Graph, p *cli.Progress, stdout, stderr io.Writer) error {
	var rows []orderRow
	failed := 0
	for _, method := range ordering.Methods() {
		p.During(fmt.Sprintf("finding the order by %v", method))
		start := time.Now()
		result, err := findOrder(ctx, method, t.X, known)
		if ctx.Err() != nil {
			return cli.ErrInterrupted
		}
		p.During("")
		row := orderRow{method: method, result: result, err: err,
			seconds: time.Since(start).Seconds()}
		if err != nil {
			row.err = orderError(err, t.Names)
			failed++
		} else {
			var warnings []string
			for _, w := range result.Sentences(t.Names) {
				warnings = append(warnings, method.String()+": "+w)
			}
			cli.Warn(stderr, warnings)
		}
		rows = append(rows, row)
	}
	p.Close()
	if failed == len(rows) {
		return cli.Located(label, rows[0].err)
	}
	if err := writeOrderTable(stdout, rows, t.Names, truth); err != nil {
		return err
	}
	if truth == nil || truth.Size() == 0 {
		return nil
	}
	_, err := fmt.Fprintf(stdout, "\nA random order violates %.1f of the %d edges on "+
		"average.\nVarsortability %s, R²-sortability %s.\n",
		float64(truth.Size())/2, truth.Size(), sortability(ordering.Varsortability, t, truth),
		sortability(ordering.R2Sortability, t, truth))
	return err
}

// writeOrderTable prints one line per method.
func writeOrderTable(w io.Writer, rows []orderRow, names []string, truth *dag.Graph) error {
	table := cli.NewTable(w)
	head, blank := "method", ""
	if truth != nil {
		head, blank = head+"\tviolated edges", "\t-"
	}
	fmt.Fprintln(table, head+"\tsmallest gap\tseconds\torder") // errors come with Flush
	for _, row := range rows {
		if row.result == nil {
			fmt.Fprintf(table, "%v%s\t-\t%.3f\tfailed: %s\n", row.method, blank, row.seconds,
				cli.Message(row.err))
			continue
		}
		violated := ""
		if truth != nil {
			count, all := metrics.ViolatedEdges(row.result.Order, truth), truth.Size()
			violated = fmt.Sprintf("\t%d of %d", count, all)
			if all > 0 {
				violated += fmt.Sprintf(" (%.0f %%)", 100*float64(count)/float64(all))
			}
		}
		gap := "-"
		if !math.IsInf(row.result.MinRelGap, 1) {
			gap = fmt.Sprintf("%.3g", row.result.MinRelGap)
		}
		fmt.Fprintf(table, "%v%s\t%s\t%.3f\t%s\n", row.method, violated, gap, row.seconds,
			cli.JoinNames(words.Of(names, row.result.Order)))
	}
	return table.Flush()
}

// sortability is a measure of the data as text.
func sortability(measure func(x, truth mat.Matrix) (float64, error), t *dataset.Table,
	truth *dag.Graph) string {
	v, err := measure(t.X, truth.Matrix())
	if err != nil {
		return fmt.Sprintf("unknown (%s)", cli.Message(ordering.WithNames(err, t.Names)))
	}
	return fmt.Sprintf("%.2f", v)
}
