package stein

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/drawn"
	"tobac/internal/likelihoods"
	"tobac/internal/nodescore"
	"tobac/internal/orders"
	"tobac/internal/priors"
	"tobac/internal/problems"
	"tobac/models"
	"tobac/posterior"
	"tobac/schedule"
	"tobac/score"
	"tobac/sem"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
)

// particleFit is the sampling of one model by SVGD under one causal order. It
// knows nothing of other orders.
type particleFit struct {
	asked   sem.Model          // as it was asked for
	model   sem.Differentiable // with what was estimated
	sampler *SVGD
	penalty models.Penalty // of cycles, without an order
	prior   background.Prior
	density float64 // edges per node of the prior
	order   orders.Weighted
	engine  string // its name
	workers int
	doing   func(what string) // reports computations between steps; may be nil

	names []string                   // of the columns
	scale *posterior.Standardization // of the data; nil means their own

	data *dataset.Table // in order coordinates
	// Set by compile, dropped by release.
	lik    models.Likelihood
	target *models.TOBAC
	sets   setEstimator // nil means the marginals need none
	svgd   *svgd.Sampler
	x      []*mat.Dense
	step   int

	seen     particleChecks // when the posterior was read off last
	seenSets setChecks
}

// compile builds the program and draws the initial particles.
func (f *particleFit) compile(ctx context.Context, data *dataset.Table) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.data = data
	ordered := f.ordered()
	if ordered {
		f.data = data.Relabel(f.order.Order)
	}
	var err error
	if f.model, err = f.differentiable(ctx, ordered); err != nil {
		return err
	}
	d := len(data.Names)
	prior, err := priors.Expression(&f.prior, f.order.Order, d, f.density)
	if err != nil {
		return err
	}
	if f.lik, err = f.model.Likelihood(f.data); err != nil {
		return err
	}
	s, embedding := f.sampler, models.AllPairs
	if ordered {
		embedding = models.OrderedPairs
	}
	f.target, err = models.NewTOBAC(f.lik, models.TOBACConfig{
		Particles: s.Particles, Samples: s.Samples, Rank: s.Rank, AlphaRate: s.AlphaRate,
		Alpha:     s.Alpha,
		Estimator: s.Estimator, Gradient: f.gradient(), Embedding: embedding, Prior: prior,
		Penalty: f.penalty,
		Latents: s.Latents, EdgeParameters: s.EdgeParameters, PriorPlace: s.PriorPlace,
		Temper: s.Temper,
		Seed:   f.order.Seed, Options: models.Options{Workers: f.workers},
	})
	if err != nil {
		return err
	}
	kernel, err := s.kernel(f.target)
	if err != nil {
		return fmt.Errorf("the model %v: %w", f.asked, err)
	}
	if err := f.prepareSets(ctx); err != nil {
		return err
	}
	f.x, f.step = f.target.Init(), 0
	if err := f.fitParameters(ctx); err != nil {
		return err
	}
	f.svgd = &svgd.Sampler{Target: f.target, Kernel: kernel, Optimizer: s.optimizer(),
		Workers: f.workers}
	return nil
}

// ordered reports whether the particles follow a causal order.
func (f *particleFit) ordered() bool { return len(f.order.Order) > 0 }

// gradient is the estimator of the settings, or the score function if the likelihood has no soft
// form.
func (f *particleFit) gradient() models.Gradient {
	if h, ok := f.lik.(models.HardOnly); ok && h.HardOnly() &&
		f.sampler.Gradient == models.Reparameterised {
		return models.ScoreFunction
	}
	return f.sampler.Gradient
}

// advance takes the steps up to number to.
func (f *particleFit) advance(ctx context.Context, to int, report func(engine.Progress)) error {
	f.svgd.Recorder = func(s svgd.Stats) {
		report(engine.Progress{Step: s.Step + 1, Driving: s.Driving[0], Repulsive: s.Repulsive[0],
			Neighbours: s.Neighbours})
	}
	err := f.svgd.Run(ctx, f.x, f.step, to)
	var early *svgd.StepError
	if errors.As(err, &early) {
		f.step = early.Step
		return early.Err
	}
	f.step = max(f.step, to)
	return err
}

// release ends the workers of the program, and drops it.
func (f *particleFit) release() {
	if f.target != nil {
		f.target.Close()
	}
	if f.sets != nil {
		f.sets.close()
	}
	f.target, f.sets, f.svgd, f.lik = nil, nil, nil, nil
}

// posterior reads the posterior given the order off the particles as they are:
// each particle's graph in the limit of large α, with its parameters.
func (f *particleFit) posterior(ctx context.Context) (*posterior.Posterior, error) {
	if _, ok := f.model.(integratedModel); ok || f.sampler.Marginals == ReweightedMarginals {
		return f.drawn(ctx)
	}
	graphs := f.graphs()
	p := f.unread(posterior.Particles, graphs)
	var theta *mat.Dense
	if len(f.x) == 2 {
		theta = f.x[1]
	}
	if err := f.withParameters(p, graphs, theta); err != nil {
		return nil, err
	}
	f.intoColumns(p)
	marginals, err := f.conditionals(ctx, graphs, f.columns())
	if err != nil {
		return nil, err
	}
	if err := f.examine(ctx, p, marginals); err != nil {
		return nil, err
	}
	if marginals == nil || f.sampler.Marginals != ConditionalMarginals {
		m := p.Frequencies()
		if p.WeightMean != nil {
			m.WeightMean, m.WeightSD = p.WeightMean, p.WeightSD
		}
		marginals = &m
	}
	if p.Cyclic() < len(p.Draws) {
		priors.Settle(&f.prior, marginals.Probabilities)
	}
	p.Marginals, p.Components[0].Marginals = *marginals, marginals
	return p, nil
}

// unread is a posterior of graphs in order coordinates, of which nothing else is known yet.
func (f *particleFit) unread(kind posterior.Kind, graphs []*dag.Graph) *posterior.Posterior {
	p := &posterior.Posterior{Names: slices.Clone(f.data.Names), Engine: f.engine,
		Model: f.asked.String(), Kind: kind, Draws: make([]posterior.Draw, len(graphs))}
	for k, g := range graphs {
		p.Draws[k].Graph = g
	}
	p.Components = []posterior.Component{{Draws: len(graphs), Weight: 1, Count: f.order.Count,
		NoiseVariance: f.noiseVariance(), LogEvidence: f.order.Evidence}}
	return p
}

// withParameters gives draws of graphs in order coordinates, each with a row of parameters, what
// these mean.
func (f *particleFit) withParameters(p *posterior.Posterior, graphs []*dag.Graph,
	theta *mat.Dense) error {
	return (&drawn.Parameters{Model: f.model, Likelihood: f.lik, Data: f.data,
		Order: f.order.Order, Seed: f.order.Seed}).Give(p, graphs, theta)
}

// graphs are those of the particles, in order coordinates.
func (f *particleFit) graphs() []*dag.Graph {
	var all []*dag.Graph
	for m := range f.sampler.Particles {
		all = append(all, f.target.HardGraph(f.x[0].RawRowView(m)))
	}
	return all
}

// noiseVariance is the one that all equations share; 0 means there is none.
func (f *particleFit) noiseVariance() float64 {
	if m, ok := sem.As[sem.Noisy](f.model); ok {
		return m.Noise()
	}
	return 0
}

// An integratedModel is a model as SVGD samples it without parameters.
type integratedModel struct {
	sem.Scored
	lik    *likelihoods.NodeScores
	scores score.Scorer // in order coordinates
}

// integrated prepares the node scores of a model for data in order coordinates.
func integrated(ctx context.Context, m sem.Scored, data *dataset.Table,
	workers int) (integratedModel, error) {
	d := len(data.Names)
	s, err := alongScores(ctx, m, data, workers)
	if err != nil {
		return integratedModel{}, err
	}
	return integratedModel{Scored: m, lik: likelihoods.NewNodeScores(d, s.LogScore), scores: s}, nil
}

// alongScores are the node scores of a model for data in order coordinates, under the hypothesis
// that suits them best.
func alongScores(ctx context.Context, m sem.Scored, data *dataset.Table, workers int) (score.Scorer,
	error) {
	d := len(data.Names)
	along := score.Fair(d)
	along.Tiers(dag.Identity(d))
	all, err := m.Hypotheses(ctx, data, along, workers)
	if err != nil {
		return nil, err
	}
	best, highest := 0, math.Inf(-1)
	for k, h := range all {
		if len(all) == 1 {
			break
		}
		g := forward(h.Scores, along)
		if v := h.LogWeight + nodescore.OfGraph(h.Scores, g); v > highest {
			best, highest = k, v
		}
	}
	return all[best].Scores, nil
}

// forward is the graph along the identity to which no single parent can be added that increases
// score and prior.
func forward(s score.Scorer, prior *score.Prior) *dag.Graph {
	d := s.Vars()
	g := dag.New(d)
	for j := range d {
		now := nodescore.LogWeight(s, prior, j, nil)
		for {
			best, at := now, -1
			for i := range j {
				if g.Has(i, j) {
					continue
				}
				g.Set(i, j, true)
				if v := nodescore.LogWeight(s, prior, j, g.Parents(j)); v > best {
					best, at = v, i
				}
				g.Set(i, j, false)
			}
			if at < 0 {
				break
			}
			g.Set(at, j, true)
			now = best
		}
	}
	return g
}

// Likelihood implements [sem.Differentiable].
func (m integratedModel) Likelihood(*dataset.Table) (models.Likelihood, error) { return m.lik, nil }

// Hypotheses implements [sem.Scored]: that under which the model is sampled.
func (m integratedModel) Hypotheses(context.Context, *dataset.Table, *score.Prior,
	int) ([]sem.Hypothesis, error) {
	return []sem.Hypothesis{{Scores: m.scores}}, nil
}

// differentiable is the model that SVGD samples: with its estimates, and without parameters if
// these are to be integrated out.
func (f *particleFit) differentiable(ctx context.Context, ordered bool) (sem.Differentiable,
	error) {
	m, err := sem.Estimate(ctx, f.asked, f.data, ordered)
	if err != nil {
		return nil, err
	}
	if f.sampler.Parameters == IntegratedParameters {
		s, ok := sem.As[sem.Scored](m)
		if !ok {
			return nil, problems.NeedsIntegrals(m)
		}
		return integrated(ctx, s, f.data, f.workers)
	}
	d, ok := sem.As[sem.Differentiable](m)
	if !ok {
		return nil, problems.NeedsLikelihood(m)
	}
	return d, nil
}

// fitParameters moves the initial parameters for the steps of the setting along the gradient of the
// likelihood, with all edges that are possible.
func (f *particleFit) fitParameters(ctx context.Context) error {
	if f.sampler.FitSteps == 0 || len(f.x) < 2 {
		return nil
	}
	graphs := make([]*dag.Graph, f.sampler.Particles)
	for m := range graphs {
		graphs[m] = f.target.Widest()
	}
	target, err := models.NewParameterTarget(f.lik, graphs, models.Options{Workers: f.workers})
	if err != nil {
		return err
	}
	defer target.Close()
	const step = 0.02 // that of the recipe
	steps := f.sampler.FitSteps
	s := &svgd.Sampler{Target: target, Kernel: svgd.Alone{}, Optimizer: svgd.Scheduled{
		Optimizer: svgd.RMSProp{StepSize: step},
		Factor:    schedule.Ramp{Shape: schedule.Linear, From: 1, Start: steps / 2, End: steps}}}
	return s.Run(ctx, []*mat.Dense{f.x[1]}, 0, steps)
}

// columns are those of the data in the sequence of the order, or as they are without one.
func (f *particleFit) columns() []int {
	if len(f.order.Order) == 0 {
		return dag.Identity(len(f.names))
	}
	return f.order.Order
}

// inColumns are equations in the columns of the data, of which column order[a] is
// variable a.
func inColumns(e *posterior.Equations, order []int) *posterior.Equations {
	d := len(order)
	out := &posterior.Equations{Weights: relabelled(e.Weights, order),
		NoiseVariances: make([]float64, d)}
	if e.Intercepts != nil {
		out.Intercepts = make([]float64, d)
	}
	for a, i := range order {
		out.NoiseVariances[i] = e.NoiseVariances[a]
		if e.Intercepts != nil {
			out.Intercepts[i] = e.Intercepts[a]
		}
	}
	return out
}

// intoColumns turns a posterior in order coordinates into one in the columns of the data.
func (f *particleFit) intoColumns(p *posterior.Posterior) {
	order := f.columns()
	p.Names, p.Standardization = slices.Clone(f.names), f.scale
	for k := range p.Draws {
		p.Draws[k].Graph = p.Draws[k].Graph.Relabel(dag.Inverse(order))
		if e := p.Draws[k].Equations; e != nil {
			p.Draws[k].Equations = inColumns(e, order)
		}
	}
	c := &p.Components[0]
	c.Order = slices.Clone(f.order.Order)
	if c.Empty != nil {
		c.Empty = inColumns(c.Empty, order)
	}
	if p.Probabilities != nil {
		p.Probabilities = relabelled(p.Probabilities, order)
	}
	if p.WeightMean != nil {
		p.WeightMean, p.WeightSD = relabelled(p.WeightMean, order), relabelled(p.WeightSD, order)
	}
}

// relabelled has the entry (a, b) of m at (order[a], order[b]).
func relabelled(m mat.Matrix, order []int) *mat.Dense {
	out := mat.NewDense(len(order), len(order), nil)
	for a, i := range order {
		for b, j := range order {
			out.Set(i, j, m.At(a, b))
		}
	}
	return out
}
