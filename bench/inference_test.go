package bench_test

import (
	"context"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/dataset"
	"tobac/exact"
	"tobac/mcmc"
	"tobac/score"
)

// BenchmarkExact times the exact posterior from the table to the edge probabilities: scores of all
// sets of parents, all orders, and all graphs where the row says so. It uses GOMAXPROCS
// goroutines.
//
//	go test ./bench -run '^$' -bench Exact -count 5
func BenchmarkExact(b *testing.B) {
	sachs, _, err := dataset.Sachs()
	if err != nil {
		b.Fatal(err)
	}
	for _, row := range []struct {
		name   string
		x      *mat.Dense
		bge    bool
		graphs bool
	}{
		{"model=bge/d=11/sachs/sum=orders", sachs.X, true, false},
		{"model=bge/d=11/sachs/sum=graphs", sachs.X, true, true},
		{"model=linear/d=15/sum=orders", simulatedTable(b, 15).X, false, false},
		{"model=linear/d=15/sum=graphs", simulatedTable(b, 15).X, false, true},
		{"model=linear/d=20/sum=orders", simulatedTable(b, 20).X, false, false},
		{"model=bge/d=20/sum=orders", simulatedTable(b, 20).X, true, false},
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
				p, err := exact.New(ctx, s, prior, exact.Options{})
				if err != nil {
					b.Fatal(err)
				}
				orders, err := p.Orders(ctx)
				if err != nil {
					b.Fatal(err)
				}
				if !row.graphs {
					orders.Edges()
					continue
				}
				graphs, err := orders.Graphs(ctx)
				if err != nil {
					b.Fatal(err)
				}
				graphs.Edges()
			}
		})
	}
}

// simulatedTable are 100 rows of d variables of package dataset, two edges per node.
func simulatedTable(tb testing.TB, d int) *dataset.Table {
	tb.Helper()
	g, err := dataset.SimulateER(dataset.ERConfig{Vars: d, Seed: 1})
	if err != nil {
		tb.Fatal(err)
	}
	s, err := dataset.SimulateLinear(g, dataset.LinearConfig{Seed: 1})
	if err != nil {
		tb.Fatal(err)
	}
	return s.Train
}

// BenchmarkChains times 100 iterations of four Markov chains, in equilibrium or near it.
//
//	go test ./bench -run '^$' -bench Chains
func BenchmarkChains(b *testing.B) {
	for _, d := range []int{10, 20, 50, 100} {
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			s, err := score.NewLinear(simulatedTable(b, d).X, nil, score.LinearOptions{NoiseVariance: 0.1})
			if err != nil {
				b.Fatal(err)
			}
			prior, err := score.Sparse(d, 2)
			if err != nil {
				b.Fatal(err)
			}
			ctx := context.Background()
			chains, err := mcmc.New(ctx, s, prior, mcmc.Options{WarmUp: 200, Seed: 1})
			if err != nil {
				b.Fatal(err)
			}
			if err := chains.Advance(ctx, 200); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := chains.Advance(ctx, 100); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFit times the main job on the Sachs data, without reading and writing of files.
//
//	go test ./bench -run '^$' -bench Fit -count 5
func BenchmarkFit(b *testing.B) {
	table, _, err := dataset.Sachs()
	if err != nil {
		b.Fatal(err)
	}
	for _, beside := range []bool{false, true} {
		b.Run(fmt.Sprintf("sachs/particles=%v", beside), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tobac.Fit(context.Background(), table, tobac.Config{Beside: beside, Workers: 2, Seed: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
