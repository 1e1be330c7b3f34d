package tobac

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tobac/background"
	"tobac/dataset"
	"tobac/exact"
	"tobac/internal/inspect"
	"tobac/posterior"
	"tobac/sem"
	"tobac/setting"
)

// Engines are those that take part in a fit of d variables: the one that is asked for or chosen, and the one
// that orders are drawn by. c has its defaults filled in.
func (c Config) Engines(d int) []Engine {
	c.Engine = c.engine(d)
	all := []Engine{c.Engine}
	switch {
	case d > exact.Affordable && (c.cheap() || c.Engine == Tempering && c.overOrders()):
		all = append(all, MCMC)
	case c.cheap():
		all = append(all, Exact)
	}
	return all
}

// engine is the asked-for one, or the best that the model and the number d of variables allow.
func (c *Config) engine(d int) Engine {
	_, scored := c.Model.(sem.Scored)
	scored = scored || c.Model == nil
	tooMany := d > exact.Affordable
	if c.Order.Known != nil {
		tooMany = d > exact.MaxVariables
	}
	modular := true
	if c.Prior.Own != nil {
		_, modular = c.Prior.Own.(background.Modular)
	}
	switch {
	case c.Engine != Auto:
		return c.Engine
	case c.Trained():
		return trainedEngines[c.Sampler.Method]
	case c.Sampler.Method == DiBS || !scored || !modular || c.Order.Method != nil:
		return SVGD
	case !tooMany:
		return Exact
	case c.Order.Known != nil:
		return SVGD
	}
	return MCMC
}

// scoredModels are the models to compare.
func (r *Run) scoredModels() []sem.Scored {
	if r.shared.model != nil {
		return []sem.Scored{r.shared.model}
	}
	if m, ok := r.cfg.Model.(sem.Scored); ok {
		return []sem.Scored{m}
	}
	return sem.Compared()
}

// cheap reports whether node scores only serve to draw orders for SVGD.
func (c *Config) cheap() bool {
	return c.Engine == SVGD && c.Sampler.Method == TOBAC && c.Order.Known == nil && c.Order.Method == nil
}

// infer computes the posterior in closed form, or begins the chains for it.
func (r *Run) infer(ctx context.Context) (err error) {
	defer func(start time.Time) { r.seconds.Infer += time.Since(start).Seconds() }(time.Now())
	cfg, d := r.cfg, len(r.data.Names)
	if r.shared.inferred != nil {
		r.inferred = r.shared.inferred
		return nil
	}
	if r.cfg.Engine == Tempering {
		r.inferred, err = r.temper(ctx)
		return err
	}
	if r.cfg.Engine == SVGD {
		if !r.cfg.cheap() {
			return nil
		}
		cfg.Prior = cfg.Prior.ForOrders()
	}
	var chosen sem.Model
	var models []sem.Scored // to compare
	if cfg.Engine != BCD {
		if models, err = r.orderModels(ctx, &cfg); err != nil {
			return err
		}
	}
	switch {
	case cfg.Engine == BCD:
		r.stage, err = newBCD(ctx, r.data, &cfg)
	case cfg.Engine == MCMC, cfg.Engine == GFlowNet, d > exact.Affordable && cfg.Order.Known == nil:
		s, err := settle(ctx, r.data, models, &cfg, r.trust())
		if err != nil {
			return err
		}
		chosen, r.compared = s.model, s.evidence
		if cfg.Engine == GFlowNet {
			r.stage, err = newGFlowNet(ctx, s, &cfg)
		} else {
			r.stage, err = newChains(ctx, r.data, s, &cfg)
		}
		if err != nil {
			return err
		}
	default:
		if r.inferred, err = inferExact(ctx, r.data, models, &cfg, r.trust()); err != nil {
			return err
		}
		if _, estimated := models[0].(sem.Settled); estimated {
			r.inferred.note += ", with estimated evidences of sets of parents"
		}
		chosen, r.compared = r.inferred.model, r.inferred.evidence
		r.atOdds, err = r.inferred.against(ctx, r.data, &cfg)
	}
	if err != nil {
		return err
	}
	if cfg.Model == nil && cfg.Engine != SVGD {
		r.cfg.Model = chosen
	}
	return nil
}

// trust is the part of the evidence that counts: of a model that is sampled by particles all.
func (r *Run) trust() sem.Trust {
	if s := r.countedSequence(); s.Counted {
		return sem.Trust{Form: 1, Rows: s.Effective / float64(s.Rows)}
	}
	return sem.WholeTrust
}

// countedSequence is what the sequence of the rows says, and whether their evidence counts in part.
func (r *Run) countedSequence() inspect.Sequence {
	s := r.sequence()
	s.Counted = s.Dependent() && slices.Contains([]Engine{Exact, MCMC, GFlowNet}, r.cfg.Engine)
	return s
}

// exactBytes is about the memory that the engine exact needs.
func exactBytes(d int, given bool) int64 {
	if given {
		return exact.MemoryGiven(d)
	}
	return exact.Memory(d)
}

// beginParticles finds the orders of SVGD and compiles the model under the first.
func (r *Run) beginParticles(ctx context.Context) (err error) {
	r.cfg.doing(SVGD, "drawing orders and compiling the model")
	start := time.Now()
	orders, err := r.sampledOrders(ctx)
	r.seconds.Order += time.Since(start).Seconds()
	if err != nil {
		return err
	}
	for _, o := range orders {
		if err := r.cfg.Prior.AgainstOrder(o.order, r.data.Names); err != nil {
			return err
		}
	}
	model, data, scale, err := r.sampledModel()
	if err != nil {
		return err
	}
	density := r.cfg.Prior.EdgesPerNodeFor(len(r.data.Names))
	if r.inferred != nil && r.cfg.Prior.EdgesPerNode == 0 {
		density = r.inferred.density
	}
	p := &particles{seconds: &r.seconds, data: data}
	for _, o := range orders {
		p.fits = append(p.fits, &particleFit{asked: model, sampler: r.cfg.Sampler, prior: r.cfg.Prior, density: density, order: o,
			workers: r.cfg.Workers, names: r.data.Names, scale: scale, doing: func(what string) { r.cfg.doing(SVGD, what) }})
	}
	r.particles = p
	return p.begin(ctx)
}

// sampledModel is the model that SVGD samples, with its data and their scale.
func (r *Run) sampledModel() (sem.Model, *dataset.Table, *posterior.Standardization, error) {
	m := r.cfg.Model
	if m == nil {
		m = sem.Linear{Unequal: true}
		if r.inferred != nil {
			m = comparedForm(r.inferred.model)
		}
	}
	sampled, scaling := m, sem.AsGiven
	_, scored := m.(sem.Scored)
	if v, ok := m.(sem.SampledModel); ok && !(scored && r.cfg.Sampler.Parameters == IntegratedParameters) {
		sampled, scaling = v.Sampled(false)
	}
	if _, ok := sampled.(sem.Differentiable); !ok && r.cfg.Sampler.Parameters == SampledParameters {
		return nil, nil, nil, fmt.Errorf("the model %v has no likelihood that SVGD could differentiate", m)
	}
	scale, err := r.scale(scaling)
	if err != nil {
		return nil, nil, nil, err
	}
	return sampled, onScale(r.data, scale), scale, nil
}

// scale is that of the columns, of the rows in which they were not set by intervention; nil: as they are.
func (r *Run) scale(s sem.Scaling) (*posterior.Standardization, error) {
	if s == sem.AsGiven {
		return nil, nil
	}
	mean, sd := r.data.ObservedMoments()
	scale := &posterior.Standardization{Mean: mean, SD: sd}
	if r.shared.scale != nil {
		*scale = *r.shared.scale
	}
	if s == sem.Centred {
		scale.SD = slices.Repeat([]float64{1}, len(mean))
		return scale, nil
	}
	_, err := r.data.Standardize() // names columns that do not vary
	return scale, err
}

// comparedForm is the model whose particles are compared with the posterior of m in closed form.
func comparedForm(m sem.Model) sem.Model {
	if v, ok := m.(sem.SampledModel); ok {
		m, _ = v.Sampled(true)
	}
	return m
}

// onScale are the data with shifted and scaled columns; nil: as they are.
func onScale(t *dataset.Table, s *posterior.Standardization) *dataset.Table {
	if s == nil {
		return t
	}
	return &dataset.Table{Names: t.Names, X: s.Apply(t.X), Intervened: t.Intervened}
}

// orderCount is the number of orders that SVGD samples under.
func (r *Run) orderCount() int {
	switch o := &r.cfg.Order; {
	case r.cfg.Sampler.Method == DiBS || o.Known != nil:
		return 1
	case o.Method == nil:
		setting.Fill(&o.Count, drawnOrders)
		return o.Count
	case r.found != nil && r.found.distribution != nil:
		return len(r.found.distribution.Orders)
	}
	return 1
}
