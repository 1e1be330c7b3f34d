package bcdnets

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac/background"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/bcd"
	"tobac/internal/drawn"
	"tobac/internal/inference"
	"tobac/internal/inspect"
	"tobac/internal/priors"
	"tobac/internal/problems"
	"tobac/internal/trained"
	"tobac/posterior"
	"tobac/sem"
	"tobac/setting"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// bcdFit is BCD Nets on a table: the linear model with normal noise, whose variance is the same for
// all equations or, with the model Linear{Unequal: true}, one for each. Like [sem.Linear] without
// Unequal it sees columns in their units, shifted to mean 0, and like Linear with Unequal columns
// scaled to variance 1.
type bcdFit struct {
	*bcd.Model
	scale   *posterior.Standardization // of the columns
	unequal bool
	problem *engine.Problem
	steps   int
}

// BCDNets is the engine bcd: it trains BCD Nets, a distribution over permutations and weights of
// linear equations.
type BCDNets struct {
	// Training are the settings of the training. The expected edges per node and whether noise
	// variances are equal are those of the prior and of the model, and must be zero.
	Training Settings
}

// Settings are those of the training: steps, samples, temperatures, prior of the weights.
type Settings = bcd.Settings

// Engine implements [engine.Settings].
func (e *BCDNets) Engine() engine.Engine { return bcdEngine{e} }

type bcdEngine struct{ *BCDNets }

// StateKey implements [engine.Resumable].
func (e bcdEngine) StateKey(*engine.Problem) string { return fmt.Sprintf("bcd %v", e.Training) }

// DescribePrior is a sentence of the report.
func (e bcdEngine) DescribePrior(edgesPerNode float64) string {
	return fmt.Sprintf("horseshoe on the weights, scaled for %.3g edges per node; every order is "+
		"equally probable", edgesPerNode)
}

// SizeSettings is read where numbers overflow. The scale of the weights follows the prior's
// expected edges per node.
func (e bcdEngine) SizeSettings(p *engine.Problem) (names, given []string) {
	if k := p.Prior.EdgesPerNode; k > 0 && k < 1e-5 {
		given = append(given, fmt.Sprintf("edges-per-node %g", k))
	}
	return []string{"step-size", "scale", "l2"}, given
}

// Name implements [engine.Engine].
func (e bcdEngine) Name() string { return "bcd" }

// About implements [engine.Engine].
func (e bcdEngine) About() string {
	return `BCD Nets: a variational posterior over permutations, weights and noise.
The equations are linear, with one noise variance (--model linear, on columns shifted to
mean 0) or one for each column (linear-unequal, on columns scaled to variance 1). It takes
continuous columns without interventions, and of the knowledge only prior.edges-per-node.`
}

// Settings implements [engine.Engine].
func (e bcdEngine) Settings() []*setting.Setting {
	s := &e.Training
	return []*setting.Setting{
		setting.WholeNumber(&s.Steps, engine.MostSteps, "steps", "steps of the training", "20000"),
		setting.Positive(&s.LearningRate, "step-size", "learning rate", "0.001"),
		setting.WholeNumber(&s.Batch, trained.MostBatch, "batch", "Monte Carlo samples of a step",
			"64"),
		setting.WholeNumber(&s.Starts, 1000, "starts", "fits from different parameters that "+
			"share the steps; the one with the highest ELBO is kept",
			"one for every 6000 steps, at most 3"),
		setting.Parsed(&s.Schedule, "temperature", "temperature of the permutations: one number, "+
			"or stages that each end at a fraction of the steps",
			"30:0.05,10:0.1,1:0.2,0.5:0.6,0.25:1",
			"T:END,...", "one temperature from 0.001 to 1000000, or stages such as "+
				"10:0.2,0.25:1, the last ending at 1", bcd.Schedule.String, bcd.ParseSchedule),
		setting.Positive(&s.EvaluationTemperature, "draw-temperature",
			"temperature of the permutations drawn at the end", "the last stage of temperature"),
		setting.Positive(&s.HorseshoeScale, "scale", "scale of the horseshoe prior of the weights",
			"from prior.edges-per-node"),
		setting.Positive(&s.L2, "l2",
			"coefficient of half the squared parameters of the permutations", "none"),
		setting.Parsed(&s.Edges, "edges", "which drawn weights are edges: above X in units, "+
			"above X times the largest, or of one sign in a fraction X of the draws",
			"columns:0.3, that is units:0.3, and largest:0.3 of columns scaled to variance 1",
			"BASIS:X", "columns, units, largest or signs, optionally with a number as in "+
				"largest:0.3", edgeRule, bcd.ParseEdgeRule),
	}
}

// A linearGaussian model has linear equations with normal noise.
type linearGaussian interface {
	sem.Model
	// Plain is the model as linear equations with default settings; plain says whether it has no
	// others.
	Plain() (m sem.Model, plain bool)
}

// Prepare implements [engine.Engine].
func (e bcdEngine) Prepare(p *engine.Problem) (engine.Settings, error) {
	out := *e.BCDNets
	s := &out.Training
	if s.EdgesPerNode != 0 || s.UnequalVariances {
		return nil, errors.New("edges per node and unequal variances of BCD Nets are those of " +
			"the prior and of the model, and must be zero in BCDNets.Training")
	}
	if err := setting.Check(out.Engine().Settings()); err != nil {
		return nil, err
	}
	defaults := bcd.Settings{}.WithDefaults(2, 2)
	setting.Fill(&s.Steps, defaults.Steps)
	if err := s.Check(); err != nil {
		return nil, err
	}
	setting.Fill(&s.LearningRate, defaults.LearningRate)
	setting.Fill(&s.Batch, defaults.Batch)
	setting.Fill(&s.TraceEvery, max(1, min(400, s.Steps/100)))
	if p.Model == nil {
		p.Model = sem.Linear{}
	}
	linear, ok := sem.As[linearGaussian](p.Model)
	if !ok {
		return nil, fmt.Errorf("the engine bcd has linear equations, got the model %v; allowed: "+
			"linear, with equal or unequal noise variances", p.Model)
	}
	if p.Model, ok = linear.Plain(); !ok {
		return nil, fmt.Errorf("the engine bcd learns the noise variances and has its own prior "+
			"of the weights, and takes no settings of the model; got %v", linear)
	}
	if err := problems.LearnsOrders(p, e); err != nil {
		return nil, err
	}
	switch q := &p.Prior; {
	case p.Order.Known != nil:
		return nil, errors.New("the engine bcd learns a distribution over all orders, and takes " +
			"no known one; allowed: the engines exact, svgd and gflownet")
	case q.Own != nil || q.Kind != background.Sparse || q.Probabilities != nil:
		return nil, errors.New("of the horseshoe prior of the engine bcd, only the expected " +
			"edges per node can be set; allowed: the engines exact, mcmc and gflownet")
	case q.Exclusive != nil:
		return nil, errors.New("the engine bcd cannot rule out edges between columns that code " +
			"one variable; allowed: the engines exact, mcmc, svgd and gflownet")
	case q.Forbidden != nil || q.Required != nil || q.Tiers != nil || q.Sinks != nil ||
		q.Sources != nil || q.Odds != nil || q.MaxParents != 0:
		return nil, errors.New("the engine bcd takes no knowledge about edges; allowed: the " +
			"engines exact, mcmc, svgd and gflownet")
	}
	return &out, nil
}

// settings are all settings of the training.
func (e *BCDNets) settings(p *engine.Problem) bcd.Settings {
	s := e.Training
	s.EdgesPerNode, s.UnequalVariances = priors.EdgesPerNodeFor(&p.Prior, p.Vars()),
		!sem.TraitsOf(p.Model).SharesNoise
	return s
}

// Demands implements [engine.Engine].
func (e bcdEngine) Demands(p *engine.Problem, size engine.Size) []engine.Demand {
	return []engine.Demand{engine.Needs(bcd.Bytes(size.Rows, size.Vars, e.settings(p)),
		"the training of BCD Nets by %d samples",
		e.Training.WithDefaults(size.Rows, size.Vars).Batch),
		engine.Needs(3*inference.Draws*float64(size.Vars)*float64(size.Vars)*8,
			"%d graphs with %d x %d weights", inference.Draws, size.Vars, size.Vars)}
}

// Begin implements [engine.Engine].
func (e bcdEngine) Begin(_ context.Context, p *engine.Problem) (stage engine.Stage, err error) {
	err = engine.Timed(&p.Seconds.Infer, func() error {
		if err := bcdData(p.Data); err != nil {
			return err
		}
		p.Doing(e.Name(), "compiling the training")
		settings := e.settings(p)
		f := &bcdFit{unequal: settings.UnequalVariances, problem: p, steps: settings.Steps}
		mean, sd := p.Data.Moments()
		if !f.unequal {
			for j := range sd {
				sd[j] = 1
			}
		}
		f.scale = &posterior.Standardization{Mean: mean, SD: sd}
		if f.Model, err = bcd.New(f.scale.Apply(p.Data.X), settings, p.Workers,
			p.Seed); err != nil {
			return err
		}
		stage = &trained.Stage[bcd.State]{Engine: e, Problem: p, Learner: f, Point: f.point,
			Read: f.outcome}
		return nil
	})
	return stage, err
}

// edgeRule is the text form of a rule; "" stands for the default.
func edgeRule(r bcd.EdgeRule) string {
	if r == (bcd.EdgeRule{}) {
		return ""
	}
	return r.String()
}

// point is the last one of the trace; before the first there is none to show.
func (f *bcdFit) point() engine.TrainingPoint {
	p := engine.TrainingPoint{Step: f.Step(), Quantity: elbo}
	if all := f.Trace(); len(all) > 0 {
		p.Value = all[len(all)-1].Hard
	}
	return p
}

// elbo is what the training of BCD Nets raises, a lower bound on the log evidence.
const elbo = "ELBO"

// outcome draws graphs with their equations from what was trained.
func (f *bcdFit) outcome(ctx context.Context) (*engine.Outcome, error) {
	draws, err := f.Draws(ctx, inference.Draws)
	if err != nil {
		return nil, err
	}
	data := f.problem.Data
	p := &posterior.Posterior{Names: slices.Clone(data.Names), Engine: "bcd",
		Model: f.problem.Model.String(), Kind: posterior.Draws, Standardization: f.scale,
		Draws: draws, Warnings: slices.Clone(f.Warnings())}
	p.Components = []posterior.Component{{Draws: len(draws), Weight: 1, LogEvidence: math.NaN(),
		Empty: f.empty(data)}}
	p.Marginals = p.Frequencies()
	// the model warns of skipped steps
	t := &engine.Training{Distance: math.NaN(), Imbalance: math.NaN(), Starts: f.ELBOs()}
	for _, at := range f.Trace() {
		t.Trace = append(t.Trace,
			engine.TrainingPoint{Step: at.Step, Quantity: elbo, Value: at.Hard})
	}
	return &engine.Outcome{Posterior: drawn.InDataUnits(p, data),
		Method: fmt.Sprintf("bcd, BCD Nets: %d steps", f.steps), Reason: "as asked for",
		Training:     t,
		EdgesPerNode: priors.EdgesPerNodeFor(&f.problem.Prior, len(data.Names)),
		Computation: trained.Approximate(len(draws),
			"from a distribution over orders and weights that was fitted to the posterior")}, nil
}

// empty are the most probable equations without edges: a normal distribution of each column, with
// one variance for all if the model has one.
func (f *bcdFit) empty(data *dataset.Table) *posterior.Equations {
	d := len(data.Names)
	variances := make([]float64, d)
	_, sd := data.Moments()
	for j, s := range sd {
		variances[j] = s * s / (f.scale.SD[j] * f.scale.SD[j])
	}
	if !f.unequal {
		mean := floats.Sum(variances) / float64(d)
		for j := range variances {
			variances[j] = mean
		}
	}
	return &posterior.Equations{Weights: mat.NewDense(d, d, nil), NoiseVariances: variances}
}

// bcdData says why data do not suit the engine bcd; nil means they do.
func bcdData(data *dataset.Table) error {
	if data.Intervened != nil {
		n, d := data.Intervened.Dims()
		for i := range n {
			for j := range d {
				if data.Intervened.At(i, j) != 0 {
					return fmt.Errorf("the engine bcd takes only observations, but column %q was "+
						"set by intervention in row %d; allowed: the engines exact, mcmc, svgd "+
						"and gflownet", data.Names[j], i+1)
				}
			}
		}
	}
	if column := inspect.Discrete(data); column != "" {
		return fmt.Errorf("the engine bcd needs continuous columns, but %s; allowed: the engines "+
			"exact, mcmc and gflownet", column)
	}
	return nil
}

// Given implements [engine.Settling]: another prior of the weights, all rows in full.
func (e bcdEngine) Given(_ context.Context, p *engine.Problem, edgesPerNode float64) (*engine.Given,
	error) {
	p.Shared.Sequence = nil
	notes := []string{"weights normal and edges as the prior er expects them, in place of the " +
		"horseshoe prior of the engine bcd"}
	return &engine.Given{Model: p.Model, Data: p.Data,
		Notes: problems.TakeDensity(p, edgesPerNode, notes)}, nil
}
