package tobac

import (
	"fmt"
	"math"
	"strconv"

	"tobac/background"
	"tobac/bcd"
	"tobac/exact"
	"tobac/gflownet"
	"tobac/mcmc"
	"tobac/models"
	"tobac/ordering"
	"tobac/sem"
	"tobac/setting"
)

// Config are the settings of a fit. Config{} is the default; [Paper] is the
// published recipe.
type Config struct {
	// Model is the structural equation model. Nil: the one of [sem.Linear], [sem.BGe] and
	// [sem.GaussianProcess] that the data support, by its evidence.
	Model sem.Model
	// Prior of the graph. Zero: Erdős–Rényi, the number of edges inferred.
	Prior background.Prior
	// Order says where the causal orders come from. Zero: from their posterior.
	Order Order
	// Engine computes the posterior. Zero: the best that the model and the number of
	// variables allow.
	Engine Engine
	// Sampler is how SVGD samples. Zero, for a [sem.Differentiable] model of one's own without node scores, with Engine and Prior.Own zero too: the recipe [Calibrated], of 10 particles and 100 steps.
	Sampler Sampler
	// Chains is how MCMC samples.
	Chains Chains
	// BCD is how [BCDNets] trains. Its steps and learning rate are Sampler.Steps and Sampler.StepSize, its expected edges those of Prior,
	// and whether noise variances are equal is the Model's to say.
	BCD bcd.Settings
	// GFlowNet is how [DAGGFlowNet] trains. Its iterations and learning rate are Sampler.Steps and Sampler.StepSize.
	GFlowNet gflownet.Settings

	// Seed of every random draw. The same seed gives the same bits for any
	// number of workers.
	Seed uint64
	// Workers is the number of goroutines; 0: 1. It changes nothing but the time.
	Workers int
	// Memory is the number of bytes that the run may take; 0: what the machine and its limits leave. A run that would take more is
	// refused with a [*MemoryError].
	Memory int64
	// Progress is called after every step, and when a new stage begins; nil: not at all.
	Progress func(Progress)
}

// MostWorkers is the largest number of goroutines of a run.
const MostWorkers = 4096

// Engine is what computes a posterior.
type Engine int

const (
	// Auto is Exact where node scores are in closed form and the variables few
	// enough, MCMC where they are more, Tempering for networks with one hidden layer of at most 50
	// variables, unless a setting of SVGD is given, and SVGD for every other model. Of networks with more layers SVGD then integrates the last one out.
	Auto Engine = iota
	// Exact sums over all orders, and over all graphs where that is affordable, by
	// dynamic programming; given a known order, over all graphs along it. See package exact.
	Exact
	// MCMC runs Markov chains over partitions of the variables. See package mcmc.
	MCMC
	// SVGD moves particles, which are graphs with their parameters, under one order or several. See packages models
	// and svgd.
	SVGD
	// BCD trains BCD Nets, the method [BCDNets]: a distribution over permutations and weights of linear equations. See package bcd.
	BCD
	// GFlowNet trains DAG-GFlowNet, the method [DAGGFlowNet]: a policy that builds a graph edge by edge. See package gflownet.
	GFlowNet
	// Tempering runs Markov chains at many temperatures over networks and their parents, under one order or several: for the
	// model [sem.FeedForward] with one hidden layer, with a measured error. Chains.Iterations, of which the first half is dropped, is
	// 2000 by default, and Chains.Rungs 12. Without an order it estimates evidences of sets of parents, and sums over all orders as Exact does,
	// or of more variables than that takes runs the chains of MCMC, whose settings are then Chains. See package tempering.
	Tempering
)

// String is the engine's name on the command line.
func (e Engine) String() string {
	return setting.Name(e, "auto", "exact", "mcmc", "svgd", "bcd", "gflownet", "tempering")
}

// Progress describes where a run is.
type Progress struct {
	Stage         Engine // what is at work
	Step, Steps   int    // of the whole run, over all orders and engines
	Order, Orders int    // the order that SVGD samples under, counted from 1, and their number
	Table, Tables int    // the completed table of [FitImputed], counted from 1, and their number; 0: there are no others
	// Doing says what is being computed between steps, in a few words; "": a step
	// has been taken.
	Doing string
	// Chains is where the engine mcmc is, nil for others.
	Chains *mcmc.Trace
	// Training is where a training is, nil for others.
	Training *TrainingPoint
	// Driving and Repulsive are the norms of the two forces of SVGD on the
	// latents, Neighbours the kernel's effective number of neighbours.
	Driving, Repulsive, Neighbours float64
}

// doing reports what is being computed between steps.
func (c *Config) doing(stage Engine, what string) {
	if c.Progress != nil {
		c.Progress(Progress{Stage: stage, Doing: what})
	}
}

// Paper is the published recipe to the letter: SVGD under EqVar's order, joint
// estimator, noise variance 0.1, no intercept, initial weights from the prior, two edges per
// node, 30 particles, 1000 steps, 128 samples, probabilities by frequency. With
// another differentiable Model, and Method, it is the one of the nonlinear model (Raw and with the same noise variance) and of DiBS.
func Paper() Config {
	return Config{
		Model:   sem.Linear{NoiseVariance: 0.1, NoIntercept: true, Start: sem.PriorStart},
		Prior:   background.Prior{EdgesPerNode: 2},
		Order:   Order{Method: ordering.MethodEqVar},
		Engine:  SVGD,
		Sampler: Sampler{Estimator: models.Joint, Marginals: FrequencyMarginals},
	}
}

// PaperMarginal is the published recipe for the marginal model: BGe, gradient by
// the score function, temperature falling twenty times as fast.
func PaperMarginal() Config {
	c := Paper()
	c.Model, c.Sampler.Gradient, c.Sampler.AlphaRate = sem.BGe{Raw: true}, models.ScoreFunction, 1
	return c
}

// PaperBCD is BCD Nets with the settings of its paper: 30,000 steps of 256 samples (see [bcd.Paper]).
func PaperBCD() Config {
	c := Config{Sampler: Sampler{Method: BCDNets}, BCD: bcd.Paper()}
	c.Sampler.Steps, c.Sampler.StepSize, c.BCD.Steps, c.BCD.LearningRate = c.BCD.Steps, c.BCD.LearningRate, 0, 0
	return c
}

// PaperGFlowNet is DAG-GFlowNet with the network and the settings of its paper, the BGe score of columns as they are, and the fair prior, with which TOBAC's paper compares.
func PaperGFlowNet() Config {
	return Config{Model: sem.BGe{Raw: true}, Prior: background.Prior{Kind: background.Fair}, Sampler: Sampler{Method: DAGGFlowNet}, GFlowNet: gflownet.Settings{Policy: gflownet.Paper}}
}

// Settings are those with a text form of one line, of all parts of the
// configuration.
func (c *Config) Settings() []*setting.Setting {
	all := []*setting.Setting{setting.OneOf(&c.Engine, "engine", "what computes the posterior", "auto", Auto, Exact, MCMC, SVGD, BCD, GFlowNet, Tempering)}
	all = append(all, c.Prior.Settings()...)
	all = append(all, c.Order.Settings()...)
	all = append(all, c.Sampler.Settings()...)
	all = append(all, c.Chains.Settings()...)
	all = append(all, c.BCDSettings()...)
	return append(all, c.GFlowNetSettings()...)
}

// WithDefaults returns c with every zero whose default does not depend on the
// data replaced by it, for data with d columns, or an error that names the
// first setting out of range, or that contradicts another.
func (c Config) WithDefaults(d int) (Config, error) { return c.withDefaults(numbered(d)) }

// withDefaults is WithDefaults with errors that name the variables.
func (c Config) withDefaults(names []string) (Config, error) {
	d := len(names)
	if d < 2 {
		return c, fmt.Errorf("got %d variable, want at least 2: a single variable has no edges to infer", d)
	}
	if c.Engine < Auto || c.Engine > Tempering {
		return c, fmt.Errorf("unknown engine %d", int(c.Engine))
	}
	if c.Workers < 0 || c.Workers > MostWorkers {
		return c, fmt.Errorf("workers is %d; allowed: whole numbers from 1 to %d", c.Workers, MostWorkers)
	}
	setting.Fill(&c.Workers, 1)
	if err := c.Order.validate(d); err != nil {
		return c, err
	}
	if err := c.Prior.CheckTogether(names, c.Order.Known); err != nil {
		return c, err
	}
	switch {
	case c.temperedByDefault(d):
		c.Engine = Tempering
	case c.integratedByDefault():
		c.Model = c.Model.(sem.Network).WithOutput(models.IntegratedOutput)
	case c.reweightedByDefault():
		c.Sampler = reweightedSampler(c.Model)
	}
	c.Sampler.Method = c.Method()
	if c.Trained() {
		if err := c.trainedDefaults(d); err != nil {
			return c, err
		}
	}
	var err error
	if c.Sampler, err = c.Sampler.withDefaults(d); err != nil {
		return c, err
	}
	chains := c.Chains.withDefaults
	if c.Engine == Tempering {
		chains = func() (Chains, error) { return c.Chains.temperedDefaults(c.overOrders(), d) }
	}
	if c.Chains, err = chains(); err != nil {
		return c, err
	}
	return c, c.checkTogether(d)
}

// checkTogether finds settings that have no meaning beside others, and an engine
// that does not take d variables.
func (c *Config) checkTogether(d int) error {
	_, differentiable := c.Model.(sem.Differentiable)
	_, scored := c.Model.(sem.Scored)
	svgd := c.Engine == SVGD || c.Sampler.Method == DiBS || c.Engine == Auto && !c.Trained() && (c.Model != nil && !scored || c.Order.Method != nil)
	if c.Engine == Tempering && c.Sampler.Method != DiBS {
		return c.checkTempering(d)
	}
	switch {
	case c.Engine == Exact && c.Order.Known == nil && d > exact.Affordable:
		return fmt.Errorf("the engine exact needs memory for 2^%d sets of variables, and takes at most %d variables; allowed: the engines mcmc and svgd", d, exact.Affordable)
	case c.Engine == Exact && d > exact.MaxVariables:
		return fmt.Errorf("the engine exact takes at most %d variables along a known order, got %d; allowed: the engine svgd", exact.MaxVariables, d)
	case c.Sampler.Method == DiBS && (c.Order.Known != nil || c.Order.Method != nil || c.Order.Count != 0):
		return fmt.Errorf("the method dibs takes no causal order")
	case c.Sampler.Method == DiBS && c.Engine != SVGD && c.Engine != Auto:
		return fmt.Errorf("the method dibs is one of the engine svgd, got the engine %v", c.Engine)
	case c.Trained():
		return nil // see trainedDefaults
	case svgd && c.Sampler.Parameters == IntegratedParameters && c.Model != nil && !scored:
		return fmt.Errorf("the model %v has no node scores, by which its parameters could be integrated out; allowed: parameters sampled", c.Model)
	case svgd && c.Model != nil && !differentiable && c.Sampler.Parameters == SampledParameters:
		return fmt.Errorf("the model %v has no likelihood that SVGD could differentiate; allowed: the engines exact and mcmc", c.Model)
	case svgd && c.Prior.MaxParents > 0:
		return fmt.Errorf("a bound on the number of parents is no prior that SVGD could differentiate; allowed: the engines exact and mcmc")
	case (c.Engine == Exact || c.Engine == MCMC) && c.Model != nil && !scored:
		return fmt.Errorf("the model %v has no node scores in closed form, which the engine %v needs; allowed: the engine svgd", c.Model, c.Engine)
	case c.Engine == MCMC && c.Order.Known != nil:
		return fmt.Errorf("the causal order is known, which leaves the engine mcmc nothing to sample; allowed: the engines exact and svgd")
	case (c.Engine == Exact || c.Engine == MCMC) && c.Order.Method != nil:
		return fmt.Errorf("the engine %v infers the order, and a method is to find it; allowed: the engine svgd", c.Engine)
	}
	return nil
}

// finite reports whether v is a finite number.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// numbered are names of variables for a caller who has none.
func numbered(d int) []string {
	names := make([]string, d)
	for j := range names {
		names[j] = strconv.Itoa(j)
	}
	return names
}
