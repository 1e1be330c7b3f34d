package bench_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine/stein"
	"tobac/internal/exact"
	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/metrics"
	"tobac/score"
)

// BenchmarkExact times the exact posterior from the table to the edge probabilities: scores of all
// sets of parents, all orders, and all graphs where the row says so. It uses GOMAXPROCS
// goroutines.
//
//	go test ./bench -run '^$' -bench Exact -count 5
func BenchmarkExact(b *testing.B) {
	sachs, _ := must.Two(dataset.Sachs())(b)
	all := runtime.GOMAXPROCS(0)
	for _, row := range []struct {
		name    string
		x       *mat.Dense
		bge     bool
		graphs  bool
		workers int
	}{
		{"model=bge/data=sachs/d=11/sum=orders", sachs.X, true, false, all},
		{"model=bge/data=sachs/d=11/sum=graphs", sachs.X, true, true, all},
		{"model=linear/d=10/sum=orders", simulatedTable(b, 10).X, false, false, all},
		{"model=linear/d=15/sum=orders", simulatedTable(b, 15).X, false, false, all},
		{"model=linear/d=15/sum=graphs", simulatedTable(b, 15).X, false, true, all},
		{"model=linear/d=15/sum=orders/workers=1", simulatedTable(b, 15).X, false, false, 1},
		{"model=linear/d=20/sum=orders", simulatedTable(b, 20).X, false, false, all},
		{"model=bge/d=20/sum=orders", simulatedTable(b, 20).X, true, false, all},
	} {
		b.Run(row.name, func(b *testing.B) {
			_, d := row.x.Dims()
			prior := score.Fair(d)
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				var s score.Scorer
				var err error
				if row.bge {
					s, err = score.NewBGe(row.x, nil, score.BGeOptions{})
				} else {
					s, err = score.NewLinear(row.x, nil, score.LinearOptions{NoiseVariance: 0.1})
				}
				if err != nil {
					b.Fatal(err)
				}
				p := must.Get(exact.New(ctx, s, prior, exact.Options{Workers: row.workers}))(b)
				orders := must.Get(p.Orders(ctx))(b)
				if !row.graphs {
					orders.Edges()
					continue
				}
				graphs := must.Get(orders.Graphs(ctx))(b)
				graphs.Edges()
			}
			scores := float64(d) * math.Exp2(float64(d-1)) // a variable with each set of the others
			b.ReportMetric(scores*float64(b.N)/b.Elapsed().Seconds(), "scores/s")
			b.ReportMetric(float64(row.workers), "workers")
		})
	}
}

// simulatedTable are the rows of linearSimulation.
func simulatedTable(tb testing.TB, d int) *dataset.Table {
	tb.Helper()
	return linearSimulation(tb, d).Train
}

// linearSimulation has 100 rows of d variables of package dataset, two edges per node.
func linearSimulation(tb testing.TB, d int) *dataset.Simulation {
	tb.Helper()
	g := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: d, Seed: 1}))(tb)
	s := must.Get(dataset.SimulateLinear(g, dataset.LinearConfig{Seed: 1}))(tb)
	return s
}

// BenchmarkChains times 100 iterations of four Markov chains, in equilibrium or near it.
//
//	go test ./bench -run '^$' -bench Chains
func BenchmarkChains(b *testing.B) {
	for _, d := range []int{10, 20, 50, 100} {
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			s := must.Get(score.NewLinear(simulatedTable(b, d).X, nil,
				score.LinearOptions{NoiseVariance: 0.1}))(b)
			prior := must.Get(score.Sparse(d, 2))(b)
			ctx := context.Background()
			chains := must.Get(mcmc.New(ctx, s, prior, mcmc.Options{WarmUp: 200, Seed: 1}))(b)
			must.Do(b, chains.Advance(ctx, 200))
			b.ReportAllocs()
			for b.Loop() {
				must.Do(b, chains.Advance(ctx, 100))
			}
			b.ReportMetric(100*float64(b.N)/b.Elapsed().Seconds(), "iterations/s")
			b.ReportMetric(float64(runtime.GOMAXPROCS(0)), "workers")
		})
	}
}

// BenchmarkFit times the main job, without reading and writing of files: what the default
// does, and particles, on the Sachs data and on simulated tables. What the result is worth
// against the true graph is reported too: two versions are to differ in time alone.
//
//	go test ./bench -run '^$' -bench Fit -count 5
func BenchmarkFit(b *testing.B) {
	sachs, truth := must.Two(dataset.Sachs())(b)
	type problem struct {
		name  string
		table *dataset.Table
		truth *dag.Graph
		cfg   tobac.Config
	}
	problems := []problem{
		{"data=sachs/engine=auto", sachs, truth, tobac.Config{}},
		{"data=sachs/engine=svgd", sachs, truth, tobac.Config{Engine: &stein.SVGD{}}},
	}
	for _, d := range []int{10, 20, 50} {
		s := linearSimulation(b, d)
		problems = append(problems, problem{fmt.Sprintf("data=linear/d=%d/engine=auto", d), s.Train,
			s.Graph, tobac.Config{}})
		if d == 20 {
			problems = append(problems, problem{fmt.Sprintf("data=linear/d=%d/engine=svgd", d),
				s.Train, s.Graph, tobac.Config{Engine: &stein.SVGD{}}})
		}
	}
	for _, p := range problems {
		b.Run(p.name, func(b *testing.B) {
			p.cfg.Workers, p.cfg.Seed = runtime.GOMAXPROCS(0), 1
			var last *tobac.Result
			b.ReportAllocs()
			for b.Loop() {
				last = must.Get(tobac.Fit(context.Background(), p.table, p.cfg))(b)
			}
			report := must.Get(metrics.EvaluateEdges(last.Probabilities, p.truth))(b)
			b.ReportMetric(float64(report.ESHD), "E-SHD")
			b.ReportMetric(float64(report.AUROC), "AUROC")
			b.ReportMetric(float64(p.cfg.Workers), "workers")
		})
	}
}
