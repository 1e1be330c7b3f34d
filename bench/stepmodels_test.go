package bench_test

import (
	"fmt"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/autograd"
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

// newModelStep is the problem with the given numbers of variables and samples.
func newModelStep(tb testing.TB, name modelStep, d, samples int, engine autograd.Engine,
	workers int) *stepProblem {
	tb.Helper()
	return newScaledProblem(tb, name, scale{vars: d, samples: samples, workers: workers}, engine)
}

// benchmarkModelSteps is the part of BenchmarkStep beyond the linear model.
func benchmarkModelSteps(b *testing.B) {
	for _, name := range []modelStep{stepFFN, stepDiBS} {
		b.Run(fmt.Sprintf("model=%s/d=20/engine=compiled", name), func(b *testing.B) {
			workers := runtime.GOMAXPROCS(0)
			p := newModelStep(b, name, 20, 128, autograd.Compiled, workers)
			p.benchmark(b, p.target, workers)
		})
	}
}

// The compiled engine computes what the reference engine does, on smaller
// problems of the same kind, with one worker and with two.
func TestModelStepEnginesAgree(t *testing.T) {
	for _, name := range []modelStep{stepFFN, stepDiBS} {
		score := func(engine autograd.Engine, workers int) []*mat.Dense {
			p := newModelStep(t, name, 5, 8, engine, workers)
			dst := cloneBlocks(p.start)
			if err := p.target.Score(dst, p.start, stepNumber); err != nil {
				t.Fatal(err)
			}
			return dst
		}
		want := score(autograd.Reference, 1)
		for _, workers := range []int{1, 2} {
			compareScores(t, fmt.Sprintf("%s, %d workers", name, workers),
				score(autograd.Compiled, workers), want)
		}
	}
}

// A compiled step of either allocates nothing once its buffers exist.
func TestModelStepDoesNotAllocate(t *testing.T) {
	for _, name := range []modelStep{stepFFN, stepDiBS} {
		p := newModelStep(t, name, 5, 8, autograd.Compiled, 2)
		s := &svgd.Sampler{Target: p.target, Kernel: svgd.Additive{Bandwidths: []float64{5, 500}},
			Optimizer: svgd.RMSProp{}}
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
