package bench_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/exact"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/internal/problems"
	"tobac/internal/study"
	"tobac/score"
	"tobac/sem"
)

// scoresOf are node scores of a table and the prior with two expected edges per node: the linear
// model with equal variances and an estimated noise variance, or BGe where columns were
// standardised.
func scoresOf(t *testing.T, p *study.Problem, bge bool) (score.Scorer, *score.Prior) {
	t.Helper()
	prior := must.Get(score.Sparse(len(p.Train.Names), 2))(t)
	if bge {
		s := must.Get(score.NewBGe(p.Train.X, nil, score.BGeOptions{}))(t)
		return s, prior
	}
	v := must.Get(score.EstimateNoiseVariance(context.Background(), p.Train.X, nil, prior,
		score.LinearOptions{}, 1))(t)
	s := must.Get(score.NewLinear(p.Train.X, nil, score.LinearOptions{NoiseVariance: v}))(t)
	return s, prior
}

// runChains runs four chains with the default options, and returns the seconds that this took.
func runChains(t *testing.T, s score.Scorer, prior *score.Prior,
	warmUp, iterations int) (*mcmc.Result, float64) {
	t.Helper()
	start, ctx := time.Now(), context.Background()
	chains := must.Get(mcmc.New(ctx, s, prior, mcmc.Options{WarmUp: warmUp, Seed: 1}))(t)
	must.Do(t, chains.Advance(ctx, warmUp+iterations))
	r := must.Get(chains.Result())(t)
	return r, time.Since(start).Seconds()
}

// exactGraphs are the edge probabilities over all graphs.
func exactGraphs(t *testing.T, s score.Scorer, prior *score.Prior) *mat.Dense {
	t.Helper()
	ctx := context.Background()
	p := must.Get(exact.New(ctx, s, prior, exact.Options{}))(t)
	orders := must.Get(p.Orders(ctx))(t)
	graphs := must.Get(orders.Graphs(ctx))(t)
	return graphs.Edges()
}

// The edge probabilities of the chains are those of the exact posterior over all graphs: their mean
// absolute error over all ordered pairs is at most 0.01 on raw columns; on standardised
// ones, whose posteriors have more and farther modes, it is reported. Without -long one set
// of 10 variables with fewer iterations.
//
//	go test ./bench -run TestChainsAgainstExact -long -v -timeout 60m
func TestChainsAgainstExact(t *testing.T) {
	type row struct {
		name        string
		problem     *study.Problem
		standardise bool
		iterations  int
	}
	rows := []row{{"linear-d10-e20-run0", recordedProblem(t, "linear-d10-e20-run0"), false, 2000}}
	if *long {
		rows = nil
		for _, name := range []string{"linear-d10-e20", "linear-d20-e40"} {
			for _, p := range synthetic(t, name, 3) {
				rows = append(rows, row{p.Name, p, false, 3000},
					row{p.Name + ", standardised", standardisedProblem(t, p), true, 3000})
			}
		}
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s, prior := scoresOf(t, row.problem, row.standardise)
			want := exactGraphs(t, s, prior)
			got, seconds := runChains(t, s, prior, 600, row.iterations)
			sum, largest := 0.0, 0.0
			d := s.Vars()
			for i := range d {
				for j := range d {
					e := math.Abs(got.Edges.At(i, j) - want.At(i, j))
					sum += e
					largest = max(largest, e)
				}
			}
			mean := sum / float64(d*(d-1))
			t.Logf("mean absolute error %.5f, largest %.4f, largest R̂ %.3f, smallest effective "+
				"sample size %.0f, %.1f s",
				mean, largest, got.Diagnostics.MaxRHat(), got.Diagnostics.MinESS(), seconds)
			if !row.standardise && !(mean <= 0.01) {
				t.Errorf("mean absolute error %.4f against the exact posterior, want at most 0.01",
					mean)
			}
		})
	}
}

// besideSums are 50 tables of 20 columns: Erdős–Rényi and scale-free graphs with 1 to 4 parents on
// average, 100 to 1,000 rows, 35 of them standardised with a variance of the noise of each column.
func besideSums(t *testing.T, k int) (string, *engine.Problem) {
	t.Helper()
	const d = 20
	seed, rows := uint64(1000+k), []int{100, 200, 500, 1000}[k/5%4]
	edges := []int{1, 2, 2, 4, 4}[k%5]
	g, err := dataset.SimulateER(dataset.ERConfig{Vars: d, EdgesPerNode: float64(edges),
		Seed: seed})
	kind := "er"
	if k%5 == 2 || k%5 == 4 {
		kind = "sf"
		g, err = dataset.SimulateScaleFree(dataset.ScaleFreeConfig{Vars: d, EdgesPerNode: edges,
			Seed: seed})
	}
	if err != nil {
		t.Fatal(err)
	}
	s := must.Get(dataset.SimulateLinear(g, dataset.LinearConfig{Rows: rows, Seed: seed}))(t)
	p := &engine.Problem{Data: s.Train, Model: sem.Linear{}, Workers: 2, Seed: 1,
		Report: func(engine.Progress) {}, Seconds: new(engine.Seconds)}
	name := fmt.Sprintf("%d %s%d, %d rows", k, kind, edges, rows)
	if k%5 >= 3 || k%2 == 0 {
		name += ", standardised"
		p.Model = sem.BGe{}
		p.Data = must.Get(s.Train.Standardize())(t)
	}
	return name, p
}

// With what the short chains settle fixed, the edge probabilities of the chains with the default
// settings are those of the sums over graphs: the mean absolute error is at most .002 on average
// over fifty tables, and at most .006 on each. Without -long three of the tables.
//
//	go test ./bench -run TestChainsBesideSums -long -v
func TestChainsBesideSums(t *testing.T) {
	step, ctx := 17, context.Background()
	if *long {
		step = 1
	}
	sum, tables := 0.0, 0
	for k := 4; k < 54; k += step {
		name, p := besideSums(t, k%50)
		t.Run(name, func(t *testing.T) {
			settings := must.Get(new(graphchains.Settings).FilledFor(len(p.Data.Names)))(t)
			settled, err := graphchains.Settle(ctx, p.Data, problems.ScoredModels(p), p, settings,
				inference.TrustOf(p))
			if err != nil {
				t.Fatal(err)
			}
			want := exactGraphs(t, settled.Hypothesis.Scores, settled.Prior)
			chains := must.Get(graphchains.New(ctx, p.Data, settled, p, settings))(t)
			_, steps := chains.Steps()
			must.Do(t, chains.Advance(ctx, steps))
			got := must.Get(chains.Inference(ctx))(t)
			var e mat.Dense
			e.Sub(got.Posterior.Probabilities, want)
			e.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, &e)
			d := float64(len(p.Data.Names))
			mean := mat.Sum(&e) / (d * (d - 1))
			sum, tables = sum+mean, tables+1
			t.Logf("mean absolute error %.4f, largest %.3f, R̂ %.2f, effective sample size %.0f",
				mean, mat.Max(&e), got.Diagnostics.MaxRHat(), got.Diagnostics.MinESS())
			if !(mean <= 0.006) {
				t.Errorf("mean absolute error %.4f, want at most .006", mean)
			}
		})
	}
	t.Logf("mean of %d tables: %.4f", tables, sum/float64(tables))
	if !(sum <= 0.002*float64(tables)) {
		t.Errorf("mean absolute error %.4f, want at most .002", sum/float64(tables))
	}
}

// With 50 and 100 variables, which no exact computation reaches, four chains from random starts
// agree: R̂ of the 20 least certain edges is at most 1.1.
//
//	go test ./bench -run TestChainsAgree -long -v -timeout 60m
func TestChainsAgree(t *testing.T) {
	if !*long {
		t.Skip("takes minutes: go test ./bench -run TestChainsAgree -long -v -timeout 60m")
	}
	problems := synthetic(t, "linear-d50-e100", 1)
	problems = append(problems,
		&study.Problem{Name: "simulated-d100-e200", Train: simulatedTable(t, 100)})
	for _, p := range problems {
		t.Run(p.Name, func(t *testing.T) {
			s, prior := scoresOf(t, p, false)
			r, seconds := runChains(t, s, prior, 600, 2000)
			q := r.Diagnostics
			t.Logf("largest R̂ %.3f, smallest effective sample size %.0f, R̂ of log p %.3f, %.1f "+
				"edges, %.1f s; %d edges apart",
				q.MaxRHat(), q.MinESS(), q.LogP.RHat, mat.Sum(r.Edges), seconds, len(q.Apart()))
			if !(q.MaxRHat() <= 1.1) {
				t.Errorf("largest R̂ %.3f, want at most 1.1", q.MaxRHat())
			}
		})
	}
}
