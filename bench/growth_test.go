package bench_test

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/mat"

	"tobac/autograd"
	"tobac/dataset"
	"tobac/models"
	"tobac/svgd"
)

// A scale is the size of a problem: variables, rows, particles, Monte Carlo
// samples, goroutines. The published set-up stands for zeros, on one goroutine and
// in float64.
type scale struct {
	vars, rows, particles, samples, workers int
}

func (s scale) withDefaults() scale {
	return scale{
		vars: cmp.Or(s.vars, 20), rows: cmp.Or(s.rows, 100), particles: cmp.Or(s.particles, 30),
		samples: cmp.Or(s.samples, 128), workers: cmp.Or(s.workers, 1),
	}
}

const stepLinear modelStep = "linear"

// scaledData simulates rows of the model, and how many edges a variable has: two,
// or as many as leave a fifth of the pairs open. With an order, the columns are in
// causal order.
func scaledData(tb testing.TB, name modelStep, s scale) (data *mat.Dense, edges float64) {
	tb.Helper()
	edges = math.Min(2, float64(s.vars-1)/2.5)
	graph, err := dataset.SimulateER(dataset.ERConfig{Vars: s.vars, EdgesPerNode: edges, Seed: 1})
	if err != nil {
		tb.Fatal(err)
	}
	var sim *dataset.Simulation
	if name == stepFFN {
		sim, err = dataset.SimulateNonlinear(graph, dataset.NonlinearConfig{Rows: s.rows, Seed: 1})
	} else {
		sim, err = dataset.SimulateLinear(graph, dataset.LinearConfig{Rows: s.rows, Seed: 1})
	}
	if err != nil {
		tb.Fatal(err)
	}
	if name == stepDiBS {
		return sim.Train.X, edges
	}
	order, err := graph.TopologicalOrder()
	if err != nil {
		tb.Fatal(err)
	}
	return sim.Train.Relabel(order).X, edges
}

// newScaledProblem simulates and compiles a problem of the given size; all random
// numbers come from seed 1.
func newScaledProblem(tb testing.TB, name modelStep, s scale, engine autograd.Engine) *stepProblem {
	tb.Helper()
	s = s.withDefaults()
	data, edges := scaledData(tb, name, s)
	p := compileProblem(tb, name, data, edges, s, engine)
	tb.Cleanup(p.target.Close)
	p.start = p.target.Init()
	return p
}

// compileProblem makes the target of a problem from its rows.
func compileProblem(tb testing.TB, name modelStep, data *mat.Dense, edges float64, s scale,
	engine autograd.Engine) *stepProblem {
	tb.Helper()
	prior, err := models.NewErdosRenyi(s.vars, edges)
	if err != nil {
		tb.Fatal(err)
	}
	p := &stepProblem{data: data, prior: prior}
	var lik models.Likelihood
	if name == stepFFN {
		p.hidden = 5
		lik, err = models.NewFeedForward(data, nil, models.FeedForwardOptions{})
	} else {
		lik, err = models.NewLinear(data, nil, models.LinearOptions{})
	}
	if err != nil {
		tb.Fatal(err)
	}
	cfg := models.TOBACConfig{
		Particles: s.particles, Samples: s.samples, Estimator: models.Joint, Prior: prior, Seed: 1,
		Options: models.Options{Engine: engine, Workers: s.workers},
	}
	if name == stepDiBS {
		cfg.Embedding = models.AllPairs
	}
	if p.target, err = models.NewTOBAC(lik, cfg); err != nil {
		tb.Fatal(err)
	}
	return p
}

// stepper takes step 200 from the same particles again and again.
func (p *stepProblem) stepper(target svgd.Scorer) func() error {
	s := &svgd.Sampler{Target: target, Kernel: svgd.Additive{Bandwidths: []float64{5, 500}},
		Optimizer: svgd.RMSProp{}}
	x := cloneBlocks(p.start)
	return func() error {
		for k, start := range p.start {
			x[k].Copy(start)
		}
		return s.Step(x, stepNumber)
	}
}

// known is a target whose score is known already: what remains of a step is its
// pairwise part and the optimiser.
func known(score []*mat.Dense) svgd.Scorer {
	return svgd.ScorerFunc(func(dst, _ []*mat.Dense, _ int) error {
		for b := range dst {
			dst[b].Copy(score[b])
		}
		return nil
	})
}

// A growth is a table: a parameter with its values, the rest of the problem being
// as published, and the exponents that counting operations gives.
type growth struct {
	name        string
	model       modelStep
	at          func(v int) scale
	values      []int
	score, svgd string
}

var rowNumbers = []int{100, 1_000, 10_000, 100_000, 1_000_000}

// growths lists the tables. Variables grow at a thousand rows, because the Gram
// factor of the linear model is triangular only where there are more rows than
// variables. A score needs d² draws and elements beside its d³ products; the units
// of networks do not grow with d.
func growths() []growth {
	return []growth{
		{"d", stepLinear, func(v int) scale { return scale{vars: v, rows: 1000} },
			[]int{5, 10, 20, 50, 100, 200}, "3", "2"},
		{"n", stepLinear, func(v int) scale { return scale{rows: v} }, rowNumbers, "0", "0"},
		{"M", stepLinear, func(v int) scale { return scale{particles: v} },
			[]int{1, 3, 10, 30, 100, 300, 1000}, "1", "2"},
		{"S", stepLinear, func(v int) scale {
			return scale{samples: v}
		}, []int{8, 32, 128, 512, 2048, 4096}, "1", "0"},
		{"workers", stepLinear, func(v int) scale { return scale{workers: v} }, []int{1, 2}, "-1",
			"0"},
		{"ffn-d", stepFFN, func(v int) scale { return scale{vars: v} }, []int{5, 10, 20, 40}, "2",
			"2"},
		{"ffn-n", stepFFN, func(v int) scale { return scale{vars: 10, rows: v} },
			[]int{50, 100, 200, 400, 800}, "1", "0"},
	}
}

// parameter is the one that grows.
func (g growth) parameter() string { return g.name[strings.LastIndexByte(g.name, '-')+1:] }

// BenchmarkGrowth times one step at every point of the tables of [TestGrowth], and
// BenchmarkPreparation what the linear model does with its rows once.
func BenchmarkGrowth(b *testing.B) {
	for _, g := range growths() {
		for _, v := range g.values {
			b.Run(fmt.Sprintf("model=%s/%s=%d", g.model, g.parameter(), v), func(b *testing.B) {
				p := newScaledProblem(b, g.model, g.at(v), autograd.Compiled)
				p.benchmark(b, p.target, g.at(v).withDefaults().workers)
			})
		}
	}
}

func BenchmarkPreparation(b *testing.B) {
	for _, n := range rowNumbers {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			data, _ := scaledData(b, stepLinear, scale{rows: n}.withDefaults())
			b.ReportAllocs()
			for b.Loop() {
				if _, err := models.NewLinear(data, nil, models.LinearOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// How the cost of one step grows with each parameter: the fastest and the middle
// of several repeats, of all points of a table in turns, and the slope of log time
// against log parameter beside the expected one. The score and the rest of the
// step, which is SVGD's, are measured alone too. Nothing is asserted about times.
//
//	go test ./bench -run TestGrowth -long -v -timeout 30m
func TestGrowth(t *testing.T) {
	measured(t)
	t.Logf("%d processors, kernels %s", runtime.GOMAXPROCS(0), autograd.Kernels())
	for _, g := range growths() {
		t.Run(g.name, g.measure)
	}
	t.Run("preparation", measurePreparation)
}

// perWork is how long each work of a table is repeated.
const perWork = time.Second

func (g growth) measure(t *testing.T) {
	var works []func() error
	var setUp, memory []float64
	for _, v := range g.values {
		var p *stepProblem
		var score []*mat.Dense
		memory = append(memory, float64(kept(func() {
			start := time.Now()
			p = newScaledProblem(t, g.model, g.at(v), autograd.Compiled)
			p.data = nil // not the target's memory
			setUp = append(setUp, time.Since(start).Seconds())
			score = cloneBlocks(p.start)
			if err := p.target.Score(score, p.start, stepNumber); err != nil {
				t.Fatal(err)
			}
		}))/(1<<20))
		dst := cloneBlocks(p.start)
		works = append(works, p.stepper(p.target), p.stepper(known(score)), func() error {
			return p.target.Score(dst, p.start, stepNumber)
		})
	}
	var step []durations
	var steps, svgds, scores []float64
	for part := range slices.Chunk(timings(t, works, perWork), 3) {
		step = append(step, part[0])
		steps, svgds, scores = append(steps, part[0].fastest()), append(svgds, part[1].fastest()),
			append(scores, part[2].fastest())
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s\tstep\tmedian\trepeats\texponent\tscore\texponent\tSVGD\texponent\tset-up"+
		"\tmemory\t\n", g.name)
	for i, v := range g.values {
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%.1f MiB\t\n", v, digits(steps[i]),
			digits(step[i].median()), len(step[i]), localExponent(g.values, steps, i),
			digits(scores[i]), localExponent(g.values, scores, i), digits(svgds[i]),
			localExponent(g.values, svgds, i), digits(setUp[i]), memory[i])
	}
	fmt.Fprintf(w, "upper half\t\t\t\t%.2f\t\t%.2f\t\t%.2f\t\t\t\n", upperExponent(g.values, steps),
		upperExponent(g.values, scores), upperExponent(g.values, svgds))
	fmt.Fprintf(w, "expected\t\t\t\t\t\t%s\t\t%s\t\t\t\n", g.score, g.svgd)
	w.Flush()
	t.Logf("one step of the %s model over %s\n%s%s", g.model, g.name, table.String(),
		firstAbove(g.values, svgds, scores))
}

// firstAbove says from which value on the part of SVGD is the larger one.
func firstAbove(values []int, svgds, scores []float64) string {
	for i, v := range values {
		if svgds[i] > scores[i] {
			return fmt.Sprintf("SVGD takes longer than the score from %d on", v)
		}
	}
	return "the score takes longer than SVGD everywhere"
}

// measurePreparation is the table of what depends on rows in the linear model.
func measurePreparation(t *testing.T) {
	var works []func() error
	for _, n := range rowNumbers {
		data, _ := scaledData(t, stepLinear, scale{rows: n}.withDefaults())
		works = append(works, func() error {
			_, err := models.NewLinear(data, nil, models.LinearOptions{})
			return err
		})
	}
	all := timings(t, works, perWork)
	var times []float64
	for _, d := range all {
		times = append(times, d.fastest())
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "n\tpreparation\tmedian\trepeats\texponent\t")
	for i, n := range rowNumbers {
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%s\t\n", n, digits(times[i]), digits(all[i].median()),
			len(all[i]), localExponent(rowNumbers, times, i))
	}
	fmt.Fprintf(w, "upper half\t\t\t\t%.2f\t\nexpected\t\t\t\t1\t\n",
		upperExponent(rowNumbers, times))
	w.Flush()
	t.Logf("models.NewLinear over n\n%s", table.String())
}

// localExponent is the exponent from the value before the i-th to the i-th, as
// text.
func localExponent(values []int, y []float64, i int) string {
	if i == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", exponent(numbers(values[i-1:i+1]), y[i-1:i+1]))
}

// upperExponent is the exponent over the upper half of the values, the middle one
// included, and over at least two.
func upperExponent(values []int, y []float64) float64 {
	from := min(len(values)/2, len(values)-2)
	return exponent(numbers(values[from:]), y[from:])
}

func numbers(values []int) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}
