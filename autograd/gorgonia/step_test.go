package gorgonia_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	ad "tobac/autograd"
	"tobac/autograd/gorgonia"
	"tobac/dataset"
	"tobac/models"
)

// stepTarget is the linear model of d variables in the published set-up, on an engine: 100 rows,
// 30 particles, 128 samples; smaller where particles and samples say so.
func stepTarget(tb testing.TB, d, particles, samples int, engine ad.Engine) *models.TOBAC {
	tb.Helper()
	graph, err := dataset.SimulateER(dataset.ERConfig{Vars: d, EdgesPerNode: 2, Seed: 1})
	if err != nil {
		tb.Fatal(err)
	}
	sim, err := dataset.SimulateLinear(graph, dataset.LinearConfig{Rows: 100, Seed: 1})
	if err != nil {
		tb.Fatal(err)
	}
	order, err := graph.TopologicalOrder()
	if err != nil {
		tb.Fatal(err)
	}
	prior, err := models.NewErdosRenyi(d, 2)
	if err != nil {
		tb.Fatal(err)
	}
	likelihood, err := models.NewLinear(sim.Train.Relabel(order).X, nil, models.LinearOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	target, err := models.NewTOBAC(likelihood, models.TOBACConfig{
		Particles: particles, Samples: samples, Estimator: models.Joint, Prior: prior, Seed: 1,
		Options: models.Options{Engine: engine, Workers: 1},
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(target.Close)
	return target
}

func scoreOf(tb testing.TB, target *models.TOBAC) []*mat.Dense {
	tb.Helper()
	score := target.Init()
	if err := target.Score(score, target.Init(), 200); err != nil {
		tb.Fatal(err)
	}
	return score
}

// The scores of a step are the same on the TapeMachine and compiled.
func TestStepOnTape(t *testing.T) {
	want := scoreOf(t, stepTarget(t, 6, 4, 16, ad.Compiled))
	got := scoreOf(t, stepTarget(t, 6, 4, 16, gorgonia.Tape))
	for b := range want {
		compare(t, fmt.Sprintf("block %d", b), got[b].RawMatrix().Data, want[b].RawMatrix().Data, 1e-9)
	}
}

// BenchmarkStep is the score of every particle at step 200.
func BenchmarkStep(b *testing.B) {
	for _, d := range []int{10, 20, 50} {
		for _, engine := range []ad.Engine{ad.Compiled, gorgonia.Tape} {
			b.Run(fmt.Sprintf("model=linear/d=%d/engine=%v", d, engine), func(b *testing.B) {
				target := stepTarget(b, d, 30, 128, engine)
				score, at := target.Init(), target.Init()
				for b.Loop() {
					if err := target.Score(score, at, 200); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
