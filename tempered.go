package tobac

import (
	"context"
	"fmt"
	"slices"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/stream"
	"tobac/models"
	"tobac/posterior"
	"tobac/tempering"

	"gonum.org/v1/gonum/mat"
)

// Defaults of the engine tempering, in place of those of [Chains] for mcmc.
const (
	temperedChains     = 2
	temperedIterations = 2000
	temperedRungs      = 12
)

// temperedDefaults are those of the engine tempering.
func (c Chains) temperedDefaults() (Chains, error) {
	if err := checkTexts(c.Settings()); err != nil {
		return c, err
	}
	switch {
	case c.Chains != 0 && c.Chains != temperedChains:
		return c, fmt.Errorf("the engine tempering runs %d chains of each variable, got chains %d", temperedChains, c.Chains)
	case c.WarmUp != 0:
		return c, fmt.Errorf("the engine tempering warms up for half of its iterations, got a warm-up of %d", c.WarmUp)
	case c.Candidates != 0:
		return c, fmt.Errorf("the engine tempering takes all earlier variables as candidates, got a bound of %d", c.Candidates)
	case c.Iterations != 0 && c.Iterations < 40:
		return c, fmt.Errorf("the engine tempering needs at least 40 iterations, got %d", c.Iterations)
	case c.Rungs == 1:
		return c, fmt.Errorf("the engine tempering needs at least 2 rungs, got 1")
	}
	fill(&c.Chains, temperedChains)
	fill(&c.Iterations, temperedIterations)
	fill(&c.Rungs, temperedRungs)
	return c, nil
}

// checkTempering finds settings that the engine tempering does not take.
func (c *Config) checkTempering() error {
	m, ok := c.Model.(FeedForward)
	switch {
	case !ok && c.Model == nil:
		return fmt.Errorf("the engine tempering is for networks, and no model is named; allowed: the model ffn")
	case !ok:
		return fmt.Errorf("the engine tempering is for networks, got the model %v; allowed: the model ffn", c.Model)
	case len(m.hidden()) != 1:
		return fmt.Errorf("the engine tempering takes networks with one hidden layer, got %d; allowed: the engine svgd", len(m.hidden()))
	case m.Output != models.SampledOutput:
		return fmt.Errorf("the engine tempering always integrates the output layer out; leave its setting to the engine svgd")
	case c.Order.Known == nil && c.Order.Method == nil:
		return fmt.Errorf("the engine tempering needs a causal order: a known one, or a method that finds it")
	case c.Prior.Own != nil:
		return fmt.Errorf("the engine tempering takes no prior of one's own; allowed: the engine svgd")
	}
	return nil
}

// temper computes the posterior of networks by the engine tempering, under every order.
func (r *Run) temper(ctx context.Context) (*inference, error) {
	orders, err := r.sampledOrders(ctx)
	if err != nil {
		return nil, err
	}
	model, data, scale, err := r.sampledModel()
	if err != nil {
		return nil, err
	}
	var parts []*posterior.Posterior
	var weights []float64
	var chains []*tempering.Result
	for k, o := range orders {
		if err := r.cfg.Prior.againstOrder(o.order, r.data.Names); err != nil {
			return nil, err
		}
		r.cfg.doing(Tempering, fmt.Sprintf("chains of networks, order %d of %d", k+1, len(orders)))
		p, c, err := r.temperedUnder(ctx, o, model.(FeedForward), data)
		if err != nil {
			return nil, err
		}
		p.Standardization = scale
		parts, weights, chains = append(parts, p), append(weights, o.logWeight), append(chains, c)
	}
	p := parts[0]
	if len(parts) > 1 {
		p = posterior.Mix(parts, weights)
	}
	return &inference{post: inDataUnits(p, r.data), reason: "as asked for", density: r.cfg.Prior.edgesPerNode(len(r.data.Names)), tempered: chains}, nil
}

// temperedUnder is the posterior under one order, with the chains that it was read off.
func (r *Run) temperedUnder(ctx context.Context, o weightedOrder, m FeedForward, data *dataset.Table) (*posterior.Posterior, *tempering.Result, error) {
	d := len(data.Names)
	prior, err := r.cfg.Prior.alongOrder(d, r.cfg.Prior.edgesPerNode(d))
	if err != nil {
		return nil, nil, err
	}
	c := &r.cfg.Chains
	var marks mat.Matrix
	if data.Intervened != nil {
		marks = data.Mask()
	}
	res, err := tempering.Run(ctx, data.X, marks, o.order, prior, tempering.Config{
		Hidden: m.hidden()[0], Activation: m.Activation, NoBias: m.NoBias, NoiseVariance: m.NoiseVariance,
		Temperatures: c.Rungs, Iterations: c.Iterations, Seed: stream.Seed(o.seed, stream.PosteriorPart, 0), Workers: r.cfg.Workers,
	})
	if err != nil {
		return nil, nil, err
	}
	p := &posterior.Posterior{Names: slices.Clone(data.Names), Engine: Tempering.String(), Model: m.String(), Kind: posterior.Draws}
	lik, err := m.Predictive(data.Relabel(o.order))
	if err != nil {
		return nil, nil, err
	}
	theta := mat.NewDense(len(res.Draws), lik.ParamLen(), nil)
	var graphs []*dag.Graph
	for k, draw := range res.Draws {
		theta.SetRow(k, draw.Parameters)
		graphs = append(graphs, draw.Graph.Relabel(o.order))
	}
	logPrior, logLikelihood, err := models.LogJoint(lik, graphs, theta)
	if err != nil {
		return nil, nil, err
	}
	for k, draw := range res.Draws {
		p.Draws = append(p.Draws, posterior.Draw{Graph: draw.Graph, Parameters: draw.Parameters, LogPrior: logPrior[k], LogLikelihood: logLikelihood[k]})
	}
	p.Marginals = posterior.Marginals{Probabilities: res.Probabilities}
	p.Components = []posterior.Component{{Draws: len(p.Draws), Weight: 1, Count: o.count, Order: slices.Clone(o.order), NoiseVariance: m.NoiseVariance, LogEvidence: o.evidence, Marginals: &p.Marginals}}
	return p, res, nil
}

// apart is the difference between the probabilities of two chains from which on R̂ of an edge is looked at.
const apart = 0.05
