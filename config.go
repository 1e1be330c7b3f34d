package tobac

import (
	"fmt"
	"strconv"

	"tobac/background"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/engine/neural"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/internal/engines"
	"tobac/internal/exact"
	"tobac/models"
	"tobac/sem"
	"tobac/setting"
)

// Config are the settings of a fit. Config{} is the default; [Paper] is the published recipe.
type Config struct {
	// Model is the structural equation model. Nil means the one of [sem.Compared] that the data
	// support, by its evidence. Curves with normal noise, in up to 50 columns without gaps, are
	// compared with [sem.FeedForward] too if the engine is left open and the time suffices.
	Model sem.Model
	// Prior of the graph. Zero means Erdős–Rényi, the number of edges inferred.
	Prior background.Prior
	// Order says where the causal orders come from. Zero means from their posterior.
	Order engine.Order
	// Engine infers the posterior. Nil means the one that suits the model and the number of
	// variables: [sums.Exact] to 20 variables and [markov.MCMC] above, [neural.Tempering] for
	// networks with one hidden layer and custom likelihoods of more than 8, or [stein.SVGD].
	Engine engine.Settings

	// Seed of every random draw. The same seed gives the same bits for any
	// number of workers.
	Seed uint64
	// Workers is the number of goroutines; defaults to 1. It changes nothing but the time.
	Workers int
	// Memory is the number of bytes that the run may take; defaults to what the machine and its
	// limits leave. A run that would take more is refused with a [*engine.MemoryError].
	Memory int64
	// Progress is called after every step, and when a new part of the work begins; nil means never.
	Progress func(engine.Progress)
}

// MostWorkers is the largest number of goroutines of a run.
const MostWorkers = 4096

// Settings are those with a text form of one line: the engine, by its name, those of prior and
// order, and those of the engine.
func (c *Config) Settings() []*setting.Setting {
	all := []*setting.Setting{engines.Setting(&c.Engine)}
	all = append(all, c.Prior.Settings()...)
	all = append(all, c.Order.Settings()...)
	if c.Engine != nil {
		all = append(all, c.Engine.Engine().Settings()...)
	}
	return all
}

// WithDefaults returns c with every zero whose default does not depend on the
// data replaced by it, for data with d columns, or an error that names the
// first setting out of range, or that contradicts another.
func (c Config) WithDefaults(d int) (Config, error) {
	p, e, _, err := c.Problem(&dataset.Table{Names: numbered(d)})
	if err != nil {
		return c, err
	}
	return c.settled(p, e), nil
}

// Problem is the inference problem of this configuration, and its engine with all defaults filled
// in. Of the data it reads only the names. why is the reason for the choice of the engine, "" if
// the configuration names one.
func (c Config) Problem(data *dataset.Table) (p *engine.Problem, e engine.Settings, why string,
	err error) {
	d := len(data.Names)
	if d < 2 {
		return nil, nil, "",
			fmt.Errorf("got %d variable, want at least 2: a single variable has no edges to infer",
				d)
	}
	if c.Workers < 0 || c.Workers > MostWorkers {
		return nil, nil, "",
			fmt.Errorf("workers is %d; allowed: whole numbers from 1 to %d", c.Workers, MostWorkers)
	}
	setting.Fill(&c.Workers, 1)
	if _, settings := sem.Settings(c.Model); c.Model != nil {
		if err := setting.Check(settings); err != nil {
			return nil, nil, "", fmt.Errorf("the model's %w", err)
		}
	}
	if err := c.Order.Validate(d); err != nil {
		return nil, nil, "", err
	}
	if err := c.Prior.CheckTogether(data.Names, c.Order.Known); err != nil {
		return nil, nil, "", err
	}
	p = &engine.Problem{Data: data, Model: c.Model, Prior: c.Prior, Order: c.Order, Seed: c.Seed,
		Workers: c.Workers, Report: c.Progress, Seconds: new(engine.Seconds)}
	if p.Report == nil {
		p.Report = func(engine.Progress) {}
	}
	if e = c.Engine; e == nil {
		e, why = choose(p)
	}
	e, err = e.Engine().Prepare(p)
	return p, e, why, err
}

// settled is the configuration with what a problem and its engine have settled.
func (c Config) settled(p *engine.Problem, e engine.Settings) Config {
	c.Model, c.Prior, c.Order, c.Workers, c.Engine = sem.Given(p.Model), p.Prior, p.Order,
		p.Workers, e
	return c
}

// numbered are names of variables for a caller who has none.
func numbered(d int) []string {
	names := make([]string, d)
	for j := range names {
		names[j] = strconv.Itoa(j)
	}
	return names
}

// temperedVariables is the largest number of variables of networks by default: time is quadratic.
const temperedVariables = 50

// choose is the engine of a problem that leaves it open, as Config.Engine says, and why. Networks
// with several hidden layers then have the last one integrated out.
func choose(p *engine.Problem) (e engine.Settings, why string) {
	d, prior := p.Vars(), &p.Prior
	network, isNetwork := sem.As[sem.Network](p.Model)
	_, differentiable := sem.As[sem.Differentiable](p.Model)
	most := exact.Affordable
	if p.Order.Known != nil {
		most = exact.MaxVariables
	}
	const noScores = "the model has no node scores in closed form"
	switch {
	case isNetwork && network.Layers() > 1:
		p.Model = network.WithOutput(models.IntegratedOutput)
		return &stein.SVGD{}, noScores
	case isNetwork && network.OutputLayer() == models.SampledOutput && prior.Own == nil &&
		d <= temperedVariables && (!p.OverOrders() || p.Order.Count == 0):
		return &neural.Tempering{}, ""
	case !isNetwork && differentiable && !p.Scored() && prior.Own == nil:
		if p.OverOrders() && p.Order.Count == 0 && d > stein.MostEstimated {
			return &neural.Tempering{}, noScores
		}
		return reweighted(p.Model), noScores
	case !p.Scored():
		return &stein.SVGD{}, noScores
	case p.Order.Method != nil:
		return &stein.SVGD{}, "a method finds the order"
	case !prior.IsModular():
		return &stein.SVGD{}, ""
	case d <= most:
		return &sums.Exact{Open: true}, fmt.Sprintf("the choice up to %d variables", most)
	case p.Order.Known != nil:
		return &stein.SVGD{}, ""
	}
	return &markov.MCMC{Open: true}, fmt.Sprintf("the choice above %d variables", most)
}
