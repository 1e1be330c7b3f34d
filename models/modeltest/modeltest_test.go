package modeltest_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/internal/must"
	_ "tobac/internal/unwritten"
	"tobac/models"
	"tobac/models/modeltest"
)

func rows(n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(n, d, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	return x
}

// The likelihoods of package models keep the contract.
func TestLikelihoodsOfModels(t *testing.T) {
	linear := must.Get(models.NewLinear(rows(20, 5), nil, models.LinearOptions{}))(t)
	network := must.Get(models.NewFeedForward(rows(20, 4), nil, models.FeedForwardOptions{}))(t)
	bge := must.Get(models.NewBGe(rows(20, 4), nil, models.BGeOptions{}))(t)
	for _, lik := range []models.Likelihood{linear, network, bge} {
		for seed := range uint64(10) {
			if err := modeltest.Likelihood(lik, seed); err != nil {
				t.Errorf("%T, seed %d: %v", lik, seed, err)
			}
		}
	}
}

// own is a likelihood made of functions: x_j ~ N(Σ G_ij Θ_ij, 1) at one row of zeros.
type own struct {
	vars  int
	init  func(dst []float64, rng *rand.Rand)
	terms func(g, theta *autograd.Node) (prior, data *autograd.Node)
	hard  bool
}

func (o own) Vars() int                                { return o.vars }
func (o own) ParamLen() int                            { return 9 }
func (o own) InitParams(dst []float64, rng *rand.Rand) { o.init(dst, rng) }
func (o own) Terms(g, theta *autograd.Node) (prior, data *autograd.Node) {
	return o.terms(g, theta)
}
func (o own) HardOnly() bool { return o.hard }

func normal(dst []float64, rng *rand.Rand) {
	for i := range dst {
		dst[i] = rng.NormFloat64()
	}
}

func good(g, theta *autograd.Node) (prior, data *autograd.Node) {
	w := theta.Reshape(autograd.Shape{3, 3})
	return g.Mul(w.Square()).Sum(0).Scale(-0.5), g.Mul(w).Sum(0).Square().Scale(-0.5)
}

// Each broken promise is found and named.
func TestLikelihoodFindsMistakes(t *testing.T) {
	if err := modeltest.Likelihood(own{vars: 3, init: normal, terms: good}, 1); err != nil {
		t.Fatalf("a likelihood without a mistake: %v", err)
	}
	tests := []struct {
		name, want string
		lik        own
	}{
		{"no variables", "got 0 variables", own{init: normal, terms: good}},
		{"parameters not written", "initial parameter 8: got 0.5 and 1.5",
			own{vars: 3, init: func(dst []float64, rng *rand.Rand) {
				normal(dst[:8], rng)
			}, terms: good}},
		{"parameter not finite", "initial parameter 0 is NaN",
			own{vars: 3, init: func(dst []float64, rng *rand.Rand) {
				normal(dst, rng)
				dst[0] = math.NaN()
			}, terms: good}},
		{"shape", "terms of log p(D|G,Θ) have the shape ()",
			own{vars: 3, init: normal,
				terms: func(g, theta *autograd.Node) (*autograd.Node, *autograd.Node) {
					prior, data := good(g, theta)
					return prior, data.Sum()
				}}},
		{"expression", "matmul", own{vars: 3, init: normal,
			terms: func(g, theta *autograd.Node) (*autograd.Node, *autograd.Node) {
				prior, _ := good(g, theta)
				return prior, g.MatMul(theta)
			}}},
		{"not finite", "is -Inf", own{vars: 3, init: normal,
			terms: func(g, theta *autograd.Node) (*autograd.Node, *autograd.Node) {
				prior, data := good(g, theta)
				return prior, data.Add(g.Sum(0).Log())
			}}},
		{"rows for columns", "changes with column",
			own{vars: 3, init: normal,
				terms: func(g, theta *autograd.Node) (*autograd.Node, *autograd.Node) {
					return good(g.T(), theta)
				}}},
		{"shared parameter", "both change with parameter 8",
			own{vars: 3, init: normal,
				terms: func(g, theta *autograd.Node) (*autograd.Node, *autograd.Node) {
					prior, data := good(g, theta)
					return prior, data.Add(theta.Index(0, 8))
				}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := modeltest.Likelihood(tt.lik, 1)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one that contains %q", err, tt.want)
			}
		})
	}

	stopped := own{vars: 3, init: normal,
		terms: func(g, theta *autograd.Node) (*autograd.Node, *autograd.Node) {
			prior, data := good(g, theta.StopGradient().Add(theta.Scale(0)))
			return prior, data
		}}
	var mismatch *gradtest.MismatchError
	if err := modeltest.Likelihood(stopped, 1); !errors.As(err, &mismatch) {
		t.Errorf("a gradient that is cut: got %v, want a mismatch", err)
	}
}

// What has no soft form is looked at in hard graphs only: at soft ones this one
// is NaN.
func TestLikelihoodHardOnly(t *testing.T) {
	terms := func(g, theta *autograd.Node) (*autograd.Node, *autograd.Node) {
		hardness := g.AddScalar(-0.5).Square().AddScalar(-0.25).Sqrt() // 0 at 0 and at 1
		prior, data := good(g, theta)
		return prior, data.Add(hardness.StopGradient().Sum(0))
	}
	if err := modeltest.Likelihood(own{vars: 3, init: normal, terms: terms, hard: true},
		1); err != nil {
		t.Error(err)
	}
	if err := modeltest.Likelihood(own{vars: 3, init: normal, terms: terms}, 1); err == nil {
		t.Error("a likelihood that is NaN at soft graphs and does not say so: got no error")
	}
}

func ExampleLikelihood() {
	lik, err := models.NewLinear(mat.NewDense(3, 2, []float64{1, 2, -1, -1.5, 0.5, 1}), nil,
		models.LinearOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(modeltest.Likelihood(lik, 1))
	// Output: <nil>
}
