package tobac

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tobac/background"
	"tobac/bcd"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/bcdnets"
	"tobac/engine/flownets"
	"tobac/gflownet"
	"tobac/models"
	"tobac/ordering"
	"tobac/sem"
	"tobac/setting"
)

// Config are the settings of a fit. Config{} is the default; [Paper] is the
// published recipe.
type Config struct {
	// Model is the structural equation model. Nil means the one of [Linear], [BGe], [NonGaussian],
	// [Additive] and [GaussianProcess] that the data support, by its evidence.
	Model sem.Model
	// Prior of the graph. Zero means Erdős–Rényi, the number of edges inferred.
	Prior background.Prior
	// Order says where the causal orders come from. Zero means from their posterior.
	Order engine.Order
	// Engine infers the posterior. Nil means the one that suits the model and the number of
	// variables: [sums.Exact] to 20 variables and [markov.MCMC] above, [neural.Tempering] for networks with one hidden
	// layer, [SVGD] for other models without node scores.
	Engine engine.Engine

	// Seed of every random draw. The same seed gives the same bits for any
	// number of workers.
	Seed uint64
	// Workers is the number of goroutines; defaults to 1. It changes nothing but the time.
	Workers int
	// Memory is the number of bytes that the run may take; defaults to what the machine and its limits leave. A run that would take more is
	// refused with a [*MemoryError].
	Memory int64
	// Progress is called after every step, and when a new part of the work begins; nil means never.
	Progress func(engine.Progress)
}

// MostWorkers is the largest number of goroutines of a run.
const MostWorkers = 4096

// Paper is the published recipe to the letter: SVGD under EqVar's order, joint
// estimator, noise variance 0.1, no intercept, initial weights from the prior, two edges per
// node, 30 particles, 1000 steps, 128 samples, probabilities by frequency. With
// another differentiable Model it is the one of the nonlinear model (Raw and with the same noise variance), with the engine [PaperDiBS] that of DiBS.
func Paper() Config {
	return Config{
		Model:  sem.Linear{NoiseVariance: 0.1, NoIntercept: true, Start: sem.PriorStart},
		Prior:  background.Prior{EdgesPerNode: 2},
		Order:  engine.Order{Method: ordering.MethodEqVar},
		Engine: &SVGD{Estimator: models.Joint, Marginals: FrequencyMarginals},
	}
}

// PaperMarginal is the published recipe for the marginal model: BGe, gradient by
// the score function, temperature falling twenty times as fast.
func PaperMarginal() Config {
	c := Paper()
	c.Model = sem.BGe{Raw: true}
	c.Engine = &SVGD{Estimator: models.Joint, Marginals: FrequencyMarginals, Gradient: models.ScoreFunction, AlphaRate: 1}
	return c
}

// PaperDiBS is the published recipe of TOBAC's predecessor, with the same model and prior.
func PaperDiBS() Config {
	c := Paper()
	c.Order, c.Engine = engine.Order{}, &DiBS{SVGD: SVGD{Estimator: models.Joint, Marginals: FrequencyMarginals}}
	return c
}

// PaperBCD is BCD Nets as its authors released it: 30,000 steps of 256 samples, and what they compute otherwise than the paper says (see [bcd.Paper]).
func PaperBCD() Config { return Config{Engine: &bcdnets.BCDNets{Training: bcd.Paper()}} }

// PaperGFlowNet is DAG-GFlowNet with the network and the settings of its paper, the BGe score of columns as they are, and the fair prior, with which TOBAC's paper compares.
func PaperGFlowNet() Config {
	return Config{Model: sem.BGe{Raw: true}, Prior: background.Prior{Kind: background.Fair}, Engine: &flownets.GFlowNet{Training: gflownet.Settings{Policy: gflownet.Paper}}}
}

// Settings are those with a text form of one line: the engine, by its name, those of prior and
// order, and those of the engine.
func (c *Config) Settings() []*setting.Setting {
	all := []*setting.Setting{EngineSetting(&c.Engine)}
	all = append(all, c.Prior.Settings()...)
	all = append(all, c.Order.Settings()...)
	if c.Engine != nil {
		all = append(all, c.Engine.Settings()...)
	}
	return all
}

// EngineSetting is the choice of an engine by its name. To set it gives the engine's defaults.
func EngineSetting(e *engine.Engine) *setting.Setting {
	names := []string{"auto"}
	for _, one := range Engines() {
		names = append(names, one.Name())
	}
	return setting.Parsed(e, "engine", "what infers the posterior", "auto", strings.Join(names, "|"), strings.Join(names, ", "),
		func(e engine.Engine) string {
			if e == nil {
				return ""
			}
			return e.Name()
		},
		func(name string) (engine.Engine, error) {
			if name == "auto" {
				return nil, nil
			}
			return EngineByName(name)
		})
}

// ChooseEngine is the engine that a fit with d columns takes, with its defaults, and why it was chosen; "" if it was asked for.
func (c Config) ChooseEngine(d int) (e engine.Engine, why string, err error) {
	_, e, why, err = c.problem(&dataset.Table{Names: numbered(d)})
	return e, why, err
}

// WithDefaults returns c with every zero whose default does not depend on the
// data replaced by it, for data with d columns, or an error that names the
// first setting out of range, or that contradicts another.
func (c Config) WithDefaults(d int) (Config, error) {
	p, e, _, err := c.problem(&dataset.Table{Names: numbered(d)})
	if err != nil {
		return c, err
	}
	return c.settled(p, e), nil
}

// problem is what the configuration asks of data, of which it reads the names alone, and the engine for it with all defaults. why says why
// the engine was chosen; "" if it was asked for.
func (c Config) problem(data *dataset.Table) (p *engine.Problem, e engine.Engine, why string, err error) {
	d := len(data.Names)
	if d < 2 {
		return nil, nil, "", fmt.Errorf("got %d variable, want at least 2: a single variable has no edges to infer", d)
	}
	if c.Workers < 0 || c.Workers > MostWorkers {
		return nil, nil, "", fmt.Errorf("workers is %d; allowed: whole numbers from 1 to %d", c.Workers, MostWorkers)
	}
	setting.Fill(&c.Workers, 1)
	if err := c.Order.Validate(d); err != nil {
		return nil, nil, "", err
	}
	if err := c.Prior.CheckTogether(data.Names, c.Order.Known); err != nil {
		return nil, nil, "", err
	}
	p = &engine.Problem{Data: data, Model: c.Model, Prior: c.Prior, Order: c.Order, Seed: c.Seed, Workers: c.Workers, Report: c.Progress, Seconds: new(engine.Seconds)}
	if p.Report == nil {
		p.Report = func(engine.Progress) {}
	}
	if e = c.Engine; e == nil {
		e, why = choose(p)
	}
	e, err = e.Prepare(p)
	return p, e, why, err
}

// settled is the configuration with what a problem and its engine have settled.
func (c Config) settled(p *engine.Problem, e engine.Engine) Config {
	c.Model, c.Prior, c.Order, c.Workers, c.Engine = p.Model, p.Prior, p.Order, p.Workers, e
	return c
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
