package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/internal/words"
	"tobac/metrics"
	"tobac/ordering"

	"gonum.org/v1/gonum/mat"
)

// An ordersSummary reports the orders that a posterior mixes.
type ordersSummary struct {
	Resamples int `json:"resamples"`
	Failures  int `json:"failures"` // resamples without an order
	// Stability is the mean over all pairs of columns of the fraction of the
	// resamples that agree with the more frequent sequence of the pair: from ½ to 1.
	Stability       float64 `json:"stability"`
	ChanceStability float64 `json:"chance_stability"` // of random orders
	// Sortability of the columns along the true graph; null without one.
	Varsortability metrics.Number `json:"varsortability"`
	R2Sortability  metrics.Number `json:"r2_sortability"`
	Distinct       []orderSummary `json:"distinct"`
	// for each pair of the consensus graph, in its more probable direction
	Consensus []precedence `json:"consensus"`
}

// An orderSummary is one of the distinct orders.
type orderSummary struct {
	Order         []string `json:"order"`
	Count         int      `json:"count"` // resamples that gave it
	Weight        float64  `json:"weight"`
	NoiseVariance float64  `json:"noise_variance,omitempty"`
	// null unless it gives the weight
	LogEvidence metrics.Number `json:"log_evidence"`
	Violated    *int           `json:"violated_edges,omitempty"` // of the true graph
}

// A precedence is the weight of the orders in which a source comes before its
// target.
type precedence struct {
	Source   string  `json:"source"`
	Target   string  `json:"target"`
	Precedes float64 `json:"precedes"`
}

// newOrdersSummary describes the orders of a posterior; nil for a fit under one
// order that was not asked for a distribution.
func newOrdersSummary(r *tobac.Result, j *job) *ordersSummary {
	p, distribution := r.Posterior, r.Orders
	if distribution == nil {
		return nil
	}
	s := &ordersSummary{
		Resamples: distribution.Replicates + len(distribution.Failures),
		Failures:  len(distribution.Failures), Stability: distribution.Stability(),
		ChanceStability: distribution.ChanceStability(),
		Varsortability:  j.sortability(ordering.Varsortability),
		R2Sortability:   j.sortability(ordering.R2Sortability),
		Consensus:       []precedence{},
	}
	for _, o := range p.Components {
		row := orderSummary{Order: words.Of(p.Names, o.Order), Count: o.Count, Weight: o.Weight,
			NoiseVariance: o.NoiseVariance, LogEvidence: metrics.Number(o.LogEvidence)}
		if j.truth != nil {
			violated := metrics.ViolatedEdges(o.Order, j.truth)
			row.Violated = &violated
		}
		s.Distinct = append(s.Distinct, row)
	}
	slices.SortStableFunc(s.Distinct, func(a, b orderSummary) int {
		return cmp.Compare(b.Weight, a.Weight)
	})
	precedes := p.Precedes()
	for _, pair := range p.PairsFrom(0.5) {
		e := dag.Edge{From: pair.A, To: pair.B}
		s.Consensus = append(s.Consensus,
			precedence{p.Names[e.From], p.Names[e.To], precedes.At(e.From, e.To)})
	}
	return s
}

// sortability of the training data along the true graph, unknown without one or
// where it is not defined.
func (j *job) sortability(measure func(x, truth mat.Matrix) (float64, error)) metrics.Number {
	if j.truth == nil {
		return metrics.Number(math.NaN())
	}
	v, err := measure(j.train.X, j.truth.Matrix())
	if err != nil {
		v = math.NaN()
	}
	return metrics.Number(v)
}

// print lists the orders of most weight.
func (s *ordersSummary) print(w io.Writer, c *tobac.Config) {
	fmt.Fprintf(w, "orders  %d distinct ones of %d resamples, weighted by %s; resamples agree on "+
		"%.0f %% of the pairs (chance: %.0f %%)\n",
		len(s.Distinct), s.Resamples-s.Failures, c.Order.Weights, 100*s.Stability,
		100*s.ChanceStability)
	const most = 5
	for _, o := range s.Distinct[:min(most, len(s.Distinct))] {
		fmt.Fprintf(w, "        %.3f  %s\n", o.Weight, cli.JoinNames(o.Order))
	}
	if more := len(s.Distinct) - most; more > 0 {
		fmt.Fprintf(w, "        and %d more\n", more)
	}
	if !math.IsNaN(float64(s.Varsortability)) {
		fmt.Fprintf(w, "        along the true graph: varsortability %s, R²-sortability %s; 0.50 "+
			"means that they carry no information about the order\n",
			fixed(s.Varsortability, 2), fixed(s.R2Sortability, 2))
	}
}

// Sizes of the report of tobac order --bootstrap.
const (
	mostOrders = 10 // orders listed
	mostPairs  = 20 // pairs listed where there are too many for a matrix
	matrixVars = 12 // columns of the largest matrix
)

// writeBootstrap reports the orders of resamples: the order of the data, the
// distinct orders with their shares, and how often one column precedes another.
func writeBootstrap(w io.Writer, t *dataset.Table, distribution *ordering.Distribution) error {
	// errors come with Flush
	fmt.Fprintf(w, "Order of all rows: %s\n",
		cli.JoinNames(words.Of(t.Names, distribution.Point.Order)))
	fmt.Fprintf(w, "Resamples: %d, failed: %d, distinct orders: %d; they agree on %.0f %% of the "+
		"pairs of columns (chance: %.0f %%)\n\n",
		distribution.Replicates+len(distribution.Failures), len(distribution.Failures),
		len(distribution.Orders), 100*distribution.Stability(), 100*distribution.ChanceStability())
	table := cli.NewTable(w)
	fmt.Fprintln(table, "share\tcount\torder")
	for _, o := range distribution.Orders[:min(mostOrders, len(distribution.Orders))] {
		fmt.Fprintf(table, "%.3f\t%d\t%s\n", o.Weight, o.Count,
			cli.JoinNames(words.Of(t.Names, o.Order)))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if more := len(distribution.Orders) - mostOrders; more > 0 {
		fmt.Fprintf(w, "and %d more\n", more)
	}
	if len(t.Names) <= matrixVars {
		return writePrecedes(w, t.Names, distribution.Precedes())
	}
	return writeLeastStable(w, t.Names, distribution.Precedes())
}

// writePrecedes prints the matrix of precedence.
func writePrecedes(w io.Writer, names []string, precedes *mat.Dense) error {
	fmt.Fprintln(w,
		"\nShare of the resamples in which the column on the left comes before the one above")
	table := cli.NewTable(w)
	for _, name := range names {
		fmt.Fprintf(table, "\t%s", cli.Label(name))
	}
	fmt.Fprintln(table)
	for i, name := range names {
		fmt.Fprint(table, cli.Label(name))
		for j := range names {
			if i == j {
				fmt.Fprint(table, "\t-")
			} else {
				fmt.Fprintf(table, "\t%.2f", precedes.At(i, j))
			}
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}

// writeLeastStable lists the pairs of columns on whose sequence the resamples
// agree least, the more frequent sequence of each; equals by column.
func writeLeastStable(w io.Writer, names []string, precedes *mat.Dense) error {
	type pair struct {
		before, after int
		share         float64
	}
	var pairs []pair
	for i := range names {
		for j := i + 1; j < len(names); j++ {
			p := pair{i, j, precedes.At(i, j)}
			if q := precedes.At(j, i); q > p.share {
				p = pair{j, i, q}
			}
			pairs = append(pairs, p)
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.share, b.share) })
	fmt.Fprintf(w, "\nLeast stable of the %d pairs: share of the resamples in which the first "+
		"column comes before the second\n", len(pairs))
	table := cli.NewTable(w)
	for _, p := range pairs[:min(mostPairs, len(pairs))] {
		fmt.Fprintf(table, "%s\t%s\t%.2f\n", cli.Label(names[p.before]), cli.Label(names[p.after]),
			p.share)
	}
	return table.Flush()
}
