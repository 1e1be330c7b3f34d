package tobac

import (
	"context"
	"errors"
	"fmt"

	"tobac/models"
	"tobac/sem"
)

// Of the posterior that SVGD draws its orders from, where evidences of sets of parents are
// estimated.
const (
	mostOrderSets = 1024 // of all variables: those of 8 of them
	orderPoints   = 128  // of each
)

// errTooManySets says that there are too many sets of parents to estimate the evidence of each.
var errTooManySets = errors.New("too many sets of parents to estimate the evidence of each")

// orderModels are the models under whose posterior SVGD draws its orders: the one that was
// asked for, with its node scores or with estimated evidences in their place. Where there are
// none, other models take its place, with a warning.
func (r *Run) orderModels(ctx context.Context, cfg *Config) ([]sem.Scored, error) {
	if _, scored := r.cfg.Model.(sem.Scored); scored || r.cfg.Model == nil {
		return r.scoredModels(), nil
	}
	m, err := r.estimatedModel(ctx, cfg)
	switch {
	case err == nil:
		return []sem.Scored{m}, nil
	case ctx.Err() != nil:
		return nil, err
	}
	r.orderWarnings = append(r.orderWarnings, fmt.Sprintf("the orders do not come from the model %v but from others, with node scores in closed form (%v): give the order, or have a method find it",
		r.cfg.Model, withName(err, r.data.Names)))
	return r.scoredModels(), nil
}

// estimatedModel is the model with estimated evidences of sets of parents in place of node
// scores: of networks with one hidden layer those of the engine tempering, of others those of
// all sets by package evidence.
func (r *Run) estimatedModel(ctx context.Context, cfg *Config) (sem.Scored, error) {
	if m, ok := r.cfg.Model.(sem.Network); ok {
		if m.Layers() > 1 {
			return nil, errors.New("evidences of networks with several hidden layers take too long")
		}
		m = m.WithOutput(models.SampledOutput)
		under := *r
		under.cfg = *cfg
		g, err := under.networkGraphs(ctx, m)
		if err != nil {
			return nil, err
		}
		return g.scored(), nil
	}
	d := len(r.data.Names)
	if countSets(d, false) > mostOrderSets {
		return nil, fmt.Errorf("%d variables have %w", d, errTooManySets)
	}
	prior, err := cfg.closedPrior(d, cfg.firstDensity(d))
	if err != nil {
		return nil, err
	}
	r.cfg.doing(SVGD, "estimating evidences of all sets of parents")
	model, data, _, err := r.sampledModel()
	if err != nil {
		return nil, err
	}
	pools, err := evidences(ctx, model, data, allSets(d, prior, nil), orderPoints, *cfg)
	return sem.Settled{Model: r.cfg.Model, Hypothesis: sem.Hypothesis{Scores: pools[0]}}, err
}

// weighByPrior weights the draws that orders are taken from by a prior of one's own under which
// they could not be drawn.
func (r *Run) weighByPrior() error {
	if r.cfg.Prior.IsModular() {
		return nil
	}
	p := r.inferred.post
	logs, err := models.LogPriors(r.cfg.Prior.Own, p.Graphs())
	if err != nil {
		return err
	}
	for k, v := range logs {
		p.Draws[k].LogWeight += v
	}
	if worth := p.Empirical().EffectiveSampleSize(); !(worth >= fewDraws) {
		r.orderWarnings = append(r.orderWarnings, fmt.Sprintf("the orders follow the graph prior only roughly: of %d graphs drawn without it those count that it allows, as much as %.0f of equal weight: give the order, or a prior that is a product over variables",
			len(logs), worth))
	}
	return nil
}
