package tobac

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/background"
	"tobac/dataset"
	"tobac/exact"
	"tobac/internal/inspect"
	"tobac/mcmc"
	"tobac/models"
	"tobac/posterior"
	"tobac/sem"
)

// A referenceBuilder computes a reference.
type referenceBuilder struct {
	cfg    Config
	data   *dataset.Table // as the run was given it
	result *Result
	ref    *Reference

	trust  sem.Trust      // part of the evidence that counts
	model  sem.Model      // as it was sampled, on scaled
	scaled *dataset.Table // the columns as the model takes them
}

func (b *referenceBuilder) build(ctx context.Context) error {
	components := b.orders()
	if len(components) == 0 {
		return fmt.Errorf("the posterior has no components, and so no order of those that the method %v found", b.cfg.Order.Method)
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	var parts []posterior.Marginals
	var weights []float64
	for k, c := range components {
		inf, networks, err := b.given(ctx, k, c)
		if err != nil {
			return err
		}
		order := c.Order
		if !b.conditional() {
			order = nil
		}
		b.ref.conditionals = append(b.ref.conditionals, conditional{order, c.Weight, inf, networks})
		parts, weights = append(parts, inf.post.Marginals), append(weights, c.Weight)
	}
	b.ref.Marginals = parts[0]
	if len(parts) > 1 {
		b.ref.Marginals = posterior.MixMarginals(parts, weights)
	}
	return nil
}

// conditional reports whether the posterior follows orders that are no draws from a posterior of them.
func (b *referenceBuilder) conditional() bool {
	o := &b.cfg.Order
	return o.Known != nil || o.Method != nil && (b.cfg.Engine == SVGD || b.cfg.Engine == Tempering)
}

// orders are the components of the posterior, or one without an order.
func (b *referenceBuilder) orders() []posterior.Component {
	all := b.result.Posterior.Components
	one := posterior.Component{Order: b.cfg.Order.Known, Weight: 1}
	if len(all) > 0 && (one.Order != nil || b.cfg.Sampler.Method == DiBS) {
		one.NoiseVariance = all[0].NoiseVariance
	}
	switch {
	case !b.conditional():
		b.note("over all orders and graphs")
	case one.Order != nil:
		b.note("given the order of the run")
	case len(all) < 2:
		b.note("given the order of the run")
		return all
	default:
		b.note("given each of the %d orders of the run, with their weights", len(all))
		return all
	}
	return []posterior.Component{one}
}

// note adds a sentence, once where several orders have it in common.
func (b *referenceBuilder) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(b.ref.Notes, text) {
		b.ref.Notes = append(b.ref.Notes, text)
	}
}

// settle finds what the run took as given: the model and its columns, the hypothesis and the number of edges.
func (b *referenceBuilder) settle(ctx context.Context) (err error) {
	c, p := &b.cfg, b.result.Posterior
	if c.Model == nil {
		if c.Model, err = sem.Parse(p.Model); err != nil {
			return err
		}
	}
	b.model, b.scaled = c.Model, b.data
	b.trust = (&Run{cfg: *c, sequence: func() inspect.Sequence { return inspect.Rows(b.data, c.Prior.IsSource(len(b.data.Names))) }}).trust()
	switch c.Engine {
	case SVGD, Tempering:
		if b.model, b.scaled, _, err = (&Run{cfg: *c, data: b.data}).sampledModel(); err != nil {
			return err
		}
	case MCMC, GFlowNet:
		m, ok := b.model.(sem.Scored)
		if !ok {
			return fmt.Errorf("the model %v has no node scores", b.model)
		}
		s, err := settle(ctx, b.data, []sem.Scored{m}, c, b.trust)
		if err != nil {
			return err
		}
		h := s.hypothesis
		h.Scores = sem.FormOf(h.Scores) // all of the evidence, of which a part will count
		b.model = sem.Settled{Model: m, Hypothesis: h}
		if s.hypothesis.NoiseVariance != 0 {
			b.note("the noise variance that the run settled on, %.4g", s.hypothesis.NoiseVariance)
		}
	case BCD:
		b.note("weights normal and edges as the prior er expects them, in place of the horseshoe prior of the method bcd")
	}
	b.settlePrior()
	return nil
}

// settlePrior fixes the number of edges that the run took as given, where exact sums would average over it.
func (b *referenceBuilder) settlePrior() {
	p, v := &b.cfg.Prior, b.result.EdgesPerNode
	if p.Kind != background.Sparse || p.Probabilities != nil || p.Own != nil {
		return
	}
	if p.EdgesPerNode == 0 && b.cfg.Engine != Exact && v > 0 {
		p.EdgesPerNode = v
		b.note("%.3g edges per node, which the run took as given", v)
	}
	if b.cfg.Sampler.Method == DiBS && b.cfg.Engine == SVGD {
		*p = p.IndependentPairs(len(b.data.Names))
		b.note("the prior of dibs, of independent pairs")
	}
}

// given is the reference under order number k, or over all orders.
func (b *referenceBuilder) given(ctx context.Context, k int, c posterior.Component) (*inference, *networkScores, error) {
	cfg, d := b.cfg, len(b.data.Names)
	cfg.Seed, cfg.Order = referenceSeed(cfg.Seed, k), Order{}
	if b.conditional() {
		cfg.Order.Known = c.Order
	}
	m := b.model
	if n, ok := m.(sem.Noisy); ok && c.NoiseVariance > 0 && b.cfg.Engine == SVGD {
		m = n.WithNoise(c.NoiseVariance)
		b.note("the noise variance that the run took as given")
	}
	scored, ok := m.(sem.Scored)
	if !ok {
		if n, ok := m.(sem.Network); ok && n.Layers() == 1 {
			return b.tempered(ctx, n, cfg)
		}
		inf, err := b.estimated(ctx, m, cfg)
		return inf, nil, err
	}
	cfg.Model, cfg.Engine = scored, Exact
	most := exact.Affordable
	if cfg.Order.Known != nil {
		most = exact.MaxVariables
	}
	if d > most {
		cfg.Engine = MCMC
	}
	var err error
	if cfg.Chains, err = (Chains{Candidates: b.cfg.Chains.Candidates}).withDefaults(); err != nil {
		return nil, nil, err
	}
	p := (&Run{cfg: cfg, data: b.scaled}).problem()
	if err := p.checkMemory(cfg.room()); err != nil {
		return nil, nil, err
	}
	b.ref.Engine = cfg.Engine
	if cfg.Engine == Exact {
		inf, err := inferExact(ctx, b.scaled, []sem.Scored{scored}, &cfg, b.trust)
		return inf, nil, err
	}
	inf, err := b.chained(ctx, scored, cfg)
	return inf, nil, err
}

// chained runs long chains where sums are too long.
func (b *referenceBuilder) chained(ctx context.Context, m sem.Scored, cfg Config) (*inference, error) {
	cfg.Chains.Iterations = referenceFactor * max(cfg.Chains.Iterations, b.cfg.Chains.Iterations)
	cfg.Chains.WarmUp = referenceFactor * max(cfg.Chains.WarmUp, b.cfg.Chains.WarmUp)
	s, err := settle(ctx, b.scaled, []sem.Scored{m}, &cfg, b.trust)
	if err != nil {
		return nil, err
	}
	c, err := newChains(ctx, b.scaled, s, &cfg)
	if err != nil {
		return nil, err
	}
	inf, err := b.sampled(ctx, c, b.scaled, &cfg)
	if err != nil {
		return nil, err
	}
	inf.parts = []part{{hypothesis: s.hypothesis, prior: s.prior}}
	return inf, nil
}

// sampled takes all steps of chains over graphs, and reads the posterior off them.
func (b *referenceBuilder) sampled(ctx context.Context, chains stage, data *dataset.Table, cfg *Config) (*inference, error) {
	_, steps := chains.at()
	report := func(p Progress) {
		if p.Steps = steps; cfg.Progress != nil {
			cfg.Progress(p)
		}
	}
	if err := chains.advance(ctx, steps, report); err != nil {
		return nil, err
	}
	inf, err := chains.inference(ctx, data, cfg)
	if err != nil {
		return nil, err
	}
	b.ref.Warnings = append(b.ref.Warnings, checkWarnings(chainChecks(inf.diagnostics))...)
	b.ref.StandardError = math.Max(b.ref.StandardError, largestError(inf.diagnostics))
	b.note("Markov chains of %d iterations", cfg.Chains.Iterations)
	return inf, nil
}

// largestError is the largest standard error of the least certain edges; NaN: there are too few samples.
func largestError(d *mcmc.Diagnostics) float64 {
	largest := 0.0
	for _, e := range d.Uncertain {
		largest = math.Max(largest, e.StandardError)
	}
	return largest
}

// tempered is the posterior of networks: by long chains given an order, by estimated evidences over all.
func (b *referenceBuilder) tempered(ctx context.Context, network sem.Network, cfg Config) (_ *inference, _ *networkScores, err error) {
	network = network.WithOutput(models.SampledOutput)
	cfg.Model, cfg.Engine = network, Tempering
	long := Chains{}
	switch {
	case cfg.overOrders() && len(b.data.Names) > exact.Affordable:
		long = Chains{Iterations: referenceFactor * max(chainIterations, b.cfg.Chains.Iterations)}
	case cfg.overOrders():
	case b.cfg.Engine == Tempering:
		long = Chains{Iterations: referenceFactor * b.cfg.Chains.Iterations, Rungs: b.cfg.Chains.Rungs}
	default:
		long.Iterations = referenceFactor / 2 * temperedIterations
	}
	if cfg.Chains, err = long.temperedDefaults(cfg.overOrders(), len(b.data.Names)); err != nil {
		return nil, nil, err
	}
	if err := cfg.checkTempering(len(b.data.Names)); err != nil {
		return nil, nil, err
	}
	b.ref.Engine, b.ref.StandardError = Tempering, math.NaN()
	if !cfg.overOrders() {
		b.note("tempered chains of %d iterations", cfg.Chains.Iterations)
	}
	run := &Run{cfg: cfg, data: b.data}
	inf, err := run.temper(ctx)
	if err == nil && inf == nil {
		b.ref.StandardError = 0
		inf, err = b.sampled(ctx, run.stage, b.data, &cfg)
	}
	if err != nil {
		return nil, nil, err
	}
	b.ref.Warnings = slices.Concat(b.ref.Warnings, inf.post.Warnings, checkWarnings(inf.checks), checkWarnings(inf.temperedChecks()))
	networks, err := run.withScores(inf)
	return inf, networks, err
}
