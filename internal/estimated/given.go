package estimated

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/dataset"
	"tobac/diagnostics"
	"tobac/engine"
	"tobac/internal/drawn"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/internal/orders"
	"tobac/internal/priors"
	"tobac/internal/problems"
	"tobac/internal/stream"
	"tobac/internal/tempering"
	"tobac/posterior"
	"tobac/sem"
)

// name of the engine in the progress and in posteriors.
const name = "tempering"

// DefaultIterations are those of a chain given an order, of which each variable has two.
const (
	DefaultIterations = 2000
	ChainsOfVariable  = 2
)

// Under is the posterior of networks under orders, by chains with so many temperatures and
// iterations for each variable.
func Under(ctx context.Context, p *engine.Problem, orders []orders.Weighted,
	rungs, iterations int) (*inference.Inference, error) {
	model, data, scale, err := problems.SampledModel(p, p.Model, false)
	if err != nil {
		return nil, err
	}
	var parts []*posterior.Posterior
	var weights []float64
	var chains []*tempering.Result
	network, _ := sem.As[sem.Network](model)
	for k, o := range orders {
		if err := priors.AgainstOrder(&p.Prior, o.Order, p.Data.Names); err != nil {
			return nil, err
		}
		p.Doing(name, fmt.Sprintf("running chains over networks, order %d of %d", k+1, len(orders)))
		q, c, err := temperedUnder(ctx, p, o, network, data, rungs, iterations)
		if err != nil {
			return nil, err
		}
		q.Standardization = scale
		parts, weights, chains = append(parts, q), append(weights, o.LogWeight), append(chains, c)
	}
	q := parts[0]
	if len(parts) > 1 {
		q = posterior.Mix(parts, weights)
	}
	inf := &inference.Inference{Outcome: engine.Outcome{Posterior: drawn.InDataUnits(q, p.Data),
		Reason: "as asked for", EdgesPerNode: priors.EdgesPerNodeFor(&p.Prior, p.Vars())}}
	inf.Checks = temperedChecks(chains, p.Data.Names)
	return inf, nil
}

// temperedUnder is the posterior under one order, with the chains that it was read off.
func temperedUnder(
	ctx context.Context, problem *engine.Problem, o orders.Weighted, m sem.Network,
	data *dataset.Table, rungs, iterations int,
) (*posterior.Posterior, *tempering.Result, error) {
	d := len(data.Names)
	prior, err := priors.AlongOrder(&problem.Prior, d,
		priors.EdgesPerNodeFor(&problem.Prior, d))
	if err != nil {
		return nil, nil, err
	}
	cfg := ChainSettings(m, stream.Seed(o.Seed, stream.PosteriorPart, 0), problem.Workers)
	cfg.Temperatures, cfg.Iterations = rungs, iterations
	res, err := tempering.Run(ctx, data.X, data.Mask(), o.Order, prior, cfg)
	if err != nil {
		return nil, nil, err
	}
	p := &posterior.Posterior{Names: slices.Clone(data.Names), Engine: name, Model: m.String(),
		Kind: posterior.Draws}
	for _, draw := range res.Draws {
		p.Draws = append(p.Draws, posterior.Draw{Graph: draw.Graph, Parameters: draw.Parameters})
	}
	p.Marginals = posterior.Marginals{Probabilities: res.Probabilities}
	c := posterior.Component{Draws: len(p.Draws), Weight: 1, Count: o.Count,
		Order: slices.Clone(o.Order), NoiseVariance: m.Noise(), LogEvidence: o.Evidence,
		Marginals: &p.Marginals}
	p.Components = []posterior.Component{c}
	return p, res, drawn.AddDensities(p.Draws, c, m, data)
}

// temperedChecks are about the two chains of every variable, over all orders.
func temperedChecks(tempered []*tempering.Result, names []string) []diagnostics.Check {
	// the difference between the probabilities of two chains from which on R̂ of an edge is looked
	// at
	const apart = 0.05
	worst, least, edges, largest, edge := 1.0, 1.0, 0, 0.0, [2]int{}
	for _, t := range tempered {
		d, _ := t.RHat.Dims()
		for i := range d {
			for j := range d {
				v, rHat := t.Difference.At(i, j), t.RHat.At(i, j)
				if v <= apart {
					continue
				}
				worst = math.Max(worst, rHat)
				if rHat > graphchains.LimitRHat[0] {
					edges++
				}
				if rHat > graphchains.LimitRHat[0] && v > largest {
					largest, edge = v, [2]int{i, j}
				}
			}
		}
		for _, v := range t.Rejections {
			least = math.Min(least, 1-v)
		}
	}
	return []diagnostics.Check{
		diagnostics.Above("r_hat", worst, graphchains.LimitRHat[0], graphchains.LimitRHat[1],
			fmt.Sprintf("the two chains do not agree everywhere (number of edges with R̂ above "+
				"%v: %d), most on %q → %q, where their probabilities differ by %.2f: more "+
				"iterations or rungs are needed",
				graphchains.LimitRHat[0], edges, names[edge[0]], names[edge[1]], largest)),
		diagnostics.Below("exchange", least, graphchains.LimitExchange[0],
			graphchains.LimitExchange[1],
			fmt.Sprintf("only %.1f %% of the exchanges between two temperatures succeed: more "+
				"rungs are needed", 100*least)),
	}
}

// Thresholds of the checks: doubtful, then bad. bench/notes/diagnostics.md has the runs that they
// were measured on.
var (
	limitHalves = [2]float64{0.15, 0.5}
	limitHeld   = [2]float64{0.9, 0.5}
)
