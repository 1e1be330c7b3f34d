package stein

import (
	"errors"
	"fmt"

	"tobac/engine"
	"tobac/engine/markov"
	"tobac/engine/sums"
	"tobac/internal/exact"
	"tobac/internal/priors"
	"tobac/internal/problems"
	"tobac/internal/words"
	"tobac/models"
	"tobac/schedule"
	"tobac/sem"
	"tobac/setting"
	"tobac/svgd"
)

// The largest values of numbers of things: their sums and products fit in 64 bits.
const (
	mostParticles = 100_000
	mostGraphs    = 1_000_000 // drawn for a particle in a step
	mostRank      = 10_000
)

// drawnOrders is the number of orders drawn from the posterior by default.
const drawnOrders = 5

// A MarginalEstimator says how the edge marginals, probabilities and weights, are estimated from
// the particles.
type MarginalEstimator int

const (
	// ConditionalMarginals averages, over the particles, the probability of each
	// edge given the rest of the particle's graph and the data, in closed form
	// with the weights integrated out: Rao–Blackwell estimates. An edge that the data leave open is
	// then open, even where all particles agree. It needs node scores
	// ([sem.Scored]) and a prior that is a product over variables.
	ConditionalMarginals MarginalEstimator = iota
	// FrequencyMarginals takes the fraction of the particles that have the edge: the empirical
	// marginals.
	FrequencyMarginals
	// ReweightedMarginals takes the sets of parents of every variable that some particle has, and
	// those one edge away from them, and weighs them by their evidence: that of node scores
	// ([sem.Scored]), for networks with one hidden layer estimated by sequential Monte Carlo, or of
	// any other likelihood by package evidence. Given an order the posterior is a product over
	// variables of distributions over such sets, from which the graphs of the result are drawn. It
	// needs an order, and a prior that is a product over variables.
	ReweightedMarginals
)

// String is the name of the choice.
func (e MarginalEstimator) String() string {
	return words.Name(e, "conditional", "frequency", "reweighted")
}

// SVGD is the engine svgd: Stein variational gradient descent over particles, which are graphs with
// their parameters, under one causal order or several: TOBAC. The zero value is the default recipe.
// See packages models and svgd.
type SVGD struct {
	// OrderEngine infers the posterior that orders are drawn from, where neither an order nor a
	// method is given. Nil stands for [sums.Exact], or [markov.MCMC] with more than 20 variables.
	OrderEngine engine.Settings

	Estimator models.Estimator // combines the Monte Carlo graphs; zero means node-wise
	// of the latents; zero means reparameterised, or the score function for a model without soft
	// graphs, such as BGe
	Gradient models.Gradient
	Latents  models.Latents // what they are; zero means factors
	// of the graph prior; zero means outside the expectation over graphs
	PriorPlace models.PriorPlace
	// EdgeParameters says how a flip counts the parameters of its edge; zero means by their
	// density.
	EdgeParameters models.EdgeParameters
	// Parameters says whether those of a model with node scores are particles too. By default they
	// are.
	Parameters Parameters
	// FitSteps is the number of steps, before the first one, in which only the parameters move:
	// along the gradient of their likelihood under the graph with all possible edges. Defaults to
	// none.
	FitSteps int

	Particles int // M, for each order; 0 means 30
	Steps     int // T, for each order; 0 means 1000
	Samples   int // Monte Carlo graphs S per particle and gradient; 0 means 128
	Rank      int // length k of the latent vectors; 0 means d−1, with DiBS d

	// inverse temperature α_t = AlphaRate·t; 0 means 0.05, or 1 for a model without parameters
	AlphaRate float64
	// of the kernels on the latents; 0 means 5, with Coupling the median heuristic
	BandwidthZ float64
	// of the kernels on the parameters; 0 means 500, with Coupling the median heuristic
	BandwidthTheta float64
	StepSize       float64 // of the default optimiser; 0 means 0.005

	// Alpha is the schedule of α_t. Nil means linear growth by AlphaRate. Schedules relative to a
	// run, this one and Penalty.Beta, extend over Steps.
	Alpha schedule.Schedule
	// StepSchedule is a factor of the optimiser's increments: of StepSize, with the default
	// optimiser. Nil means 1.
	StepSchedule schedule.Schedule
	// Temper is the exponent of p(D|G,Θ) from step to step. Nil means 1.
	Temper schedule.Schedule
	// Coupling says which coordinates share a kernel. By default all, under the sum of one squared
	// exponential kernel on the latents and one on the parameters.
	Coupling Coupling
	// Kernel mixes the scores of the particles, in place of Coupling. Nil means the kernel of
	// Coupling.
	Kernel svgd.Kernel
	// Optimizer moves the particles. Nil means RMSProp.
	Optimizer svgd.Optimizer

	// Marginals is the estimator of the edge marginals. Defaults to conditional where it exists,
	// else by frequency.
	Marginals MarginalEstimator
}

// DiBS is the engine dibs: particles under no causal order. A penalty that grows from step to step
// drives cycles out, but graphs may be left with some: see [posterior.Posterior.Cyclic]. Of the
// settings of SVGD it takes none that needs an order: OrderEngine, integrated Parameters and
// FitSteps. Its Marginals are the frequencies of the edges.
type DiBS struct {
	SVGD
	Penalty models.Penalty // of cycles; zero means rate 1, 32 samples
}

// Engine implements [engine.Settings].
func (s *SVGD) Engine() engine.Engine { return svgdEngine{s} }

// Engine implements [engine.Settings].
func (e *DiBS) Engine() engine.Engine { return dibsEngine{e} }

type (
	svgdEngine struct{ *SVGD }
	dibsEngine struct{ *DiBS }
)

// Orders implements [engine.Swarm].
func (s svgdEngine) Orders(p *engine.Problem) (e engine.Settings, drawn bool) {
	return s.OrderEngine, p.OverOrders()
}

// Orders implements [engine.Swarm]: particles of DiBS follow no order.
func (e dibsEngine) Orders(*engine.Problem) (_ engine.Settings, drawn bool) { return nil, false }

// Convergence is a sentence of the report.
func (s svgdEngine) Convergence() string {
	return "Particles were moved for a fixed number of steps: compare a run with another --seed."
}

// SizeSettings is read where numbers overflow.
func (s svgdEngine) SizeSettings(*engine.Problem) (names, given []string) {
	return []string{"step-size", "penalty-rate", "alpha-rate", "bandwidth-z", "bandwidth-theta",
		"alpha-schedule", "step-schedule", "penalty-schedule", "likelihood-schedule"}, nil
}

// Name implements [engine.Engine].
func (s svgdEngine) Name() string { return "svgd" }

// Name implements [engine.Engine].
func (e dibsEngine) Name() string { return "dibs" }

// About implements [engine.Engine].
func (s svgdEngine) About() string {
	return `TOBAC: particles moved by Stein variational gradient descent.
A particle is a graph with its parameters. The graphs follow a causal order: one that is
drawn from the posterior, found by --order METHOD, or known (tobac help order).
svgd.kernel is FUNCTION:LATENTS:PARAMETERS. FUNCTION is rbf, exp(-r^2/h), or imq,
1/sqrt(1 + r^2/h), or imq-BETA with another exponent; h is the median heuristic. LATENTS and
PARAMETERS are block (one kernel for all numbers), variable (one for each variable),
coordinate (one for each number) or none. PARAMETERS default to LATENTS.
Schedules change a number from step to step: constant:A, growth:R, and linear:A:B,
geometric:A:B or cosine:A:B from A at the first step to B at the last. A last part, such as
50%, 25%-75% or 100-299, limits the change to these steps: linear:1:0:50%.`
}

// About implements [engine.Engine].
func (e dibsEngine) About() string {
	return `DiBS, the predecessor of TOBAC: particles without a causal order.
A growing penalty removes cycles. Particles that still have one are counted, and left out
of edges, consensus graph and metrics.`
}

// Settings implements [engine.Engine].
func (s svgdEngine) Settings() []*setting.Setting {
	return append(s.common(),
		setting.OneOf(&s.Marginals, "marginals", "estimator of the edge probabilities",
			"conditional where node scores exist, else frequency", ConditionalMarginals,
			FrequencyMarginals, ReweightedMarginals),
		setting.OneOf(&s.Parameters, "parameters",
			"treatment of the parameters of models with node scores: sampled, or integrated out",
			"sampled where the model has a likelihood", SampledParameters, IntegratedParameters),
		setting.WholeNumber(&s.FitSteps, engine.MostSteps, "fit-steps",
			"steps that move only the parameters, with all possible edges, before the first step",
			"none"),
		setting.Parsed(&s.OrderEngine, "order-engine",
			"engine of the posterior that orders are drawn from",
			"exact to 20 variables, else mcmc", "exact|mcmc", "exact, mcmc", orderEngineText,
			orderEngineByName),
	)
}

// Settings implements [engine.Engine].
func (e dibsEngine) Settings() []*setting.Setting {
	return append(e.common(),
		setting.Positive(&e.Penalty.Rate, "penalty-rate",
			"growth per step of the acyclicity penalty", "1"),
		setting.WholeNumber(&e.Penalty.Samples, mostGraphs, "penalty-samples",
			"Monte Carlo graphs of the acyclicity penalty", "32"),
		setting.Scheduled(&e.Penalty.Beta, "penalty-schedule",
			"factor of the acyclicity penalty from step to step, in place of penalty-rate",
			"growth with penalty-rate"),
	)
}

// common are the settings of particles with and without an order.
func (s *SVGD) common() []*setting.Setting {
	return []*setting.Setting{
		setting.WholeNumber(&s.Particles, mostParticles, "particles", "particles, under each order",
			"30"),
		setting.WholeNumber(&s.Steps, engine.MostSteps, "steps", "steps, under each order", "1000"),
		setting.WholeNumber(&s.Samples, mostGraphs, "samples",
			"Monte Carlo graphs per particle and step", "128"),
		setting.WholeNumber(&s.Rank, mostRank, "rank", "length of the latent vectors",
			"number of variables, less 1 given an order"),
		setting.OneOf(&s.Estimator, "estimator", "average over sampled graphs", "nodewise",
			models.Joint, models.NodeWise),
		setting.OneOf(&s.Gradient, "grad", "estimator of the gradient of the latents",
			"reparam; score for the model bge", models.Reparameterised, models.ScoreFunction,
			models.ScoreFunctionLOO, models.Flips),
		setting.Positive(&s.AlphaRate, "alpha-rate",
			"growth per step of the inverse temperature of the graphs",
			"0.05; 1 for a model without parameters"),
		setting.Positive(&s.BandwidthZ, "bandwidth-z", "bandwidth of the kernel on the latents",
			"5; median heuristic if kernel is set"),
		setting.Positive(&s.BandwidthTheta, "bandwidth-theta",
			"bandwidth of the kernel on the parameters", "500; median heuristic if kernel is set"),
		setting.Positive(&s.StepSize, "step-size", "step size of RMSProp", "0.005"),
		setting.OneOf(&s.Latents, "latents",
			"latent parameterisation: low-rank factors, or one logit per edge (normal, logistic)",
			"factors", models.Factors, models.NormalScores, models.LogisticScores),
		setting.OneOf(&s.PriorPlace, "prior-place",
			"place of the graph prior: outside the expectation over graphs, or inside", "outside",
			models.PriorOutside, models.PriorInside),
		setting.OneOf(&s.EdgeParameters, "edge-parameters",
			"weight of an added edge: joint density, or Laplace approximation of its marginal",
			"density", models.DensityOfEdges, models.LaplaceEdges),
		setting.Scheduled(&s.Temper, "likelihood-schedule",
			"exponent of the likelihood from step to step", "constant:1"),
		coupled(&s.Coupling, "kernel", "kernel function and its grouping of latents and parameters",
			"the sum of an rbf for all latents and one for all parameters"),
		setting.Scheduled(&s.Alpha, "alpha-schedule",
			"inverse temperature of the graphs from step to step, in place of alpha-rate",
			"growth with alpha-rate"),
		setting.Scheduled(&s.StepSchedule, "step-schedule", "factor of step-size from step to step",
			"constant:1"),
	}
}

// orderEngineText and orderEngineByName are the text form of the engine that orders are drawn by.
func orderEngineText(e engine.Settings) string {
	if e == nil {
		return ""
	}
	return e.Engine().Name()
}

func orderEngineByName(name string) (engine.Settings, error) {
	switch name {
	case "exact":
		return &sums.Exact{}, nil
	case "mcmc":
		return &markov.MCMC{}, nil
	}
	return nil, fmt.Errorf("the engine %s draws no orders", name)
}

// StateKey implements [engine.Resumable]: the number of steps may change where it does not decide
// when the next order begins, and so may the marginals.
func (s svgdEngine) StateKey(p *engine.Problem) string {
	leftOut := []string{"marginals", "order-engine"}
	if p.Order.Known != nil || p.Order.Method != nil && p.Order.Count == 0 {
		leftOut = append(leftOut, "steps")
	}
	t := engine.SettingsText(s.SVGD, leftOut...) + s.own(nil)
	if p.OverOrders() {
		t += " order-engine=(" + engine.SettingsText(s.OrderEngine) + ")"
	}
	return t
}

// StateKey implements [engine.Resumable].
func (e dibsEngine) StateKey(*engine.Problem) string {
	return engine.SettingsText(e.DiBS, "steps") + e.own(e.Penalty.Beta)
}

// own are the settings without a text form, of custom types.
func (s *SVGD) own(beta schedule.Schedule) string {
	t := ""
	for _, own := range []struct {
		name string
		s    schedule.Schedule
	}{{"temper", s.Temper}, {"alpha", s.Alpha}, {"step", s.StepSchedule}, {"beta", beta}} {
		if _, known := schedule.Text(own.s); own.s != nil && !known {
			t += fmt.Sprintf(" %s=%T%+v", own.name, own.s, own.s)
		}
	}
	if s.Kernel != nil {
		t += fmt.Sprintf(" kernel=%T%+v", s.Kernel, s.Kernel)
	}
	if s.Optimizer != nil {
		t += fmt.Sprintf(" optimizer=%T%+v", s.Optimizer, s.Optimizer)
	}
	return t
}

// Prepare implements [engine.Engine].
func (s svgdEngine) Prepare(p *engine.Problem) (engine.Settings, error) {
	out := *s.SVGD
	if err := setting.Check(out.Engine().Settings()); err != nil {
		return nil, err
	}
	out.OrderEngine = s.OrderEngine // with its own settings, which the text leaves out
	_, differentiable := sem.As[sem.Differentiable](p.Model)
	if _, scored := sem.As[sem.Scored](p.Model); scored && !differentiable {
		out.Parameters = IntegratedParameters
	}
	if out.FitSteps > 0 && out.Parameters == IntegratedParameters {
		return nil, fmt.Errorf("fit steps %d with parameters integrated, want parameters that "+
			"are sampled", out.FitSteps)
	}
	if err := out.prepare(p, p.Vars()-1); err != nil {
		return nil, err
	}
	if p.OverOrders() {
		setting.Fill(&p.Order.Count, drawnOrders)
		if out.OrderEngine == nil {
			out.OrderEngine = &sums.Exact{}
			if p.Vars() > exact.Affordable {
				out.OrderEngine = &markov.MCMC{}
			}
		}
		inner, err := out.OrderEngine.Engine().Prepare(&engine.Problem{Data: p.Data,
			Prior: priors.ForOrders(p.Prior), Workers: p.Workers})
		if err != nil {
			return nil, err
		}
		out.OrderEngine = inner
	}
	return &out, nil
}

// Prepare implements [engine.Engine].
func (e dibsEngine) Prepare(p *engine.Problem) (engine.Settings, error) {
	out := *e.DiBS
	switch {
	case p.Order.Known != nil || p.Order.Method != nil || p.Order.Count != 0:
		return nil, errors.New("the engine dibs takes no causal order")
	case out.Marginals == ReweightedMarginals:
		return nil, errors.New("reweighted marginals need a causal order, which the engine dibs " +
			"does not have; allowed: frequency")
	case out.Parameters == IntegratedParameters:
		return nil, errors.New(
			"the engine dibs samples parameters; allowed for integrated ones: the engine svgd")
	case out.FitSteps > 0:
		return nil, errors.New(
			"fit steps belong to the engine svgd, which knows what edges are possible")
	case out.Penalty.Beta != nil && out.Penalty.Rate != 0:
		return nil, fmt.Errorf("penalty rate %v and a schedule of the penalty, want one of the two",
			out.Penalty.Rate)
	}
	if err := setting.Check(out.Engine().Settings()); err != nil {
		return nil, err
	}
	if out.Penalty.Beta == nil {
		setting.Fill(&out.Penalty.Rate, 1)
	}
	setting.Fill(&out.Penalty.Samples, 32)
	if err := out.prepare(p, p.Vars()); err != nil {
		return nil, err
	}
	out.Penalty.Beta = schedule.Over(out.Penalty.Beta, out.Steps)
	return &out, nil
}

// prepare fills in the defaults of particles with latent vectors of a length, and finds what they
// do not take.
func (s *SVGD) prepare(p *engine.Problem, rank int) error {
	_, differentiable := sem.As[sem.Differentiable](p.Model)
	_, scored := sem.As[sem.Scored](p.Model)
	switch {
	case s.Parameters == IntegratedParameters && p.Model != nil && !scored:
		return problems.NeedsIntegrals(p.Model)
	case p.Model != nil && !differentiable && s.Parameters == SampledParameters:
		return fmt.Errorf("the model %v has no likelihood that could be differentiated; "+
			"allowed: the engine svgd, or one that reads node scores", p.Model)
	case p.Prior.MaxParents > 0:
		return errors.New("a bound on the number of parents is not a differentiable prior, which " +
			"SVGD needs; allowed: an engine that reads node scores")
	case s.Alpha != nil && s.AlphaRate != 0:
		return fmt.Errorf("alpha rate %v and a schedule of alpha, want one of the two", s.AlphaRate)
	case s.EdgeParameters == models.LaplaceEdges && s.Gradient != models.Flips:
		return fmt.Errorf("edge parameters %v with the gradient %v, want the gradient flips",
			s.EdgeParameters, s.Gradient)
	case s.Latents != models.Factors && s.Rank != 0:
		return fmt.Errorf("rank %d with latents %v, which have no rank", s.Rank, s.Latents)
	}
	setting.Fill(&s.Particles, 30)
	setting.Fill(&s.Steps, 1000)
	setting.Fill(&s.Samples, 128)
	if s.Latents == models.Factors {
		setting.Fill(&s.Rank, rank)
	}
	if err := s.checkCoupling(); err != nil {
		return err
	}
	if s.Coupling == (Coupling{}) {
		setting.Fill(&s.BandwidthZ, 5)
		setting.Fill(&s.BandwidthTheta, 500)
	}
	setting.Fill(&s.StepSize, 0.005)
	s.Temper, s.Alpha, s.StepSchedule = schedule.Over(s.Temper, s.Steps),
		schedule.Over(s.Alpha, s.Steps), schedule.Over(s.StepSchedule, s.Steps)
	return nil
}

// optimizer is the optimiser with its schedule.
func (s *SVGD) optimizer() svgd.Optimizer {
	o := s.Optimizer
	if o == nil {
		o = svgd.RMSProp{StepSize: s.StepSize}
	}
	if s.StepSchedule != nil {
		o = svgd.Scheduled{Optimizer: o, Factor: s.StepSchedule}
	}
	return o
}

// Parameters says whether the parameters of a model with node scores are particles.
type Parameters int

const (
	// SampledParameters are part of the particles, as published. A model without a likelihood that
	// could be differentiated has them integrated out all the same.
	SampledParameters Parameters = iota
	// IntegratedParameters have been integrated out in closed form: particles consist of latents
	// only, the likelihood is the model's node scores ([sem.Scored]), and equations are drawn given
	// the graphs afterwards. Of several hypotheses of the model the one is taken that suits the
	// data best, by the greatest posterior density of a graph along the order that adding parents
	// one by one finds.
	IntegratedParameters
)

// String is the name of the choice.
func (p Parameters) String() string { return words.Name(p, "sampled", "integrated") }
