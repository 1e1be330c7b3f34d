package bench_test

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/autograd"
	"tobac/autograd/gorgonia"
	"tobac/dataset"
	"tobac/internal/must"
	"tobac/models"
	"tobac/svgd"
)

// stepNumber is the step at which a problem is measured: α = 10, where particles
// that have not moved yet are as undecided as those of a run are.
const stepNumber = 200

// Models whose step is timed: linear Gaussian equations and networks on data of their own, in the
// true order, and DiBS on linear data.
const (
	stepLinear = "linear"
	stepFFN    = "ffn"
	stepDiBS   = "dibs"
)

// A stepSetup is a problem of which a step is taken: a model, variables, rows, particles, Monte
// Carlo samples, units of a network, goroutines. Zeros stand for the published set-up at d = 20,
// on one goroutine: an Erdős–Rényi graph with 2d expected edges, n = 100 rows, M = 30 particles,
// S = 128 samples, the joint estimator.
type stepSetup struct {
	model                                           string
	vars, rows, particles, samples, hidden, workers int
}

func (s stepSetup) withDefaults() stepSetup {
	return stepSetup{
		model: s.model, vars: cmp.Or(s.vars, 20), rows: cmp.Or(s.rows, 100),
		particles: cmp.Or(s.particles, 30), samples: cmp.Or(s.samples, 128),
		hidden: cmp.Or(s.hidden, 5), workers: cmp.Or(s.workers, 1),
	}
}

// data simulates rows of the model, in causal order but for DiBS, and says how many edges a
// variable has: two, or as many as leave a fifth of the pairs open.
func (s stepSetup) data(tb testing.TB) (data *mat.Dense, edges float64) {
	tb.Helper()
	s = s.withDefaults()
	edges = math.Min(2, float64(s.vars-1)/2.5)
	graph, err := dataset.SimulateER(dataset.ERConfig{Vars: s.vars, EdgesPerNode: edges, Seed: 1})
	if err != nil {
		tb.Fatal(err)
	}
	var sim *dataset.Simulation
	if s.model == stepFFN {
		sim, err = dataset.SimulateNonlinear(graph, dataset.NonlinearConfig{Rows: s.rows, Seed: 1})
	} else {
		sim, err = dataset.SimulateLinear(graph, dataset.LinearConfig{Rows: s.rows, Seed: 1})
	}
	if err != nil {
		tb.Fatal(err)
	}
	if s.model == stepDiBS {
		return sim.Train.X, edges
	}
	order := must.Get(graph.TopologicalOrder())(tb)
	return sim.Train.Relabel(order).X, edges
}

// compile makes the target of a problem from its rows. All random numbers come from seed 1.
func (s stepSetup) compile(tb testing.TB, data *mat.Dense, edges float64,
	engine autograd.Engine) *models.TOBAC {
	tb.Helper()
	s = s.withDefaults()
	p, err := models.EdgeProbability(s.vars, edges)
	if err != nil {
		tb.Fatal(err)
	}
	var lik models.Likelihood
	if s.model == stepFFN {
		lik, err = models.NewFeedForward(data, nil,
			models.FeedForwardOptions{Hidden: []int{s.hidden}})
	} else {
		lik, err = models.NewLinear(data, nil, models.LinearOptions{})
	}
	if err != nil {
		tb.Fatal(err)
	}
	cfg := models.TOBACConfig{
		Particles: s.particles, Samples: s.samples, Estimator: models.Joint,
		Prior: models.ErdosRenyi(p), Seed: 1,
		Options: models.Options{Engine: engine, Workers: s.workers},
	}
	if s.model == stepDiBS {
		cfg.Embedding = models.AllPairs
	}
	target := must.Get(models.NewTOBAC(lik, cfg))(tb)
	return target
}

// A stepProblem is a compiled problem with its initial particles.
type stepProblem struct {
	target  *models.TOBAC
	start   []*mat.Dense
	workers int
}

func (s stepSetup) problem(tb testing.TB, engine autograd.Engine) *stepProblem {
	tb.Helper()
	data, edges := s.data(tb)
	target := s.compile(tb, data, edges, engine)
	tb.Cleanup(target.Close)
	return &stepProblem{target, target.Init(), s.workers}
}

func cloneBlocks(x []*mat.Dense) []*mat.Dense {
	y := make([]*mat.Dense, len(x))
	for b, xb := range x {
		y[b] = mat.DenseCopyOf(xb)
	}
	return y
}

// score is the score of the initial particles.
func (p *stepProblem) score(tb testing.TB) []*mat.Dense {
	tb.Helper()
	dst := cloneBlocks(p.start)
	must.Do(tb, p.target.Score(dst, p.start, stepNumber))
	return dst
}

// stepper takes step 200 from the same particles again and again. The first two steps allocate
// what all others use.
func (p *stepProblem) stepper() func() error {
	s := &svgd.Sampler{Target: p.target, Kernel: svgd.Additive{Bandwidths: []float64{5, 500}},
		Optimizer: svgd.RMSProp{}, Workers: p.workers}
	x := cloneBlocks(p.start)
	return func() error {
		for k, start := range p.start {
			x[k].Copy(start)
		}
		return s.Step(x, stepNumber)
	}
}

// steps is the stepper after two steps; an error ends the test.
func (p *stepProblem) steps(tb testing.TB) func() {
	take := p.stepper()
	step := func() {
		must.Do(tb, take())
	}
	step()
	step()
	return step
}

func (s stepSetup) benchmark(b *testing.B, engine autograd.Engine) {
	step := s.problem(b, engine).steps(b)
	b.ReportAllocs()
	for b.Loop() {
		step()
	}
	b.ReportMetric(float64(s.withDefaults().workers), "workers")
}

// BenchmarkStep times one whole SVGD step: both gradients of every particle,
// kernel, RMSProp. Every iteration takes step 200 from the same particles. The
// package comment says how to compare.
func BenchmarkStep(b *testing.B) {
	all := runtime.GOMAXPROCS(0)
	for _, d := range []int{10, 20, 50} {
		for _, engine := range []autograd.Engine{autograd.Compiled, autograd.Reference,
			gorgonia.Tape} {
			b.Run(fmt.Sprintf("model=linear/d=%d/engine=%v", d, engine), func(b *testing.B) {
				s := stepSetup{model: stepLinear, vars: d}
				if engine == autograd.Compiled { // the others know one worker
					s.workers = all
				}
				s.benchmark(b, engine)
			})
		}
	}
	for _, model := range []string{stepFFN, stepDiBS} {
		b.Run(fmt.Sprintf("model=%s/d=20/engine=compiled", model), func(b *testing.B) {
			stepSetup{model: model, workers: all}.benchmark(b, autograd.Compiled)
		})
	}
}

// BenchmarkGrowth times the step over one size at a time. Variables grow at a thousand rows,
// because the Gram factor of the linear model is triangular only where there are more rows than
// variables. Counting operations, the score takes a time of d³, M, S, and d² of networks, whose
// units do not grow with d; the rest of the step takes d² and M².
func BenchmarkGrowth(b *testing.B) {
	for _, g := range []struct {
		model, size string
		at          func(v int) stepSetup
		values      []int
	}{
		{stepLinear, "d", func(v int) stepSetup { return stepSetup{vars: v, rows: 1000} },
			[]int{5, 10, 20, 50, 100, 200}},
		{stepLinear, "n", func(v int) stepSetup { return stepSetup{rows: v} }, rowNumbers},
		{stepLinear, "M", func(v int) stepSetup { return stepSetup{particles: v} },
			[]int{1, 3, 10, 30, 100, 300, 1000}},
		{stepLinear, "S", func(v int) stepSetup { return stepSetup{samples: v} },
			[]int{8, 32, 128, 512, 2048, 4096}},
		{stepLinear, "workers", func(v int) stepSetup { return stepSetup{workers: v} },
			[]int{1, 2}},
		{stepFFN, "d", func(v int) stepSetup { return stepSetup{vars: v} }, []int{5, 10, 20, 40}},
		{stepFFN, "n", func(v int) stepSetup { return stepSetup{vars: 10, rows: v} },
			[]int{50, 100, 200, 400, 800}},
	} {
		for _, v := range g.values {
			b.Run(fmt.Sprintf("model=%s/%s=%d", g.model, g.size, v), func(b *testing.B) {
				s := g.at(v)
				s.model = g.model
				s.benchmark(b, autograd.Compiled)
			})
		}
	}
}

var rowNumbers = []int{100, 1_000, 10_000, 100_000, 1_000_000}

// BenchmarkPreparation times what the linear model does with its rows once.
func BenchmarkPreparation(b *testing.B) {
	for _, n := range rowNumbers {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			data, _ := stepSetup{model: stepLinear, rows: n}.data(b)
			b.ReportAllocs()
			for b.Loop() {
				must.Get(models.NewLinear(data, nil, models.LinearOptions{}))(b)
			}
		})
	}
}

// BenchmarkCompile times the way from rows to a target that is ready to be evaluated: the
// expressions of the published set-up, their gradient and the compiler.
func BenchmarkCompile(b *testing.B) {
	for _, s := range []stepSetup{
		{model: stepLinear, vars: 10}, {model: stepLinear, vars: 20}, {model: stepLinear, vars: 50},
		{model: stepLinear, vars: 100}, {model: stepLinear, vars: 200},
		{model: stepFFN, vars: 10}, {model: stepFFN, vars: 20},
		{model: stepFFN, vars: 20, rows: 200, hidden: 10, particles: 2},
		{model: stepFFN, vars: 20, rows: 1000, hidden: 100, particles: 2, samples: 8},
		{model: stepDiBS, vars: 10}, {model: stepDiBS, vars: 20},
	} {
		name := fmt.Sprintf("model=%s/d=%d", s.model, s.vars)
		if s.hidden > 0 {
			name += fmt.Sprintf("/n=%d/h=%d", s.rows, s.hidden)
		}
		b.Run(name, func(b *testing.B) {
			data, edges := s.data(b)
			b.ReportAllocs()
			for b.Loop() {
				s.compile(b, data, edges, autograd.Compiled).Close()
			}
		})
	}
}

// The engines that are compared do equal work: on the benchmark's own problem, and on smaller ones
// of the other models, their scores agree to 1e-9, with one worker and with two. A compiled step
// allocates nothing once its buffers exist.
func TestStepEnginesAgree(t *testing.T) {
	for _, s := range []stepSetup{{model: stepLinear, vars: 10},
		{model: stepFFN, vars: 5, samples: 8}, {model: stepDiBS, vars: 5, samples: 8}} {
		t.Run(s.model, func(t *testing.T) {
			want := s.problem(t, autograd.Reference).score(t)
			compareScores(t, "compiled", s.problem(t, autograd.Compiled).score(t), want)
			if s.model == stepLinear {
				compareScores(t, "tape", s.problem(t, gorgonia.Tape).score(t), want)
			}
			s.workers = 2
			p := s.problem(t, autograd.Compiled)
			compareScores(t, "two workers", p.score(t), want)
			if allocs := testing.AllocsPerRun(5, p.steps(t)); allocs > 0 {
				t.Errorf("got %v allocations per step, want none", allocs)
			}
		})
	}
}

// compareScores fails where a score is off by more than 1e-9, relative to its
// own size or to 1.
func compareScores(t *testing.T, what string, got, want []*mat.Dense) {
	t.Helper()
	for b := range want {
		g, w := got[b].RawMatrix().Data, want[b].RawMatrix().Data
		for k := range w {
			if !near(g[k], w[k], 1e-9) || math.IsNaN(w[k]) {
				t.Fatalf("%s, block %d, number %d: got %.15g, want %.15g", what, b, k, g[k], w[k])
			}
		}
	}
}

// Where the time of a score goes, for the models that a step is timed for, at
// d = 20:
//
//	go test ./bench -run 'TestStepProfile/linear' -long -v
func TestStepProfile(t *testing.T) {
	if !*long {
		t.Skip("prints times: go test ./bench -run TestStepProfile -long -v")
	}
	for _, model := range []string{stepLinear, stepFFN, stepDiBS} {
		t.Run(model, func(t *testing.T) {
			p := stepSetup{model: model}.problem(t, autograd.Compiled)
			profiles := must.Get(p.target.Profile(p.start, stepNumber, 10))(t)
			for _, profile := range profiles {
				t.Logf("\n%v", profile)
			}
		})
	}
}
