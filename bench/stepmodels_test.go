package bench_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/autograd"
	"tobac/dataset"
	"tobac/models"
	"tobac/svgd"
)

// modelStep names the other set-ups that a step is timed for: the network on
// nonlinear data in the true order, and DiBS on linear data, each with the
// settings of stepProblem.
type modelStep string

const (
	stepFFN  modelStep = "ffn"
	stepDiBS modelStep = "dibs"
)

// newModelStep simulates and compiles the problem; all random numbers come from
// seed 1.
func newModelStep(tb testing.TB, name modelStep, d, samples int, engine autograd.Engine, workers int) *stepProblem {
	tb.Helper()
	graph, err := dataset.SimulateER(dataset.ERConfig{Vars: d, Seed: 1})
	if err != nil {
		tb.Fatal(err)
	}
	prior, err := models.NewErdosRenyi(d, 2)
	if err != nil {
		tb.Fatal(err)
	}
	cfg := models.TOBACConfig{
		Particles: 30, Samples: samples, Estimator: models.Joint, Prior: prior, Seed: 1,
		Options: models.Options{Engine: engine, Workers: workers},
	}
	p := &stepProblem{prior: prior}
	var lik models.Likelihood
	if name == stepFFN {
		sim, err := dataset.SimulateNonlinear(graph, dataset.NonlinearConfig{Seed: 1})
		if err != nil {
			tb.Fatal(err)
		}
		order, err := graph.TopologicalOrder()
		if err != nil {
			tb.Fatal(err)
		}
		p.data, p.hidden = sim.Train.Relabel(order).X, 5
		if lik, err = models.NewFeedForward(p.data, nil, models.FeedForwardOptions{}); err != nil {
			tb.Fatal(err)
		}
	} else {
		sim, err := dataset.SimulateLinear(graph, dataset.LinearConfig{Seed: 1})
		if err != nil {
			tb.Fatal(err)
		}
		if lik, err = models.NewLinear(sim.Train.X, nil, models.LinearOptions{}); err != nil {
			tb.Fatal(err)
		}
		cfg.Embedding = models.AllPairs
	}
	if p.target, err = models.NewTOBAC(lik, cfg); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(p.target.Close)
	p.start = p.target.Init()
	return p
}

// benchmarkModelSteps is the part of BenchmarkStep beyond the linear model.
func benchmarkModelSteps(b *testing.B) {
	for _, name := range []modelStep{stepFFN, stepDiBS} {
		b.Run(fmt.Sprintf("%s/d=20/engine=compiled", name), func(b *testing.B) {
			workers := runtime.GOMAXPROCS(0)
			p := newModelStep(b, name, 20, 128, autograd.Compiled, workers)
			p.benchmark(b, p.target, workers)
		})
	}
	b.Run("ffn/d=20/engine=handwritten", func(b *testing.B) {
		workers := runtime.GOMAXPROCS(0)
		p := newModelStep(b, stepFFN, 20, 128, autograd.Reference, 1)
		p.benchmark(b, p.handwritten(b, 128, workers), workers)
	})
}

// The compiled engine computes what the reference engine does, on smaller
// problems of the same kind, with one worker and with two.
func TestModelStepEnginesAgree(t *testing.T) {
	for _, name := range []modelStep{stepFFN, stepDiBS} {
		score := func(engine autograd.Engine, workers int) []*mat.Dense {
			p := newModelStep(t, name, 6, 8, engine, workers)
			dst := cloneBlocks(p.start)
			if err := p.target.Score(dst, p.start, stepNumber); err != nil {
				t.Fatal(err)
			}
			return dst
		}
		want := score(autograd.Reference, 1)
		for _, workers := range []int{1, 2} {
			got := score(autograd.Compiled, workers)
			for b := range want {
				m, width := want[b].Dims()
				for i := range m {
					for j := range width {
						g, w := got[b].At(i, j), want[b].At(i, j)
						if !(math.Abs(g-w) <= 1e-9*math.Max(1, math.Abs(w))) {
							t.Fatalf("%s, %d workers, block %d, particle %d, coordinate %d: got %.15g, want %.15g", name, workers, b, i, j, g, w)
						}
					}
				}
			}
		}
	}
}

// A compiled step of either allocates nothing once its buffers exist.
func TestModelStepDoesNotAllocate(t *testing.T) {
	for _, name := range []modelStep{stepFFN, stepDiBS} {
		p := newModelStep(t, name, 8, 32, autograd.Compiled, 2)
		s := &svgd.Sampler{Target: p.target, Kernel: svgd.Additive{Bandwidths: []float64{5, 500}}, Optimizer: svgd.RMSProp{}}
		x := cloneBlocks(p.start)
		step := func() {
			if err := s.Step(x, stepNumber); err != nil {
				t.Fatal(err)
			}
		}
		step() // the first two steps allocate what all others use
		step()
		if allocs := testing.AllocsPerRun(5, step); allocs > 0 {
			t.Errorf("%s: got %v allocations per step, want none", name, allocs)
		}
	}
}
