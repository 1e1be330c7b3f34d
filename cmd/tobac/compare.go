package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"tobac/diagnostics"
	"tobac/engine"
	"tobac/internal/cli"
	"tobac/internal/engines"
	"tobac/internal/file"
	"tobac/internal/graphchecks"
	"tobac/metrics"
	"tobac/posterior"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

// A comparisonSummary says how much two results differ.
type comparisonSummary struct {
	// absolute, of the edge probabilities over all ordered pairs
	Mean     metrics.Number `json:"mean_difference"`
	Greatest metrics.Number `json:"greatest_difference"`
	Source   string         `json:"source"` // of the edge with the greatest
	Target   string         `json:"target"`
	// mean difference that the finite numbers of graphs, samples and orders explain
	Explained metrics.Number `json:"explained"`
	// of the mean to it; null where nothing explains a difference
	Ratio   metrics.Number      `json:"ratio"`
	Verdict diagnostics.Verdict `json:"verdict"`
}

// Mean differences, in multiples of the Monte Carlo error, that are doubtful and bad; and what
// counts as none.
var limitRatio = [2]float64{2, 4}

const noDifference = 0.002

func newCompare() *cobra.Command {
	var json, edited bool
	cmd := &cobra.Command{
		Use:   "compare [--json] DIR DIR",
		Short: "Compare two results, relative to Monte Carlo error",
		Long: `Compare reads the results of two fits to the same columns, for example with two seeds. It
prints the mean and the greatest difference of their edge probabilities, and the mean
difference that Monte Carlo error explains. That error follows from the effective sample
size of draws, particles or chains, and from the differences between several orders; exact
sums have none. A mean above twice the error is doubtful, above four times bad, unless it
is below 0.002: the runs are too short, or they sample different posteriors.`,
		Args:                  cli.Arguments(2, 2, "two folders"),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := compareResults(args[0], args[1], edited)
			if err != nil {
				return err
			}
			if json {
				return cli.WriteJSON(cmd.OutOrStdout(), s)
			}
			return s.print(cmd.OutOrStdout())
		},
	}
	cli.Toggle(cmd.Flags(), &json, "json", cli.JSONUsage)
	cli.Toggle(cmd.Flags(), &edited, "edited", cli.EditedUsage)
	return cmd
}

// compareResults compares the results in two folders.
func compareResults(a, b string, edited bool) (*comparisonSummary, error) {
	p, first, err := sampledResult(a, edited)
	if err != nil {
		return nil, err
	}
	q, second, err := sampledResult(b, edited)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(p.Names, q.Names) {
		return nil, fmt.Errorf(
			"%s: other columns than in %s; allowed: two fits to the same columns", b, a)
	}
	d := graphchecks.Compare(p.Marginals, q.Marginals, [2]*mat.Dense{first, second})
	s := &comparisonSummary{Mean: metrics.Number(d.Mean), Greatest: metrics.Number(d.Greatest),
		Source: p.Names[d.Source], Target: p.Names[d.Target],
		Explained: metrics.Number(d.Explained), Ratio: metrics.Number(math.NaN())}
	ratio := math.Inf(1)
	if d.Explained > 0 {
		ratio = d.Mean / d.Explained
		s.Ratio = metrics.Number(ratio)
	}
	if d.Mean >= noDifference {
		s.Verdict = diagnostics.Above("ratio", ratio, limitRatio[0], limitRatio[1], "").Verdict
	}
	return s, nil
}

// sampledResult is the posterior in a folder with the standard errors of its edge probabilities;
// nil means they are sums.
func sampledResult(dir string, edited bool) (*posterior.Posterior, *mat.Dense, error) {
	files, err := file.OpenFolder(dir, edited)
	if err != nil {
		return nil, nil, err
	}
	p, s, err := readResult(files, dir)
	if err != nil {
		return nil, nil, err
	}
	training := s.Diagnostics.Training
	switch chains := s.Diagnostics.Chains; {
	case direct(s.Engine) || training != nil && training.Exact || len(p.Draws) == 0:
		return p, nil, nil
	case chains != nil && chains.MinESS >= 1:
		return p, graphchecks.SamplingErrors(p.Probabilities, float64(chains.MinESS)), nil
	}
	if between := graphchecks.ComponentErrors(p); between != nil {
		return p, between, nil
	}
	return p, graphchecks.SamplingErrors(p.Probabilities, p.Empirical().EffectiveSampleSize()), nil
}

func (s *comparisonSummary) print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "mean difference      %.4f; Monte Carlo error explains "+
		"%.4f\ngreatest difference  %.4f, of %s → %s\nverdict              %s\n",
		s.Mean, s.Explained, s.Greatest, cli.Printable(s.Source), cli.Printable(s.Target),
		s.Verdict)
	if err != nil {
		return file.WithPath("standard output", err)
	}
	return nil
}

// direct reports whether the engine with a name computes sums, which have no sampling error.
func direct(name string) bool {
	e, err := engines.ByName(name)
	if err != nil {
		return false
	}
	_, sums := e.Engine().(engine.Direct)
	return sums
}
