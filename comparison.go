package tobac

import (
	"context"
	"fmt"

	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/stein"
)

// NewComparison prepares a run that samples TOBAC's particles under orders drawn from a result
// of the same data, to show how far the sampler is from it: [posterior.Marginals.Distance]
// compares the two. The result is one of the engines exact and mcmc; the particles have its
// model, in a form that SVGD samples, its prior and seed, and the settings of e.
func NewComparison(ctx context.Context, data *dataset.Table, r *Result, e *stein.SVGD) (*Run, error) {
	cfg := r.Config
	if name := cfg.Engine.Name(); name != "exact" && name != "mcmc" {
		return nil, fmt.Errorf("tobac: particles are compared with a result of the engine exact or mcmc, got %s", name)
	}
	cfg.Engine, cfg.Model = e, engine.ComparedForm(cfg.Model)
	return newRun(ctx, data, cfg, engine.Shared{Drawn: &r.Outcome})
}
