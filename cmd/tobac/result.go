package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"tobac"
	"tobac/bench"
	"tobac/dag"
	"tobac/delimited"
	"tobac/internal/file"
	"tobac/ordering"
)

// A result is a finished fit.
type result struct {
	posterior *tobac.Posterior
	spread    *ordering.Distribution // of the orders of resamples; nil: one order
	particles *particleSet
	summary   summary
}

// fitFiles are the files that tobac fit writes.
var fitFiles = []string{"edges.csv", "graph.csv", "graph.dot", particlesFile, "summary.json"}

// save writes all files into the folder, or none.
func (r *result) save(out *file.Set) error {
	p := r.posterior
	graph, weights := p.Consensus()
	var labels func(dag.Edge) []dag.Attribute
	if weights != nil {
		labels = dag.WeightLabels(weights)
	}
	writers := map[string]func(io.Writer) error{
		"edges.csv":    r.writeEdges,
		"graph.csv":    func(w io.Writer) error { return dag.WriteEdges(w, graph, p.Names, weights) },
		"graph.dot":    func(w io.Writer) error { return dag.WriteDOT(w, graph, p.Names, labels) },
		particlesFile:  r.particles.write,
		"summary.json": func(w io.Writer) error { return writeJSON(w, r.summary) },
	}
	for _, name := range fitFiles {
		if err := out.Write(name, writers[name]); err != nil {
			return err
		}
	}
	return out.Commit()
}

// writeEdges writes every edge that some acyclic particle has, most probable
// first. The columns of weights stay empty for a model without.
func (r *result) writeEdges(w io.Writer) error {
	text := []byte("source,target,probability,weight_mean,weight_sd\n")
	for _, e := range r.posterior.Edges() {
		text = delimited.AppendText(text, r.posterior.Names[e.Source])
		text = delimited.AppendText(append(text, ','), r.posterior.Names[e.Target])
		text = delimited.AppendNumber(append(text, ','), e.Probability)
		if r.posterior.Weights == nil {
			text = append(text, ",,\n"...)
			continue
		}
		text = delimited.AppendNumber(append(text, ','), e.WeightMean)
		text = delimited.AppendNumber(append(text, ','), e.WeightSD)
		text = append(text, '\n')
	}
	_, err := w.Write(text)
	return err
}

// print writes the report for a reader. Writes to a buffer do not fail, so only
// the tables' errors are passed on.
func (r *result) print(w io.Writer, dir string) error {
	c, s := r.summary.Config, r.summary.Seconds
	standardised := ""
	if c.Standardize {
		standardised = ", standardised"
	}
	fmt.Fprintf(w, "data    %s: %d rows of %d variables%s", c.Data, c.TrainingRows, c.Variables, standardised)
	if c.HeldoutRows > 0 {
		fmt.Fprintf(w, ", %d rows held out", c.HeldoutRows)
	}
	fmt.Fprintln(w)
	if c.Model != nil {
		fmt.Fprintf(w, "model   %v\n", c.Model)
	}
	if c.Interventions != "" {
		fmt.Fprintf(w, "set     by intervention: %s\n", c.Interventions)
	}
	switch {
	case r.summary.Orders != nil:
		r.summary.Orders.print(w, c)
	case c.Method == "":
		fmt.Fprintf(w, "order   %s\n", joinNames(r.summary.Order))
	default:
		fmt.Fprintf(w, "method  %s, without an order: %d of %d particles have a cycle and are left out\n", c.Method, r.summary.Cyclic, c.Particles)
	}
	switch c.Prior {
	case "":
		fmt.Fprintf(w, "prior   %.4g edges per node, that is %.4g expected edges\n", c.EdgesPerNode, c.ExpectedEdges)
	case priorSF:
		fmt.Fprintln(w, "prior   scale-free")
	case priorUniform:
		fmt.Fprintln(w, "prior   uniform")
	default:
		fmt.Fprintf(w, "prior   edge probabilities in %s\n", c.Prior)
	}
	choices := ""
	if c.Gradient != "" {
		choices += ", " + c.Gradient + " gradient"
	}
	if c.Precision != "" {
		choices += ", " + c.Precision
	}
	fmt.Fprintf(w, "run     %d particles, %d steps, %d samples, %s estimator%s, seed %d: %.1f s\n",
		c.Particles, c.Steps, c.Samples, c.Estimator, choices, c.Seed, s.Total)
	if err := r.printEdges(w, dir); err != nil {
		return err
	}
	if err := r.printConsensus(w); err != nil {
		return err
	}
	if err := r.printMetrics(w); err != nil {
		return err
	}
	if dir != "" {
		fmt.Fprintf(w, "\nwritten to %s: %s\n", filepath.Clean(dir), strings.Join(fitFiles, ", "))
	}
	return nil
}

// printEdges lists the most probable edges.
func (r *result) printEdges(w io.Writer, dir string) error {
	const most = 20
	edges := r.posterior.Edges()
	switch {
	case r.summary.Cyclic == len(r.posterior.Graphs):
		fmt.Fprint(w, "\nEvery particle has a cycle: there is no acyclic graph to report.\n")
		return nil
	case len(edges) == 0:
		fmt.Fprint(w, "\nNo particle has an edge.\n")
		return nil
	}
	fmt.Fprint(w, "\nStrongest edges\n")
	t := newTable(w)
	weighted := r.posterior.Weights != nil
	if weighted {
		fmt.Fprintln(t, "  source\ttarget\tprobability\tweight")
	} else {
		fmt.Fprintln(t, "  source\ttarget\tprobability")
	}
	for _, e := range edges[:min(most, len(edges))] {
		fmt.Fprintf(t, "  %s\t%s\t%.2f", r.label(e.Source), r.label(e.Target), e.Probability)
		if weighted {
			fmt.Fprintf(t, "\t%.3g ± %.2g", e.WeightMean, e.WeightSD)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(edges) - most; more > 0 {
		where := "edges.csv with --out DIR"
		if dir != "" {
			where = filepath.Join(dir, "edges.csv")
		}
		fmt.Fprintf(w, "  and %d weaker ones (%s)\n", more, where)
	}
	return nil
}

// printConsensus lists the edges of the consensus graph.
func (r *result) printConsensus(w io.Writer) error {
	graph, weights := r.posterior.Consensus()
	fmt.Fprintf(w, "\nConsensus graph, edges of probability above 1/2: %d\n", graph.Size())
	t := newTable(w)
	precedes := r.posterior.Precedes()
	for _, e := range graph.Edges() {
		fmt.Fprintf(t, "  %s → %s", r.label(e.From), r.label(e.To))
		if weights != nil {
			fmt.Fprintf(t, "\t%.3g", weights.At(e.From, e.To))
		}
		if r.summary.Orders != nil {
			fmt.Fprintf(t, "\tbefore it in %.2f of the orders", precedes.At(e.From, e.To))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// printMetrics compares both posteriors with the empty graph, where there is
// anything to compare with.
func (r *result) printMetrics(w io.Writer) error {
	c, m := r.summary.Config, r.summary.Metrics
	if c.Truth == "" && c.HeldoutRows == 0 {
		return nil
	}
	fmt.Fprint(w, "\nMetrics")
	if c.Truth != "" {
		fmt.Fprintf(w, " against %s", c.Truth)
	}
	if c.HeldoutRows > 0 {
		fmt.Fprintf(w, ", Neg.LL of %d held-out rows", c.HeldoutRows)
	}
	fmt.Fprintln(w)
	t := newTable(w)
	fmt.Fprintln(t, "  \tE-SHD\tAUROC\twith diagonal\tavg. precision\texpected edges\tNeg.LL\tdata only")
	for _, row := range []struct {
		name string
		s    scores
	}{{"empirical", m.Empirical}, {"mixture", m.Mixture}, {"empty graph", m.Empty}} {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row.name, fixed(row.s.ESHD, 2), fixed(row.s.AUROC, 3), fixed(row.s.AUROCWithDiagonal, 3),
			fixed(row.s.AveragePrecision, 3), fixed(row.s.ExpectedEdges, 2), fixed(row.s.NegLL, 1), fixed(row.s.NegLLDataOnly, 1))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "  particles with a cycle: %d of %d\n", r.summary.Cyclic, c.Particles)
	return nil
}

// label is the name of a column of the posterior as a cell of a table.
func (r *result) label(j int) string { return label(r.posterior.Names[j]) }

// label is a column's name, quoted if it would break a table.
func label(name string) string {
	if strings.ContainsFunc(name, func(c rune) bool { return !strconv.IsPrint(c) }) {
		return strconv.Quote(name)
	}
	return name
}

func newTable(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// fixed writes a metric with some decimals, or a dash where it is not defined.
func fixed(n bench.Number, decimals int) string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return strconv.FormatFloat(float64(n), 'f', decimals, 64)
}
