package stein

import (
	"context"
	"errors"
	"fmt"

	"tobac/engine"
	"tobac/internal/estimated"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/internal/problems"
	"tobac/models"
	"tobac/sem"
)

// MostEstimated is the number of variables up to which, under a custom likelihood, the evidences of
// all sets of parents are estimated for the posterior that SVGD draws orders from.
const MostEstimated = 8

const orderPoints = 128 // of each of them

// orderModel settles the models under whose posterior orders are drawn: the one of the problem,
// with its node scores or with estimated evidences in their place. Where there are none, other
// models take its place, with a warning.
func (s *sampling) orderModel(ctx context.Context, p *engine.Problem) error {
	if p.Scored() {
		return nil
	}
	m, err := s.estimatedModel(ctx, p)
	switch {
	case err == nil:
		p.Shared.Model = m
		return nil
	case ctx.Err() != nil:
		return err
	}
	s.warnings = append(s.warnings, fmt.Sprintf("the orders do not come from the model %v but "+
		"from others, with node scores in closed form (%v): give the order, or have a method "+
		"find it",
		p.Model, problems.WithName(err, p.Data.Names)))
	p.Model = nil
	return nil
}

// estimatedModel is the model with estimated evidences of sets of parents in place of node
// scores: of networks with one hidden layer those of the engine tempering, of others those of
// all sets by package evidence, or with many variables of the sets that matter.
func (s *sampling) estimatedModel(ctx context.Context, p *engine.Problem) (sem.Scored, error) {
	if m, ok := sem.As[sem.Network](p.Model); ok {
		if m.Layers() > 1 {
			return nil, errors.New("evidences of networks with several hidden layers take too long")
		}
		m = m.WithOutput(models.SampledOutput)
		g, err := estimated.Settle(ctx, p, m, graphchains.Pilot, nil)
		if err != nil {
			return nil, err
		}
		return g.Scored(), nil
	}
	d := p.Vars()
	if d > MostEstimated {
		g, err := estimated.OfLikelihood(ctx, p, p.Model, graphchains.Pilot)
		if err != nil {
			return nil, err
		}
		defer g.Close()
		return g.Scored(), nil
	}
	prior, err := problems.ClosedPrior(p, d, inference.FirstDensity(p, d))
	if err != nil {
		return nil, err
	}
	p.Doing(s.engine.Name(), "estimating evidences of all sets of parents")
	model, data, _, err := problems.SampledModel(p, p.Model,
		s.sampler.Parameters == IntegratedParameters)
	if err != nil {
		return nil, err
	}
	pools, err := inference.Evidences(ctx, model, data, inference.AllSets(d, prior, nil),
		orderPoints, p)
	return inference.Settled{Model: p.Model, Hypothesis: sem.Hypothesis{Scores: pools[0]}}, err
}

// weighByPrior weights the draws that orders are taken from by a custom prior under which
// they could not be drawn.
func (s *sampling) weighByPrior() error {
	if s.problem.Prior.IsModular() {
		return nil
	}
	p := s.drawn.Posterior
	logs, err := models.LogPriors(s.problem.Prior.Own, p.Graphs())
	if err != nil {
		return err
	}
	for k, v := range logs {
		p.Draws[k].LogWeight += v
	}
	if worth := p.Empirical().EffectiveSampleSize(); !(worth >= inference.FewDraws) {
		s.warnings = append(s.warnings, fmt.Sprintf("the orders follow the graph prior only "+
			"roughly: of %d graphs drawn without it those count that it allows, as much as %.0f "+
			"of equal weight: give the order, or a prior that is a product over variables",
			len(logs), worth))
	}
	return nil
}
