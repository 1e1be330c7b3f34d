package tobac

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"tobac/dataset"
	"tobac/exact"
	"tobac/internal/stream"
	"tobac/models"
	"tobac/posterior"
	"tobac/sem"
	"tobac/setting"
	"tobac/tempering"
)

// Defaults of the engine tempering, in place of those of [Chains] for mcmc.
const (
	temperedChains     = 2
	temperedIterations = 2000
	temperedRungs      = 12
)

// temperedDefaults are those of the engine tempering, which runs no chains over all orders of so few variables that it sums over them, and those of mcmc over more.
func (c Chains) temperedDefaults(overOrders bool, d int) (Chains, error) {
	if overOrders && d > exact.Affordable {
		return c.withDefaults()
	}
	if err := setting.Check(c.Settings()); err != nil {
		return c, err
	}
	switch {
	case overOrders && c != Chains{}:
		return c, fmt.Errorf("the engine tempering sums over all orders of at most %d variables, and runs no chains: leave out%s, or give an order", exact.Affordable, strings.TrimPrefix(c.String(), "mcmc"))
	case overOrders:
		return c, nil
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
	setting.Fill(&c.Chains, temperedChains)
	setting.Fill(&c.Iterations, temperedIterations)
	setting.Fill(&c.Rungs, temperedRungs)
	return c, nil
}

// checkTempering finds settings that the engine tempering does not take.
func (c *Config) checkTempering(d int) error {
	m, ok := c.Model.(sem.Network)
	switch {
	case !ok && c.Model == nil:
		return fmt.Errorf("the engine tempering is for networks, and no model is named; allowed: the model ffn")
	case !ok:
		return fmt.Errorf("the engine tempering is for networks, got the model %v; allowed: the model ffn", c.Model)
	case m.Layers() != 1:
		return fmt.Errorf("the engine tempering takes networks with one hidden layer, got %d; allowed: the engine svgd", m.Layers())
	case m.OutputLayer() != models.SampledOutput:
		return fmt.Errorf("the engine tempering always integrates the output layer out; leave its setting to the engine svgd")
	case c.overOrders() && c.Order.Count > 0:
		return fmt.Errorf("the engine tempering sums over all orders, got a number of orders to draw; allowed: a method that finds orders, or the engine svgd")
	case c.Prior.Own != nil:
		return fmt.Errorf("the engine tempering takes no prior of one's own; allowed: the engine svgd")
	}
	return nil
}

// temperedVariables is the largest number of variables for which tempering is the default: its time grows with the square.
const temperedVariables = 50

// temperedByDefault reports whether the engine tempering is the best for what is asked for: networks with one hidden layer, of not too many
// variables, unless something is set that only SVGD reads.
func (c *Config) temperedByDefault(d int) bool {
	m, ok := c.Model.(sem.Network)
	return ok && c.Engine == Auto && m.Layers() == 1 && m.OutputLayer() == models.SampledOutput && c.Prior.Own == nil && reflect.DeepEqual(c.Sampler, Sampler{}) &&
		d <= temperedVariables && (!c.overOrders() || c.Order.Count == 0)
}

// integratedByDefault reports whether SVGD is to integrate the last layer of networks out: those of several hidden layers, which the engine tempering does not
// take, unless something is set that SVGD reads.
func (c *Config) integratedByDefault() bool {
	m, ok := c.Model.(sem.Network)
	return ok && c.Engine == Auto && m.Layers() > 1 && reflect.DeepEqual(c.Sampler, Sampler{})
}

// overOrders reports whether the order is to be inferred.
func (c *Config) overOrders() bool { return c.Order.Known == nil && c.Order.Method == nil }

// temper computes the posterior of networks by the engine tempering, under every order.
func (r *Run) temper(ctx context.Context) (*inference, error) {
	if r.cfg.overOrders() {
		return r.temperOverOrders(ctx, r.cfg.Model.(sem.Network))
	}
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
		if err := r.cfg.Prior.AgainstOrder(o.order, r.data.Names); err != nil {
			return nil, err
		}
		r.cfg.doing(Tempering, fmt.Sprintf("running chains over networks, order %d of %d", k+1, len(orders)))
		p, c, err := r.temperedUnder(ctx, o, model.(sem.Network), data)
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
	return &inference{post: inDataUnits(p, r.data), reason: "as asked for", density: r.cfg.Prior.EdgesPerNodeFor(len(r.data.Names)), tempered: chains}, nil
}

// temperedUnder is the posterior under one order, with the chains that it was read off.
func (r *Run) temperedUnder(ctx context.Context, o weightedOrder, m sem.Network, data *dataset.Table) (*posterior.Posterior, *tempering.Result, error) {
	d := len(data.Names)
	prior, err := r.cfg.Prior.AlongOrder(d, r.cfg.Prior.EdgesPerNodeFor(d))
	if err != nil {
		return nil, nil, err
	}
	cfg := m.TemperingConfig(stream.Seed(o.seed, stream.PosteriorPart, 0), r.cfg.Workers)
	cfg.Temperatures, cfg.Iterations = r.cfg.Chains.Rungs, r.cfg.Chains.Iterations
	res, err := tempering.Run(ctx, data.X, data.Mask(), o.order, prior, cfg)
	if err != nil {
		return nil, nil, err
	}
	p := &posterior.Posterior{Names: slices.Clone(data.Names), Engine: Tempering.String(), Model: m.String(), Kind: posterior.Draws}
	for _, draw := range res.Draws {
		p.Draws = append(p.Draws, posterior.Draw{Graph: draw.Graph, Parameters: draw.Parameters})
	}
	p.Marginals = posterior.Marginals{Probabilities: res.Probabilities}
	c := posterior.Component{Draws: len(p.Draws), Weight: 1, Count: o.count, Order: slices.Clone(o.order), NoiseVariance: m.Noise(), LogEvidence: o.evidence, Marginals: &p.Marginals}
	p.Components = []posterior.Component{c}
	return p, res, sem.AddDensities(p.Draws, c, m, data)
}
