package tobac

import (
	"context"
	"fmt"

	"tobac/dataset"
)

// NewComparison prepares a run that samples TOBAC's particles under orders drawn from a result
// of the same data, to show how far the sampler is from it: [posterior.Marginals.Distance]
// compares the two. The result is one of the engines exact and mcmc; the particles have its
// model, in a form that SVGD samples, its prior and seed, and the Sampler and the number of
// orders of its configuration.
func NewComparison(ctx context.Context, data *dataset.Table, r *Result) (*Run, error) {
	cfg := r.Config
	if cfg.Engine != Exact && cfg.Engine != MCMC {
		return nil, fmt.Errorf("tobac: particles are compared with a result of the engine exact or mcmc, got %v", cfg.Engine)
	}
	cfg.Engine, cfg.Model = SVGD, comparedForm(cfg.Model)
	drawn := &inference{post: r.Posterior, evidence: r.Evidence, reason: r.Reason, density: r.EdgesPerNode}
	return newRun(ctx, data, cfg, shared{inferred: drawn})
}
