package tobac

import (
	"fmt"
	"math"

	"tobac/models"
	"tobac/ordering"
)

// Config are the settings of a fit. Every field's zero value selects the
// default that its comment states, so Config{} is the default preset; [Paper]
// is the published one.
type Config struct {
	// Order finds the causal order of the columns. Nil: EqVar, which assumes
	// equal noise variances.
	Order ordering.Orderer

	// Estimator combines the Monte Carlo graphs. Zero: node-wise, which has the
	// same cost as the published joint estimator and far less variance.
	Estimator models.Estimator

	Particles int // particles M of the posterior; 0: 30
	Steps     int // SVGD steps T; 0: 1000
	Samples   int // Monte Carlo graphs S per particle and gradient; 0: 128
	Rank      int // length k of the latent vectors; 0: d−1

	// Seed of every random draw. The same seed gives the same bits for any
	// number of workers.
	Seed uint64

	// NoiseVariance is the variance σ² of every equation's noise, in squared
	// units of the data. 0: estimated from the data, by
	// [models.EstimateNoiseVariance]; the published value is 0.1.
	NoiseVariance float64

	// Start says how the particles' initial weights are drawn. Zero:
	// [RegressionStart].
	Start Start

	// EdgesPerNode is the prior's expected number of edges divided by the
	// number of variables d; it must lie below (d−1)/2. 0: 2, or (d−1)/4 if
	// that is less, so that no pair is more likely than not to have an edge.
	EdgesPerNode float64

	// Readout says how edge probabilities and weights are read off the
	// particles. Zero: [ConditionalReadout].
	Readout Readout

	AlphaRate      float64 // inverse temperature α_t = AlphaRate·t; 0: 0.05
	BandwidthZ     float64 // kernel bandwidth of the latents; 0: 5
	BandwidthTheta float64 // kernel bandwidth of the parameters; 0: 500
	StepSize       float64 // RMSProp step size; 0: 0.005

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
	Step, Steps int // steps taken and steps in all
	// Driving and Repulsive are the norms of the two forces of SVGD on the
	// latents, Neighbours the kernel's effective number of neighbours.
	Driving, Repulsive, Neighbours float64
}

// Paper is the published recipe to the letter: joint estimator, noise variance
// 0.1, initial weights from the prior, two edges per node, 30 particles, 1000
// steps, 128 samples, probabilities as shares of the particles.
func Paper() Config {
	return Config{Estimator: models.Joint, EdgesPerNode: 2, NoiseVariance: 0.1, Start: PriorStart, Readout: ShareReadout}
}

// WithDefaults returns c with every zero field replaced by its default for
// data with d columns, or an error that names the first field out of range.
// Order and Progress stay as they are, and so does a NoiseVariance of 0, which
// needs the data.
func (c Config) WithDefaults(d int) (Config, error) {
	if d < 2 {
		return c, fmt.Errorf("got %d variable, want at least 2: a single variable has no edges to infer", d)
	}
	for _, f := range []struct {
		name string
		v    *int
		zero int
	}{
		{"particles", &c.Particles, 30}, {"steps", &c.Steps, 1000}, {"samples", &c.Samples, 128},
		{"rank", &c.Rank, d - 1}, {"workers", &c.Workers, 1},
	} {
		if *f.v == 0 {
			*f.v = f.zero
		}
		if *f.v < 1 {
			return c, fmt.Errorf("%s is %d, want at least 1", f.name, *f.v)
		}
	}
	for _, f := range []struct {
		name string
		v    *float64
		zero float64
	}{
		{"edges per node", &c.EdgesPerNode, math.Min(2, float64(d-1)/4)},
		{"alpha rate", &c.AlphaRate, 0.05}, {"bandwidth of Z", &c.BandwidthZ, 5},
		{"bandwidth of theta", &c.BandwidthTheta, 500}, {"step size", &c.StepSize, 0.005},
	} {
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
	if _, err := models.NewErdosRenyi(d, c.EdgesPerNode); err != nil {
		return c, err
	}
	return c, nil
}
