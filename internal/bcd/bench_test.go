package bcd_test

import (
	"context"
	"fmt"
	"testing"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/bcd"
	"tobac/internal/must"
	"tobac/metrics"
	"tobac/posterior"
)

// simulated is a table of linear data of 100 rows, with its graph.
func simulated(tb testing.TB, d, edges int, seed uint64) *dataset.Simulation {
	tb.Helper()
	g := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: d,
		EdgesPerNode: float64(edges) / float64(d), Seed: seed}))(tb)
	return must.Get(dataset.SimulateLinear(g, dataset.LinearConfig{Seed: seed}))(tb)
}

// BenchmarkStep is one step at batch 64 at the published temperature.
func BenchmarkStep(b *testing.B) {
	for _, d := range []int{5, 10, 20, 50} {
		b.Run(fmt.Sprint(d), func(b *testing.B) {
			sim := simulated(b, d, d, 1)
			m, err := bcd.New(sim.Train.X,
				bcd.Settings{Steps: 1 << 29, TraceEvery: 1 << 29, Schedule: bcd.Constant(.2)}, 2, 1)
			if err != nil {
				b.Fatal(err)
			}
			defer m.Close()
			for b.Loop() {
				must.Do(b, m.Advance(context.Background(), m.Step()+1))
			}
		})
	}
}

// judge compares draws with the graph of a simulation.
func judge(tb testing.TB, draws []posterior.Draw, sim *dataset.Simulation) *metrics.Report {
	tb.Helper()
	graphs := make([]*dag.Graph, len(draws))
	for k := range draws {
		graphs[k] = draws[k].Graph
	}
	return must.Get(metrics.Evaluate(posterior.Uniform(graphs), sim.Graph, nil))(tb)
}
