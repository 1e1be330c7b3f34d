package mcmc_test

import (
	"context"
	"fmt"
	"testing"

	"tobac/dataset"
	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/score"
)

// simulated is the BGe score of 100 rows of a random linear model with two edges per variable.
func simulated(b *testing.B, d int) score.Scorer {
	b.Helper()
	g := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: d, Seed: 1}))(b)
	sim := must.Get(dataset.SimulateLinear(g, dataset.LinearConfig{Seed: 1}))(b)
	return must.Get(score.NewBGe(sim.Train.X, nil, score.BGeOptions{}))(b)
}

// BenchmarkNew is the search for starts and candidates, and all tables.
func BenchmarkNew(b *testing.B) {
	for _, d := range []int{10, 20, 50, 100} {
		b.Run(fmt.Sprint(d), func(b *testing.B) {
			s, p := simulated(b, d), score.Fair(d)
			b.ReportAllocs()
			for b.Loop() {
				must.Get(mcmc.New(context.Background(), s, p,
					mcmc.Options{Workers: 1}))(b)
			}
		})
	}
}

// BenchmarkIteration is one iteration of one chain, with four inverse temperatures.
func BenchmarkIteration(b *testing.B) {
	for _, d := range []int{10, 20, 50, 100} {
		b.Run(fmt.Sprint(d), func(b *testing.B) {
			m := must.Get(mcmc.New(context.Background(), simulated(b, d), score.Fair(d),
				mcmc.Options{Chains: 1, WarmUp: 20, Draws: -1}))(b)
			must.Do(b, m.Advance(context.Background(), 20))
			b.ReportAllocs()
			for b.Loop() {
				must.Do(b, m.Advance(context.Background(), 1))
			}
		})
	}
}
