package tobac

import (
	"errors"
	"fmt"
	"math"

	"tobac/autograd"
	"tobac/models"
	"tobac/ordering"

	"gonum.org/v1/gonum/mat"
)

// Config are the settings of a fit. Every field's zero value selects the
// default that its comment states, so Config{} is the default preset; [Paper]
// is the published one.
type Config struct {
	// Model is the structural equation model. Nil: Linear.
	Model Model

	// Method keeps graphs acyclic. Zero: TOBAC, by a causal order.
	Method Method

	// Order finds the causal order of the columns, from the rows without an
	// intervention. Nil: EqVar, which assumes equal noise variances. DiBS takes
	// none.
	Order ordering.Orderer

	// Orders, if above 0, is the number of bootstrap resamples of the rows without
	// an intervention whose orders are mixed: the model is sampled under each
	// distinct order, with the given numbers of particles and steps for each, and
	// the posteriors are put together with the weights of the orders. The random
	// draws under each order follow from Seed and the place at which the order
	// first appeared among the resamples, the first one having Seed itself; a
	// single distinct order gives the bits of a fit under it. 0: the one order of
	// all rows. DiBS and a known order take none. Order must be safe for concurrent
	// use, as all of package ordering are.
	Orders int

	// OrderWeights says how the orders are weighed. Zero: by frequency.
	OrderWeights OrderWeights

	// Prior of graphs. Nil: Erdős–Rényi with EdgesPerNode. A prior that tells
	// variables apart has a method Relabel(order []int) models.GraphPrior, as
	// models.EdgePrior has: it is then given in the columns of the data, and
	// variable a of the prior that the method returns is column order[a].
	Prior models.GraphPrior

	// Gradient of the latents. Zero: reparameterised.
	Gradient models.Gradient

	// Interventions is nil, or a matrix as large as the data with 1 where a value
	// was set by intervention and 0 elsewhere: such a value says nothing about
	// its own variable's equation, while its children see it. A variable without
	// other values contributes no likelihood.
	Interventions mat.Matrix

	// Estimator combines the Monte Carlo graphs. Zero: node-wise, which has the
	// same cost as the published joint estimator and far less variance.
	Estimator models.Estimator

	Particles int // particles M of the posterior; 0: 30
	Steps     int // SVGD steps T; 0: 1000
	Samples   int // Monte Carlo graphs S per particle and gradient; 0: 128
	Rank      int // length k of the latent vectors; 0: d−1, with DiBS d

	// Seed of every random draw. The same seed gives the same bits for any
	// number of workers.
	Seed uint64

	// NoiseVariance is the variance σ² of every equation's noise, in squared
	// units of the data. 0: estimated from the data, by
	// [models.EstimateNoiseVariance], for the linear model with TOBAC, and else
	// the published 0.1. A marginal model has none.
	NoiseVariance float64

	// Start says how the particles' initial weights are drawn. Zero:
	// [RegressionStart] for the linear model with TOBAC; others know
	// [PriorStart] only.
	Start Start

	// EdgesPerNode is the prior's expected number of edges divided by the
	// number of variables d; it must lie below (d−1)/2. 0: 2, or (d−1)/4 if
	// that is less, so that no pair is more likely than not to have an edge.
	// Beside a Prior it stays 0.
	EdgesPerNode float64

	// Readout says how edge probabilities and weights are read off the
	// particles. Zero: [ConditionalReadout] for the linear model with TOBAC and
	// the Erdős–Rényi prior; others know [ShareReadout] only.
	Readout Readout

	AlphaRate      float64 // inverse temperature α_t = AlphaRate·t; 0: 0.05, or 1 for a marginal model
	BandwidthZ     float64 // kernel bandwidth of the latents; 0: 5
	BandwidthTheta float64 // kernel bandwidth of the parameters; 0: 500; a marginal model has none
	StepSize       float64 // RMSProp step size; 0: 0.005

	// Precision of the numbers that differ between the Monte Carlo graphs of a
	// particle; all others are float64, and all are where the model is too large for
	// a lane program: see [autograd.Float32]. Zero: float64.
	Precision autograd.Precision

	// Penalty of cycles, for DiBS only. Zero: rate 1, 32 samples.
	Penalty models.Penalty

	// Workers is the number of goroutines; 0: 1. It changes nothing but the
	// time.
	Workers int

	// Progress is called after every step; nil: not at all. It must not keep
	// its argument.
	Progress func(Progress)
}

// Start says how the initial edge weights of the particles are drawn.
type Start int

const (
	// RegressionStart draws them around the regression of every variable on all
	// earlier ones: see [models.RegressionStart].
	RegressionStart Start = iota
	// PriorStart draws them from N(0, 1), moved away from zero by ½, as
	// published. A particle whose weight starts with the wrong sign then often
	// gives up a true edge.
	PriorStart
)

// String is the name of the choice in summaries.
func (s Start) String() string {
	if s == PriorStart {
		return "prior"
	}
	return "regression"
}

// models is the same choice in package models.
func (s Start) models() models.WeightStart {
	if s == PriorStart {
		return models.PriorStart
	}
	return models.RegressionStart
}

// Readout says how the particles become edge probabilities and weights.
type Readout int

const (
	// ConditionalReadout averages, over the particles, the probability of each
	// edge given the rest of the particle's graph and the data, and the mean and
	// variance of its weight, all in closed form with the weights integrated out
	// (see [models.Linear.Conditionals]). An edge that the data leave open is
	// then open, even where all particles have decided alike.
	ConditionalReadout Readout = iota
	// ShareReadout takes the share of the particles that have the edge, and the
	// mean and standard deviation of their weights.
	ShareReadout
)

// String is the name of the choice in summaries.
func (r Readout) String() string {
	if r == ShareReadout {
		return "share"
	}
	return "conditional"
}

// Progress describes a step that has been taken.
type Progress struct {
	Step, Steps   int // steps taken and steps in all, over all orders
	Order, Orders int // the order being sampled, counted from 1, and their number
	// Driving and Repulsive are the norms of the two forces of SVGD on the
	// latents, Neighbours the kernel's effective number of neighbours.
	Driving, Repulsive, Neighbours float64
}

// Paper is the published recipe to the letter: joint estimator, noise variance
// 0.1, initial weights from the prior, two edges per node, 30 particles, 1000
// steps, 128 samples, probabilities as shares of the particles. With Model and
// Method set it is the one of the nonlinear model and of DiBS.
func Paper() Config {
	return Config{Estimator: models.Joint, EdgesPerNode: 2, NoiseVariance: 0.1, Start: PriorStart, Readout: ShareReadout}
}

// PaperMarginal is the published recipe for the marginal model: BGe, gradient by
// the score function, temperature falling twenty times as fast.
func PaperMarginal() Config {
	return Config{Model: BGe{}, Estimator: models.Joint, Gradient: models.ScoreFunction, EdgesPerNode: 2, AlphaRate: 1, Start: PriorStart, Readout: ShareReadout}
}

// model is the model, the linear one by default.
func (c Config) model() Model {
	if c.Model == nil {
		return Linear{}
	}
	return c.Model
}

// WithDefaults returns c with every zero field replaced by its default for
// data with d columns, or an error that names the first field out of range, or
// that contradicts another. Model, Order, Orders, Prior and Progress stay as they
// are, and so does a NoiseVariance of 0 that needs the data.
func (c Config) WithDefaults(d int) (Config, error) {
	if d < 2 {
		return c, fmt.Errorf("got %d variable, want at least 2: a single variable has no edges to infer", d)
	}
	if err := c.checkChoices(); err != nil {
		return c, err
	}
	if err := c.checkOrders(d); err != nil {
		return c, err
	}
	rank := d - 1
	if c.Method == DiBS {
		rank = d
	}
	counts := []setting[int]{
		{"particles", &c.Particles, 30}, {"steps", &c.Steps, 1000}, {"samples", &c.Samples, 128},
		{"rank", &c.Rank, rank}, {"workers", &c.Workers, 1},
	}
	numbers := []setting[float64]{{"alpha rate", &c.AlphaRate, 1}}
	if !c.model().Marginal() {
		numbers = []setting[float64]{{"alpha rate", &c.AlphaRate, 0.05}, {"bandwidth of theta", &c.BandwidthTheta, 500}}
		if !c.regressions() {
			numbers = append(numbers, setting[float64]{"noise variance", &c.NoiseVariance, 0.1})
		}
	}
	if c.Prior == nil {
		numbers = append(numbers, setting[float64]{"edges per node", &c.EdgesPerNode, math.Min(2, float64(d-1)/4)})
	}
	numbers = append(numbers, setting[float64]{"bandwidth of Z", &c.BandwidthZ, 5}, setting[float64]{"step size", &c.StepSize, 0.005})
	if c.Method == DiBS {
		counts = append(counts, setting[int]{"penalty samples", &c.Penalty.Samples, 32})
		numbers = append(numbers, setting[float64]{"penalty rate", &c.Penalty.Rate, 1})
	}
	for _, f := range counts {
		if *f.v == 0 {
			*f.v = f.zero
		}
		if *f.v < 1 {
			return c, fmt.Errorf("%s is %d, want at least 1", f.name, *f.v)
		}
	}
	for _, f := range numbers {
		if *f.v == 0 {
			*f.v = f.zero
		}
		if !(*f.v > 0) || math.IsInf(*f.v, 0) {
			return c, fmt.Errorf("%s is %v, want a finite positive number", f.name, *f.v)
		}
	}
	if !(c.NoiseVariance >= 0) || math.IsInf(c.NoiseVariance, 0) {
		return c, fmt.Errorf("noise variance is %v, want a finite positive number, or 0 to estimate it", c.NoiseVariance)
	}
	if c.Start < RegressionStart || c.Start > PriorStart {
		return c, fmt.Errorf("unknown start %d of the weights", c.Start)
	}
	if c.Readout < ConditionalReadout || c.Readout > ShareReadout {
		return c, fmt.Errorf("unknown readout %d", c.Readout)
	}
	if c.Precision < autograd.Float64 || c.Precision > autograd.Float32 {
		return c, fmt.Errorf("unknown precision %v, want float64 or float32", c.Precision)
	}
	if !c.regressions() {
		c.Start = PriorStart
	}
	if !c.regressions() || c.Prior != nil {
		c.Readout = ShareReadout
	}
	if c.Prior == nil {
		if _, err := models.NewErdosRenyi(d, c.EdgesPerNode); err != nil {
			return c, err
		}
	}
	return c, nil
}

// regressions reports whether the regression of every variable on the earlier
// ones says something about the model: it is linear and knows an order.
func (c Config) regressions() bool {
	_, linear := c.model().(Linear)
	return linear && c.Method == TOBAC
}

// A setting is a number with its default.
type setting[T int | float64] struct {
	name string
	v    *T
	zero T
}

// checkChoices finds settings that have no meaning beside others.
func (c Config) checkChoices() error {
	switch {
	case c.Method != TOBAC && c.Method != DiBS:
		return fmt.Errorf("unknown method %v", c.Method)
	case c.Method == DiBS && c.Order != nil:
		return errors.New("the method dibs takes no causal order")
	case c.Method != DiBS && c.Penalty != (models.Penalty{}):
		return fmt.Errorf("a penalty of cycles is set, but the method %v has no cycles", c.Method)
	case c.model().Marginal() && c.NoiseVariance != 0:
		return fmt.Errorf("noise variance is %v, but the model integrates the noise variance out", c.NoiseVariance)
	case c.model().Marginal() && c.BandwidthTheta != 0:
		return fmt.Errorf("bandwidth of theta is %v, but the model has no parameters", c.BandwidthTheta)
	case c.Prior != nil && c.EdgesPerNode != 0:
		return fmt.Errorf("edges per node is %v, but the prior is another than Erdős–Rényi's", c.EdgesPerNode)
	}
	return nil
}
