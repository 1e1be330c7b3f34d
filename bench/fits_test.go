package bench_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"tobac/internal/study"
	"tobac/metrics"
)

// A method of a comparison is any function, unlike those of package study, which are values.
type method struct {
	Name string
	// Fit infers the posterior of a problem. All its random numbers come from the seed.
	Fit func(ctx context.Context, p *study.Problem, seed uint64) (*study.Fitted, error)
}

// An outcome is how one method did on one problem.
type outcome struct {
	Problem, Method    string
	Listed             *metrics.EdgeReport
	Empirical, Mixture *metrics.Report // nil without draws; the latter of particles only
	Seconds            float64
}

// compare applies every method to every problem, method by method. Problem number i is fitted with
// the seed 1+i. record is called with each outcome; nil means not at all.
func compare(t *testing.T, problems []*study.Problem, methods []method,
	record func(outcome)) (all []outcome) {
	t.Helper()
	for _, m := range methods {
		for i, p := range problems {
			start := time.Now()
			f, err := m.Fit(context.Background(), p, 1+uint64(i))
			if err != nil {
				t.Fatalf("%s on %s: %v", m.Name, p.Name, err)
			}
			o := outcome{Problem: p.Name, Method: m.Name, Seconds: time.Since(start).Seconds()}
			v, err := f.Judge(p.Truth)
			if err != nil {
				t.Fatalf("%s on %s: %v", m.Name, p.Name, err)
			}
			if v.Listed != nil {
				o.Listed = v.Listed.Edges
			}
			if v.Empirical != nil {
				o.Empirical = v.Empirical.Draws
			}
			if v.Mixture != nil {
				o.Mixture = v.Mixture.Draws
			}
			all = append(all, o)
			if record != nil {
				record(o)
			}
		}
	}
	return all
}

// over is the mean and standard deviation of a number over outcomes.
func over(outcomes []outcome, number func(outcome) metrics.Number) study.MeanSD {
	values := make([]float64, len(outcomes))
	for i, o := range outcomes {
		values[i] = float64(number(o))
	}
	return study.MeanSDOf(values)
}

// A column of a table of outcomes.
type column struct {
	title  string
	number func(outcome) metrics.Number
}

func secondsOf(o outcome) metrics.Number { return metrics.Number(o.Seconds) }

// drawColumns are those of draws.
func drawColumns(part func(outcome) *metrics.Report) []column {
	return []column{
		{"E-SHD", func(o outcome) metrics.Number { return part(o).ESHD }},
		{"AUROC with diagonal", func(o outcome) metrics.Number {
			return part(o).AUROCWithDiagonal
		}},
		{"AUROC", func(o outcome) metrics.Number { return part(o).AUROC }},
		{"AP", func(o outcome) metrics.Number { return part(o).AveragePrecision }},
		{"edges", func(o outcome) metrics.Number { return part(o).ExpectedEdges }},
		{"Neg.LL", func(o outcome) metrics.Number { return part(o).NegLL }},
		{"seconds", secondsOf},
	}
}

// listedColumns are those of edge probabilities.
var listedColumns = []column{
	{"E-SHD", func(o outcome) metrics.Number { return o.Listed.ESHD }},
	{"AUROC", func(o outcome) metrics.Number { return o.Listed.AUROC }},
	{"skeleton AUROC", func(o outcome) metrics.Number { return o.Listed.SkeletonAUROC }},
	{"log score", func(o outcome) metrics.Number { return o.Listed.LogScore }},
	{"seconds", secondsOf},
}

// A section is the outcomes on problems of one kind.
type section struct {
	Problems string
	Outcomes []outcome
}

// markdown is a table with a row for each method in each section: mean ± standard deviation over
// the section's problems.
func markdown(sections []section, columns []column) string {
	head, rule := "| data | method |", "| --- | --- |"
	for _, c := range columns {
		head += " " + c.title + " |"
		rule += " --- |"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", head, rule)
	for _, s := range sections {
		var names []string
		of := map[string][]outcome{}
		for _, o := range s.Outcomes {
			if of[o.Method] == nil {
				names = append(names, o.Method)
			}
			of[o.Method] = append(of[o.Method], o)
		}
		for _, name := range names {
			fmt.Fprintf(&b, "| %s | %s |", s.Problems, name)
			for _, c := range columns {
				fmt.Fprintf(&b, " %v |", over(of[name], c.number))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}
