package stein

import (
	"context"
	"fmt"
	"math"

	"tobac/dag"
	"tobac/dataset"
	"tobac/models"
	"tobac/schedule"
	"tobac/score"
	"tobac/sem"
	"tobac/setting"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
)

// Parameters says whether the parameters of a model with node scores are particles.
type Parameters int

const (
	// SampledParameters are particles beside the latents, as published.
	SampledParameters Parameters = iota
	// IntegratedParameters have been integrated out in closed form: particles are latents alone, the likelihood is the model's
	// node scores ([sem.Scored]), and equations are drawn given the graphs afterwards. Of several hypotheses of the model the one is taken that suits the data best,
	// by the greatest posterior density of a graph along the order that adding parents one by one finds.
	IntegratedParameters
)

// String is the name of the choice.
func (p Parameters) String() string { return setting.Name(p, "sampled", "integrated") }

// An integratedModel is a model as SVGD samples it without parameters.
type integratedModel struct {
	sem.Scored
	lik    *models.NodeScores
	scores score.Scorer // in order coordinates
}

// integrated prepares the node scores of a model for data in order coordinates.
func integrated(ctx context.Context, m sem.Scored, data *dataset.Table, workers int) (integratedModel, error) {
	d := len(data.Names)
	s, err := alongScores(ctx, m, data, workers)
	if err != nil {
		return integratedModel{}, err
	}
	return integratedModel{Scored: m, lik: models.NewNodeScores(d, s.LogScore), scores: s}, nil
}

// alongScores are the node scores of a model for data in order coordinates, under the hypothesis that suits them best.
func alongScores(ctx context.Context, m sem.Scored, data *dataset.Table, workers int) (score.Scorer, error) {
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
		if v := h.LogWeight + score.OfGraph(h.Scores, g); v > highest {
			best, highest = k, v
		}
	}
	return all[best].Scores, nil
}

// forward is the graph along the identity to which no single parent can be added that increases score and prior.
func forward(s score.Scorer, prior *score.Prior) *dag.Graph {
	d := s.Vars()
	g := dag.New(d)
	for j := range d {
		now := s.LogScore(j, nil) + prior.LogPrior(j, nil)
		for {
			best, at := now, -1
			for i := range j {
				if g.Has(i, j) {
					continue
				}
				g.Set(i, j, true)
				parents := g.Parents(j)
				if v := s.LogScore(j, parents) + prior.LogPrior(j, parents); v > best {
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
func (m integratedModel) Hypotheses(context.Context, *dataset.Table, *score.Prior, int) ([]sem.Hypothesis, error) {
	return []sem.Hypothesis{{Scores: m.scores}}, nil
}

// differentiable is the model that SVGD samples: with what is estimated, and without parameters if they are to be integrated out.
func (f *particleFit) differentiable(ctx context.Context, ordered bool) (sem.Differentiable, error) {
	m := f.asked
	if e, ok := m.(sem.Estimated); ok {
		var err error
		if m, err = e.Estimate(ctx, f.data, ordered); err != nil {
			return nil, err
		}
	}
	if f.sampler.Parameters == IntegratedParameters {
		s, ok := m.(sem.Scored)
		if !ok {
			return nil, fmt.Errorf("the model %v has no node scores, by which its parameters could be integrated out; allowed: parameters sampled", m)
		}
		return integrated(ctx, s, f.data, f.workers)
	}
	d, ok := m.(sem.Differentiable)
	if !ok {
		return nil, fmt.Errorf("the model %v has no likelihood that SVGD could differentiate; allowed: parameters integrated", m)
	}
	return d, nil
}

// fitParameters moves the initial parameters for the steps of the setting along the gradient of the likelihood, with all edges that are possible.
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
		Optimizer: svgd.RMSProp{StepSize: step}, Factor: schedule.Ramp{Shape: schedule.Linear, From: 1, Start: steps / 2, End: steps}}}
	return s.Run(ctx, []*mat.Dense{f.x[1]}, 0, steps)
}
