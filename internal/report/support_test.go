package report_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/internal/report"
	"tobac/posterior"

	_ "tobac/internal/rapidseed"
)

// A tester is a test, of the standard library or a property.
type tester interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}

// build makes a report that must not fail.
func build(t tester, c report.Content) *report.Report {
	t.Helper()
	return must.Get(report.New(t.Context(), c))(t)
}

func html(t tester, r *report.Report) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, r.WriteHTML(&b))
	return b.String()
}

// names are X0, X1, and so on.
func names(d int) []string {
	out := make([]string, d)
	for k := range out {
		out[k] = fmt.Sprintf("X%d", k)
	}
	return out
}

// filled is a d×d matrix.
func filled(d int, f func(i, j int) float64) *mat.Dense {
	m := mat.NewDense(d, d, nil)
	m.Apply(func(i, j int, _ float64) float64 {
		if i == j {
			return 0
		}
		return f(i, j)
	}, m)
	return m
}

// random is content about a sparse random graph along the order of the variables: a few
// pairs in doubt, about as many edges as variables.
func random(d int, seed uint64) report.Content {
	rng := rand.New(rand.NewPCG(seed, 1))
	p, w, sd := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
	for i := range d {
		for j := i + 1; j < d; j++ {
			if rng.Float64() > 2/float64(d) {
				p.Set(i, j, 0.02*rng.Float64())
				p.Set(j, i, 0.02*rng.Float64())
				continue
			}
			adjacent, direction := 0.3+0.7*rng.Float64(), 0.5+0.5*rng.Float64()
			p.Set(i, j, adjacent*direction)
			p.Set(j, i, adjacent*(1-direction))
			w.Set(i, j, rng.NormFloat64())
			w.Set(j, i, rng.NormFloat64())
			sd.Set(i, j, 0.2)
			sd.Set(j, i, 0.2)
		}
	}
	return report.Content{Names: names(d),
		Marginals: posterior.Marginals{Probabilities: p, WeightMean: w, WeightSD: sd}}
}

// complete is content that has every part.
func complete() report.Content {
	c := random(6, 7)
	d := len(c.Names)
	c.Title, c.Data, c.Units = "A title", "60 rows", "in units of the data"
	c.Verdict, c.Warnings = []string{"All is said."}, []string{"Take care."}
	c.Refuted = "if rows were independent"
	c.Ancestors = filled(d, func(i, j int) float64 { return float64(i) / 10 })
	c.Precedes = filled(d, func(i, j int) float64 { return 0.5 })
	c.EdgeCounts = []float64{0, 0.25, 0.5, 0.25}
	c.Effects = []report.Effect{{From: "X0", To: "X1", Mean: 2, SD: 0.5, Lower: 1, Upper: 3,
		PathProbability: 0.9}, {From: "X2", To: "X1", Mean: -2, SD: math.NaN(), Lower: math.NaN(),
		Upper: math.NaN(), PathProbability: 0.4}}
	c.SD = []float64{1, 2, 3, 4, 5, 6}
	c.Convergence = report.Convergence{Text: "The chains agree.",
		Rows: []report.ConvergenceRow{{Quantity: "log density", Mean: -100, StandardError: 0.1,
			RHat: 1.01, ESS: 500}, {Quantity: "X0 → X1", Mean: 0.5, StandardError: 0.01,
			RHat: math.NaN(), ESS: math.NaN()}}}
	c.Fit = []report.ColumnFit{
		{Name: "X0", Rows: 60, R2: 0, ResidualSD: 1, Probability: 1,
			Normal:        report.Check{P: 0.5, Text: "nothing against it"},
			EqualVariance: report.Check{P: math.NaN(), Text: "no parents"},
			Linear:        report.Check{P: math.NaN(), Text: "no parents"}},
		{Name: "X1", Parents: []string{"X0", "X2"}, Rows: 60, R2: 0.8, ResidualSD: 1,
			Probability: 0.7, Normal: report.Check{P: 1e-9, Text: "heavy tails, kurtosis 9"},
			EqualVariance: report.Check{P: 0.2}, Linear: report.Check{P: 0.9}},
	}
	c.Truth = dag.New(d)
	c.Truth.Set(0, 1, true)
	c.Metrics = []report.Metric{{Name: "AUROC", Value: "0.9", Meaning: "good"}}
	c.Facts, c.Settings, c.Versions = []report.Fact{{Name: "Data", Text: "a table"}},
		[]report.Fact{{Name: "seed", Text: "1"}}, []report.Fact{{Name: "tobac", Text: "1.0"}}
	c.Command = "tobac fit data.csv --seed 1"
	return c
}
