package models_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"testing"

	"tobac/autograd"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// TestPasses evaluates the gradients of every model without a sixth of the passes of the
// compiler each, in turn, and without all of them, and compares with the reference engine. The
// density of one particle is rounded differently, and its gradient is a difference
// of terms of its size: 1e-9 of the largest element.
func TestPasses(t *testing.T) {
	for turn, o := range passObjectives(t) {
		t.Run(o.name, func(t *testing.T) {
			want := o.eval(t, autograd.Options{Engine: autograd.Reference})
			all := autograd.Pass(0)
			cases := []autograd.Pass{0}
			for k, p := range autograd.Passes() {
				all |= p
				// kernels do not depend on passes
				if (k+turn)%6 == 0 && os.Getenv(wantKernels) == "" {
					cases = append(cases, p)
				}
			}
			for _, without := range append(cases, all) {
				for i, got := range o.eval(t, autograd.Options{Without: without}) {
					compareLargest(t, fmt.Sprintf("without %q: gradient %d", without, i), got,
						want[i], 1e-9)
				}
			}
		})
	}
}

// TestPassesOnPortableKernels repeats TestPasses on the kernels in plain Go, in a
// process of its own, since a process has one set of kernels.
func TestPassesOnPortableKernels(t *testing.T) {
	if autograd.Kernels() == "portable" {
		t.Skip("the kernels in use are the portable ones")
	}
	if testing.Short() {
		t.Skip("takes seconds")
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^(TestPasses|TestPortableKernels)$")
	cmd.Env = append(os.Environ(), "TOBAC_KERNELS=portable", wantKernels+"=portable")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

const wantKernels = "TOBAC_TEST_WANT_KERNELS"

// TestPortableKernels makes sure that the process of the test above uses the
// kernels it was started for.
func TestPortableKernels(t *testing.T) {
	want := os.Getenv(wantKernels)
	if want == "" {
		t.Skip("started by TestPassesOnPortableKernels")
	}
	if got := autograd.Kernels(); got != want {
		t.Errorf("kernels %q, want %q", got, want)
	}
}

func compareLargest(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	largest := 0.0
	for _, w := range want {
		largest = math.Max(largest, math.Abs(w))
	}
	for k, w := range want {
		if !(math.Abs(got[k]-w) <= tolerance*largest) {
			t.Fatalf("%s, element %d: got %v, want %v, largest element %v", what, k, got[k], w,
				largest)
		}
	}
}

// A passObjective is an expression with the values of its inputs.
type passObjective struct {
	name          string
	inputs, grads []*autograd.Node
	feeds         []autograd.Feed
}

func (o passObjective) eval(t *testing.T, opt autograd.Options) [][]float64 {
	t.Helper()
	run, err := autograd.NewEvaluator(o.inputs, o.grads, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	dst := make([][]float64, len(o.grads))
	for i, n := range o.grads {
		size := n.Shape().Len()
		for _, a := range n.Axes() {
			size *= a.Size()
		}
		dst[i] = make([]float64, size)
	}
	if err := run.Eval(dst, o.feeds); err != nil {
		t.Fatal(err)
	}
	return dst
}

// passObjectives are those of TOBAC and DiBS with every likelihood and gradient,
// estimators and graph priors in turns, and the densities for NewTarget.
func passObjectives(t *testing.T) []passObjective {
	t.Helper()
	const d, m, step = 4, 2, 30
	var out []passObjective
	priors := passPriors(t, d)
	for a, l := range passLikelihoods(t, d) {
		for e, embedding := range []models.Embedding{models.OrderedPairs, models.AllPairs} {
			for g, gradient := range []models.Gradient{models.Reparameterised, models.ScoreFunction,
				models.ScoreFunctionLOO} {
				prior, estimator := priors[(a+e+g)%len(priors)],
					[]models.Estimator{models.NodeWise, models.Joint}[(a+g)%2]
				target := newTOBAC(t, l.lik, models.TOBACConfig{
					Particles: m, Samples: 16, AlphaRate: 0.1, Embedding: embedding,
					Estimator: estimator, Gradient: gradient,
					Prior: prior, Penalty: models.Penalty{Samples: 8}, Seed: 5,
				})
				name := fmt.Sprintf("%s/embedding=%d/%v/%v/%T", l.name, embedding, estimator,
					gradient, prior)
				out = append(out, targetObjectives(target, name, step)...)
			}
		}
	}
	return append(out, passDensities()...)
}

type namedLikelihood struct {
	name string
	lik  models.Likelihood
}

// targetObjectives are the gradients that make up the score of a target.
func targetObjectives(target *models.TOBAC, name string, step int) []passObjective {
	var out []passObjective
	x := target.Init()
	for i, o := range target.Objectives(step) {
		of := o.Blocks[0]
		if i == 1 && len(o.Blocks) == 2 {
			of = o.Blocks[1] // the objective of Θ
		}
		p := passObjective{
			name:   fmt.Sprintf("%s/%d", name, i),
			inputs: append(append([]*autograd.Node{}, o.Blocks...), o.Fixed...),
			grads:  o.Y.Builder().Grad(o.Y, of),
		}
		for k := range o.Blocks {
			p.feeds = append(p.feeds, autograd.Feed{Data: x[k].RawMatrix().Data})
		}
		for _, v := range o.Values {
			p.feeds = append(p.feeds, autograd.Feed{Data: v})
		}
		out = append(out, p)
	}
	return out
}

func passLikelihoods(t *testing.T, d int) []namedLikelihood {
	t.Helper()
	rng := newRand(151)
	x, intervened := mat.NewDense(12, d, normals(rng, 12*d)), mat.NewDense(12, d, nil)
	for r := range 4 {
		intervened.Set(r, r%d, 1)
	}
	liks := []namedLikelihood{{"student t", studentT{x: heavyTailed(9)}}}
	add := func(name string, lik models.Likelihood, err error) {
		if err != nil {
			t.Fatal(err)
		}
		liks = append(liks, namedLikelihood{name, lik})
	}
	linear, err := models.NewLinear(x, nil, models.LinearOptions{})
	add("linear", linear, err)
	linear, err = models.NewLinear(x, intervened, models.LinearOptions{})
	add("linear with interventions", linear, err)
	network, err := models.NewFeedForward(x, nil, models.FeedForwardOptions{})
	add("network", network, err)
	network, err = models.NewFeedForward(x, intervened,
		models.FeedForwardOptions{Hidden: []int{3, 2}, Activation: models.Tanh})
	add("deep network with interventions", network, err)
	bge, err := models.NewBGe(x, intervened, models.BGeOptions{})
	add("bge", bge, err)
	return liks
}

func passPriors(t *testing.T, d int) []models.GraphPrior {
	t.Helper()
	p, err := models.EdgeProbability(d, 1)
	if err != nil {
		t.Fatal(err)
	}
	return []models.GraphPrior{models.ErdosRenyi(p), models.ScaleFree(), models.UniformPrior()}
}

func passDensities() []passObjective {
	var out []passObjective
	add := func(name string, density func(x []*autograd.Node) *autograd.Node,
		shapes ...autograd.Shape) {
		rng, b := newRand(152), autograd.NewBuilder(name)
		particle := b.Axis("particle", 5)
		o := passObjective{name: name}
		for i, s := range shapes {
			o.inputs = append(o.inputs, b.Input(fmt.Sprintf("block %d", i), s, particle))
			o.feeds = append(o.feeds, autograd.Feed{Data: normals(rng, 5*s.Len())})
		}
		o.grads = b.Grad(density(o.inputs), o.inputs...)
		out = append(out, o)
	}
	add("banana", banana(0.7, 1.5), autograd.Shape{2})
	add("mixture", gaussianMixture([][]float64{{-1, 0.5, 2}, {1.5, -1, 0}, {0, 0, -1}},
		[]float64{0.5, 2, 1}, []float64{3, 1, 2}), autograd.Shape{3})
	add("saddle", saddle, saddleBlocks...)
	add("logistic", logistic, autograd.Shape{2})
	add("neural network", networkPosterior, autograd.Shape{7})
	return out
}
