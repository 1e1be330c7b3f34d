package bench_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"

	"tobac/autograd"
	"tobac/svgd"
)

// inPrecision is the problem of the published set-up in either precision.
func inPrecision(tb testing.TB, name modelStep, s scale) (double, single *stepProblem) {
	tb.Helper()
	double = newScaledProblem(tb, name, s, autograd.Compiled)
	s.precision = autograd.Float32
	return double, newScaledProblem(tb, name, s, autograd.Compiled)
}

func (p *stepProblem) sampler() *svgd.Sampler {
	return &svgd.Sampler{Target: p.target, Kernel: svgd.Additive{Bandwidths: []float64{5, 500}}, Optimizer: svgd.RMSProp{}}
}

// scores of a problem at x.
func (p *stepProblem) scores(t *testing.T, x []*mat.Dense, step int) []*mat.Dense {
	t.Helper()
	dst := cloneBlocks(x)
	if err := p.target.Score(dst, x, step); err != nil {
		t.Fatal(err)
	}
	return dst
}

// relativeError is ‖got − want‖/‖want‖ of a block in the Frobenius norm, and the
// largest one of a particle.
func relativeError(got, want *mat.Dense) (all, worst float64) {
	var d mat.Dense
	d.Sub(got, want)
	rows, _ := want.Dims()
	for i := range rows {
		if n := mat.Norm(want.RowView(i), 2); n > 0 {
			worst = math.Max(worst, mat.Norm(d.RowView(i), 2)/n)
		}
	}
	return mat.Norm(&d, 2) / mat.Norm(want, 2), worst
}

// singleBound is the largest relative error of the score of one particle that
// float32 may have. A log density of 10⁴ has a rounding of 10⁻³ there, which is
// the relative error of the weight of a sample.
const singleBound = 5e-3

// The scores in float32 are those in float64 up to rounding: at the initial
// particles, and after a number of steps.
func TestFloat32Scores(t *testing.T) {
	cases := []struct {
		name modelStep
		vars int
	}{{stepLinear, 10}, {stepDiBS, 10}, {stepFFN, 10}, {stepLinear, 20}, {stepLinear, 50}}
	steps := []int{0, 200, 1000}
	if !*long {
		cases, steps = cases[:2], []int{0, 200}
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "model\td\tstep\tZ\tworst particle\tΘ\tworst particle\t")
	for _, c := range cases {
		double, single := inPrecision(t, c.name, scale{vars: c.vars})
		x, at, s := cloneBlocks(double.start), 0, double.sampler()
		for _, step := range steps {
			if err := s.Run(context.Background(), x, at, step); err != nil {
				t.Fatal(err)
			}
			at = step
			want, got := double.scores(t, x, step), single.scores(t, x, step)
			fmt.Fprintf(w, "%s\t%d\t%d\t", c.name, c.vars, step)
			for b := range want {
				all, worst := relativeError(got[b], want[b])
				if !(worst <= singleBound) || worst == 0 && step > 0 {
					t.Errorf("%s, d=%d, step %d, block %d: relative error %.1e, want at most %.0e and more than none", c.name, c.vars, step, b, worst, singleBound)
				}
				fmt.Fprintf(w, "%.1e\t%.1e\t", all, worst)
			}
			fmt.Fprintln(w)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Logf("relative error of scores in float32:\n%s", table.String())
}

// A float32 step allocates nothing once its buffers exist, and the number of
// workers changes no bit of it.
func TestFloat32Step(t *testing.T) {
	for _, name := range []modelStep{stepLinear, stepFFN, stepDiBS} {
		var want []*mat.Dense
		for _, workers := range []int{1, 2, 3} {
			p := newScaledProblem(t, name, scale{vars: 6, samples: 32, workers: workers, precision: autograd.Float32}, autograd.Compiled)
			got := p.scores(t, p.start, stepNumber)
			if want == nil {
				want = got
			}
			sameBits(t, fmt.Sprintf("%s with %d workers", name, workers), got, want)
			step := p.stepper(p.target)
			run := func() {
				if err := step(); err != nil {
					t.Fatal(err)
				}
			}
			run()
			run()
			if allocs := testing.AllocsPerRun(5, run); allocs > 0 {
				t.Errorf("%s with %d workers: got %v allocations per step, want none", name, workers, allocs)
			}
		}
	}
}

// edgeProbabilities are those of the particles' graphs after a run.
func (p *stepProblem) edgeProbabilities(t *testing.T, steps int) []float64 {
	t.Helper()
	x := cloneBlocks(p.start)
	if err := p.sampler().Run(context.Background(), x, 0, steps); err != nil {
		t.Fatal(err)
	}
	graphs := p.target.Graphs(x[0])
	d := graphs[0].Len()
	prob := make([]float64, d*d)
	for _, g := range graphs {
		for _, e := range g.Edges() {
			prob[e.From*d+e.To] += 1 / float64(len(graphs))
		}
	}
	return prob
}

// A run of the linear model finds the edge probabilities in float32 that it finds
// in float64. Each is a mean over 30 particles, so two runs differ by a standard
// error of √(2p(1−p)/30), at least that of p = 1/30 where all agree: the largest of
// the 45 differences may be four of them, their mean square one.
func TestFloat32Run(t *testing.T) {
	steps := 300
	if *long {
		steps = 3000
	}
	double, single := inPrecision(t, stepLinear, scale{vars: 10})
	want, got := double.edgeProbabilities(t, steps), single.edgeProbabilities(t, steps)
	const particles = 30
	largest, squares, pairs, edges := 0.0, 0.0, 0, 0.0
	for i := range 10 {
		for j := i + 1; j < 10; j++ {
			a, b := want[i*10+j], got[i*10+j]
			p := math.Min(math.Max((a+b)/2, 1./particles), 1-1./particles)
			z := (a - b) / math.Sqrt(2*p*(1-p)/particles)
			largest, squares, pairs, edges = math.Max(largest, math.Abs(z)), squares+z*z, pairs+1, edges+a
			if math.Abs(z) > 4 {
				t.Errorf("edge %d → %d: probability %.3f in float32, %.3f in float64: %.1f standard errors apart, want at most 4", i, j, b, a, z)
			}
		}
	}
	if mean := squares / float64(pairs); mean > 1 {
		t.Errorf("mean square difference %.2f in standard errors, want at most 1", mean)
	}
	if edges < 5 {
		t.Errorf("got %.1f expected edges in float64: the run has learned nothing", edges)
	}
	t.Logf("after %d steps: largest difference %.2f standard errors, mean square %.3f, expected edges %.2f", steps, largest, squares/float64(pairs), edges)
}
