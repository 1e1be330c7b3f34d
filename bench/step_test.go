package bench_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/autograd"
	"tobac/autograd/gorgonia"
	"tobac/models"
	"tobac/svgd"
)

// stepNumber is the step at which a problem is measured: α = 10, where particles
// that have not moved yet are as undecided as those of a run are.
const stepNumber = 200

// stepProblem is the published linear set-up at d variables: an Erdős–Rényi
// graph with 2d expected edges, n = 100 rows with noise variance 0.1, the true
// causal order, M = 30 particles, S = 128 samples, the joint estimator.
type stepProblem struct {
	target *models.TOBAC
	start  []*mat.Dense // the initial particles
	data   *mat.Dense   // training rows, columns in causal order
	prior  models.ErdosRenyi
	hidden int // units of networks; zero means the linear model
}

// newStepProblem is the problem in which nothing but the number of variables
// differs from the published set-up.
func newStepProblem(tb testing.TB, d int, engine autograd.Engine, workers int) *stepProblem {
	tb.Helper()
	return newScaledProblem(tb, stepLinear, scale{vars: d, workers: workers}, engine)
}

func cloneBlocks(x []*mat.Dense) []*mat.Dense {
	y := make([]*mat.Dense, len(x))
	for b, xb := range x {
		y[b] = mat.DenseCopyOf(xb)
	}
	return y
}

// BenchmarkStep times one whole SVGD step: both gradients of every particle,
// kernel, RMSProp. Every iteration takes step 200 from the same particles. The
// package comment says how to compare.
func BenchmarkStep(b *testing.B) {
	for _, d := range []int{10, 20, 50} {
		for _, engine := range []autograd.Engine{autograd.Compiled, autograd.Reference,
			gorgonia.Tape} {
			b.Run(fmt.Sprintf("model=linear/d=%d/engine=%v", d, engine), func(b *testing.B) {
				workers := 1 // the other engines know no more
				if engine == autograd.Compiled {
					workers = runtime.GOMAXPROCS(0)
				}
				p := newStepProblem(b, d, engine, workers)
				p.benchmark(b, p.target, workers)
			})
		}
	}
	benchmarkModelSteps(b)
}

func (p *stepProblem) benchmark(b *testing.B, target svgd.Scorer, workers int) {
	take := p.stepper(target)
	step := func() {
		if err := take(); err != nil {
			b.Fatal(err)
		}
	}
	step() // the first two steps allocate what all others use
	step()
	b.ReportAllocs()
	for b.Loop() {
		step()
	}
	b.ReportMetric(float64(workers), "workers")
}

// The engines that are compared do equal work: on the benchmark's own problem
// their scores agree.
func TestStepEnginesAgree(t *testing.T) {
	score := func(engine autograd.Engine, workers int) []*mat.Dense {
		p := newStepProblem(t, 10, engine, workers)
		dst := cloneBlocks(p.start)
		if err := p.target.Score(dst, p.start, stepNumber); err != nil {
			t.Fatal(err)
		}
		return dst
	}
	want := score(autograd.Reference, 1)
	for _, row := range []struct {
		engine  autograd.Engine
		workers int
	}{{autograd.Compiled, 1}, {autograd.Compiled, 2}, {gorgonia.Tape, 1}} {
		compareScores(t, fmt.Sprintf("%v with %d workers", row.engine, row.workers),
			score(row.engine, row.workers), want)
	}
}

// A compiled step allocates nothing once its buffers exist.
func TestCompiledStepDoesNotAllocate(t *testing.T) {
	p := newStepProblem(t, 10, autograd.Compiled, 2)
	s := &svgd.Sampler{Target: p.target, Kernel: svgd.Additive{Bandwidths: []float64{5, 500}},
		Optimizer: svgd.RMSProp{}}
	x := cloneBlocks(p.start)
	step := func() {
		if err := s.Step(x, stepNumber); err != nil {
			t.Fatal(err)
		}
	}
	step()
	if allocs := testing.AllocsPerRun(5, step); allocs > 0 {
		t.Errorf("got %v allocations per step, want none", allocs)
	}
}

// compareScores fails where a score is off by more than 1e-9, relative to its
// own size or to 1.
func compareScores(t *testing.T, what string, got, want []*mat.Dense) {
	t.Helper()
	for b := range want {
		m, width := want[b].Dims()
		for i := range m {
			for j := range width {
				g, w := got[b].At(i, j), want[b].At(i, j)
				if !(math.Abs(g-w) <= 1e-9*math.Max(1, math.Abs(w))) {
					t.Fatalf("%s, block %d, particle %d, coordinate %d: got %.15g, want %.15g",
						what, b, i, j, g, w)
				}
			}
		}
	}
}
