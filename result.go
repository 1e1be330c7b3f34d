package tobac

import (
	"context"
	"fmt"

	"tobac/dataset"
	"tobac/effects"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/internal/drawn"
	"tobac/posterior"
)

// Effects are the total effects of the posterior that is reported; where it has [Result.Functions],
// of these.
func (r *Result) Effects(ctx context.Context) (*effects.Effects, error) {
	p, err := r.Functions(ctx)
	if err != nil {
		return nil, err
	}
	if p == nil {
		p = r.Posterior
	}
	return drawn.EffectsOf(p, r.Columns, r.Config.Seed)
}

// Functions are draws of the posterior that is reported with the functions of their equations as
// parameters, for a model whose draws are graphs only and whose scores are [sem.Functional]; nil
// for others. The first call draws them, which takes seconds and stops when ctx is done.
func (r *Result) Functions(ctx context.Context) (*posterior.Posterior, error) {
	if r.Functional == nil || r.functions != nil {
		return r.functions, nil
	}
	p, err := r.Functional.Draw(ctx, r.Posterior)
	if err != nil {
		return nil, err
	}
	r.functions = p
	return p, nil
}

// NewComparison prepares a run that samples TOBAC's particles under orders drawn from a result
// of the same data, to show how far the sampler is from it: [posterior.Marginals.Distance]
// compares the two. The result is one of the engines exact and mcmc; the particles have its
// model, in a form that SVGD samples, its prior and seed, and the settings of e.
func NewComparison(ctx context.Context, data *dataset.Table, r *Result, e *stein.SVGD) (*Run,
	error) {
	cfg := r.Config
	if _, source := cfg.Engine.Engine().(engine.OrderSource); !source {
		return nil, fmt.Errorf("tobac: particles are compared with a result of the engine exact "+
			"or mcmc, got %s", cfg.Engine.Engine().Name())
	}
	cfg.Engine, cfg.Model = e, drawn.ComparedForm(cfg.Model)
	return newRun(ctx, data, cfg, engine.Shared{Drawn: &r.Outcome})
}
