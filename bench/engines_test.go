package bench_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"

	"tobac/autograd"
	"tobac/autograd/gorgonia"
	"tobac/models"
)

// An expression is a density that the compiler knows nothing special about.
type expression struct {
	name      string
	particles int
	params    int
	density   func(x []*autograd.Node) *autograd.Node
}

const timedRows = 10_000

// expressions are network regressions over many rows, mixtures in many
// dimensions, and the toy densities; each with one particle, where nothing is
// shared, and with as many as a run has.
func expressions(rows int) []expression {
	small, wide := perceptron{8, 16}, perceptron{16, 32}
	return []expression{
		{"network/8-16-1/M=1", 1, small.params(), small.posterior(rows)},
		{"network/8-16-1/M=30", 30, small.params(), small.posterior(rows)},
		{"network/16-32-1/M=1", 1, wide.params(), wide.posterior(rows)},
		{"mixture/p=200/M=1", 1, 200, newMixture(10, 200)},
		{"mixture/p=200/M=30", 30, 200, newMixture(10, 200)},
		{"mixture/p=200/full/M=1", 1, 200, newFullMixture(3, 200)},
		{"mixture/p=200/full/M=30", 30, 200, newFullMixture(3, 200)},
		{"toy/mixture/M=1", 1, 2, newMixture(3, 2)},
		{"toy/mixture/M=100", 100, 2, newMixture(3, 2)},
		{"toy/banana/M=1", 1, 2, models.Banana(0.3, 1)},
		{"toy/banana/M=100", 100, 2, models.Banana(0.3, 1)},
	}
}

// A perceptron is the function w₂·tanh(W₁x + b₁) + b₂ with a number of inputs and
// of hidden units.
type perceptron struct{ in, hidden int }

// params is the number of weights and biases: W₁, b₁, w₂, b₂.
func (p perceptron) params() int { return (p.in+2)*p.hidden + 1 }

func (p perceptron) at(theta, x []float64) float64 {
	b1, w2 := theta[p.in*p.hidden:], theta[(p.in+1)*p.hidden:]
	y := theta[p.params()-1]
	for h := range p.hidden {
		a := b1[h]
		for i, v := range x {
			a += v * theta[i*p.hidden+h]
		}
		y += math.Tanh(a) * w2[h]
	}
	return y
}

// posterior is the log density of all weights and biases, N(0, 1) a priori, given
// rows drawn from such a network with noise of variance 0.1.
func (p perceptron) posterior(rows int) func(x []*autograd.Node) *autograd.Node {
	rng := rand.New(rand.NewPCG(1, 1))
	normals := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	truth, inputs, outputs := normals(p.params()), normals(rows*p.in), normals(rows)
	for r := range outputs {
		outputs[r] = p.at(truth, inputs[r*p.in:(r+1)*p.in]) + math.Sqrt(0.1)*outputs[r]
	}
	return func(x []*autograd.Node) *autograd.Node {
		theta, b, first := x[0], x[0].Builder(), p.in*p.hidden
		w1 := theta.Slice(0, 0, first).Reshape(autograd.Shape{p.in, p.hidden})
		b1 := theta.Slice(0, first, first+p.hidden)
		w2 := theta.Slice(0, first+p.hidden, first+2*p.hidden).Reshape(autograd.Shape{p.hidden, 1})
		b2 := theta.Slice(0, p.params()-1, p.params())
		f := b.Constant(inputs, autograd.Shape{rows, p.in}).MatMul(w1).Add(b1).Tanh().MatMul(w2).Add(b2)
		residual := b.Constant(outputs, autograd.Shape{rows, 1}).Sub(f)
		return residual.Square().Sum().Scale(-1 / (2 * 0.1)).Sub(theta.Square().Sum().Scale(0.5))
	}
}

// newMixture has k round components with random means in p dimensions, close
// enough together that several of them count at most points.
func newMixture(k, p int) func(x []*autograd.Node) *autograd.Node {
	rng := rand.New(rand.NewPCG(2, uint64(p)))
	means, variances, weights := make([][]float64, k), make([]float64, k), make([]float64, k)
	for c := range means {
		means[c] = make([]float64, p)
		for i := range means[c] {
			means[c][i] = 3 * rng.NormFloat64() / math.Sqrt(float64(p))
		}
		variances[c], weights[c] = 1+0.02*rng.Float64(), 1+rng.Float64()
	}
	return models.GaussianMixture(means, variances, weights)
}

// newFullMixture has k equally likely components with the mean 0 and precision
// matrices LᵀL, L lower triangular with a unit diagonal, so that all have one
// normalising constant, which is left out.
func newFullMixture(k, p int) func(x []*autograd.Node) *autograd.Node {
	rng := rand.New(rand.NewPCG(4, uint64(p)))
	roots := make([][]float64, k)
	for c := range roots {
		roots[c] = make([]float64, p*p)
		for i := range p {
			roots[c][i*p+i] = 1
			for j := range i {
				roots[c][i*p+j] = 0.1 * rng.NormFloat64() / math.Sqrt(float64(p))
			}
		}
	}
	return func(x []*autograd.Node) *autograd.Node {
		point := x[0].Reshape(autograd.Shape{p, 1})
		logs := make([]*autograd.Node, k)
		for c, root := range roots {
			l := x[0].Builder().Constant(root, autograd.Shape{p, p})
			logs[c] = l.MatMul(point).Square().Sum().Scale(-0.5).Reshape(autograd.Shape{1})
		}
		return autograd.Concat(0, logs[0], logs[1:]...).LogSumExp()
	}
}

// target is the expression on an engine, on one worker, with particles from a
// fixed seed.
func (e expression) target(tb testing.TB, engine autograd.Engine) (target *models.Target, x []*mat.Dense) {
	tb.Helper()
	target, err := models.NewTarget(e.particles, []autograd.Shape{{e.params}}, e.density, models.Options{Engine: engine})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(target.Close)
	rng := rand.New(rand.NewPCG(3, 3))
	block := mat.NewDense(e.particles, e.params, nil)
	block.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, block)
	return target, []*mat.Dense{block}
}

var engines = []autograd.Engine{autograd.Compiled, autograd.Reference, gorgonia.Tape}

// BenchmarkExpression times the score of all particles on each engine, on one
// worker.
func BenchmarkExpression(b *testing.B) {
	for _, e := range expressions(timedRows) {
		for _, engine := range engines {
			b.Run(fmt.Sprintf("density=%s/engine=%v", e.name, engine), func(b *testing.B) {
				target, x := e.target(b, engine)
				dst := cloneBlocks(x)
				score := func() {
					if err := target.Score(dst, x, 0); err != nil {
						b.Fatal(err)
					}
				}
				score()
				b.ReportAllocs()
				for b.Loop() {
					score()
				}
			})
		}
	}
}

// The engines that are compared do equal work, of fewer rows here.
func TestExpressionEnginesAgree(t *testing.T) {
	for _, e := range expressions(timedRows / 20) {
		t.Run(e.name, func(t *testing.T) {
			var want []*mat.Dense
			for _, engine := range []autograd.Engine{autograd.Reference, autograd.Compiled, gorgonia.Tape} {
				target, x := e.target(t, engine)
				got := cloneBlocks(x)
				if err := target.Score(got, x, 0); err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				}
				compareScores(t, engine.String(), got, want)
			}
		})
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
					t.Fatalf("%s, block %d, particle %d, coordinate %d: got %.15g, want %.15g", what, b, i, j, g, w)
				}
			}
		}
	}
}

// The table of all expressions on all engines, with how many times the compiled
// one is faster. The engines take turns, so that a busy machine slows them alike.
//
//	go test ./bench -run TestExpressionTable -long -v
func TestExpressionTable(t *testing.T) {
	measured(t)
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "expression\tcompiled\treference\ttape\treference/compiled\ttape/compiled\t")
	for _, e := range expressions(timedRows) {
		var runs []func() error
		for _, engine := range engines {
			target, x := e.target(t, engine)
			dst := cloneBlocks(x)
			runs = append(runs, func() error { return target.Score(dst, x, 0) })
		}
		at := timings(t, runs, perWork)
		compiled, reference, tape := at[0].fastest(), at[1].fastest(), at[2].fastest()
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.1f\t%.1f\t\n", e.name, digits(compiled), digits(reference), digits(tape), reference/compiled, tape/compiled)
	}
	w.Flush()
	t.Logf("minimum time of one score of all particles, one worker\n%s", table.String())
}
