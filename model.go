package tobac

import (
	"fmt"

	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// A Model is the structural equation model of a fit: [Linear], [FeedForward],
// [BGe], or one's own.
type Model interface {
	// Likelihood prepares the model for data x, n×d, with the columns in causal
	// order, or as they are in the data if the method knows no order.
	// intervened is nil, or n×d with 1 where an entry was set by intervention. cfg
	// has its defaults filled in, the noise variance among them.
	Likelihood(x, intervened mat.Matrix, cfg Config) (models.Likelihood, error)
	// Marginal reports whether the likelihood has no parameters, because they,
	// and the noise variance, are integrated out.
	Marginal() bool
}

// Linear is the linear Gaussian model, [models.Linear]: one weight per edge.
type Linear struct{}

// FeedForward is the nonlinear Gaussian model, [models.FeedForward]: every
// variable is a network of its parents. The zero value is the published one.
type FeedForward struct {
	Hidden     []int             // units of each hidden layer; nil: one layer of 5
	Activation models.Activation // zero: Relu
	NoBias     bool              // leave out all biases
}

// BGe is the Bayesian Gaussian equivalent score, [models.BGe], the marginal
// likelihood of linear Gaussian networks. It has neither parameters nor a noise
// variance. The zero value is the published one.
type BGe struct {
	AlphaMu     float64 // strength of the prior mean, which is 0; zero: 1
	AlphaLambda float64 // degrees of freedom above d+1; zero: d+2
}

var (
	_ Model = Linear{}
	_ Model = FeedForward{}
	_ Model = BGe{}
)

// Likelihood implements [Model].
func (Linear) Likelihood(x, intervened mat.Matrix, cfg Config) (models.Likelihood, error) {
	return models.NewLinear(x, intervened, models.LinearOptions{NoiseVariance: cfg.NoiseVariance, Start: cfg.Start.models()})
}

// Marginal implements [Model].
func (Linear) Marginal() bool { return false }

// Likelihood implements [Model].
func (f FeedForward) Likelihood(x, intervened mat.Matrix, cfg Config) (models.Likelihood, error) {
	return models.NewFeedForward(x, intervened, models.FeedForwardOptions{
		NoiseVariance: cfg.NoiseVariance, Hidden: f.Hidden, Activation: f.Activation, NoBias: f.NoBias,
	})
}

// Marginal implements [Model].
func (FeedForward) Marginal() bool { return false }

// products is the number of products of n rows through the first layers of all
// networks, which is what a program of the model is made of.
func (f FeedForward) products(n, d int) float64 {
	first := 5
	if len(f.Hidden) > 0 {
		first = f.Hidden[0]
	}
	return float64(n) * float64(d) * float64(d) * float64(first)
}

// Likelihood implements [Model].
func (b BGe) Likelihood(x, intervened mat.Matrix, _ Config) (models.Likelihood, error) {
	return models.NewBGe(x, intervened, models.BGeOptions{AlphaMu: b.AlphaMu, AlphaLambda: b.AlphaLambda})
}

// Marginal implements [Model].
func (BGe) Marginal() bool { return true }

// Method says what keeps graphs acyclic.
type Method int

const (
	// TOBAC lets edges follow a causal order: every graph is acyclic.
	TOBAC Method = iota
	// DiBS knows no order. A penalty that grows from step to step drives cycles
	// out, but graphs may be left with some: see [Posterior.Cyclic].
	DiBS
)

var methodNames = []string{"tobac", "dibs"}

// String is the method's name on the command line.
func (m Method) String() string {
	if m < 0 || int(m) >= len(methodNames) {
		return fmt.Sprintf("Method(%d)", int(m))
	}
	return methodNames[m]
}

func (m Method) embedding() models.Embedding {
	if m == DiBS {
		return models.AllPairs
	}
	return models.OrderedPairs
}
