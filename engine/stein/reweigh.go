package stein

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/engine"
	"tobac/internal/inference"
	"tobac/internal/nodescore"
	"tobac/internal/priors"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Graphs of a posterior with reweighted marginals, by node scores and of networks, whose parameters
// take longer; and with conditional ones, from each particle.
const (
	reweightedDraws   = 1000
	reweightedNetwork = 200
	sweeps            = 10
)

// A parentPool holds sets of parents of a variable, as positions, ascending, with their posterior
// probabilities.
type parentPool struct {
	sets  [][]int
	probs []float64
}

// newParentPool has the probabilities of sets with the log densities q, in whose place they are
// written.
func newParentPool(sets [][]int, q []float64) parentPool {
	total := floats.LogSumExp(q)
	for k := range q {
		q[k] = math.Exp(q[k] - total)
	}
	return parentPool{sets, q}
}

// drawn reads the posterior off the particles of a model without parameters, or reweighted: in
// order coordinates first.
func (f *particleFit) drawn(ctx context.Context) (*posterior.Posterior, error) {
	d, order := len(f.names), f.order.Order
	if len(order) == 0 {
		return nil, errors.New("marginals given an order, of particles without one")
	}
	prior, err := priors.AlongOrder(&f.prior, d, f.density)
	if err != nil {
		return nil, err
	}
	scores, err := f.closedForm(ctx)
	if err != nil {
		return nil, err
	}
	particles := f.graphs()
	own, err := f.conditionals(ctx, particles, order) // in the columns of the data
	if err != nil {
		return nil, err
	}
	graphs := particles
	var pools []parentPool
	kind := posterior.Draws
	f.seenSets.edge = 0
	switch f.sampler.Marginals {
	case ReweightedMarginals:
		if pools, err = f.pools(ctx, particles, scores, prior); err != nil {
			return nil, err
		}
		n := reweightedNetwork
		if scores != nil {
			n = reweightedDraws
		}
		graphs = f.poolDraws(pools, n)
	case ConditionalMarginals:
		graphs = f.swept(particles, scores, prior)
	default:
		kind = posterior.Particles
	}
	p := f.unread(kind, graphs)
	if f.sets != nil {
		err = f.sets.equip(f, p)
	} else {
		err = f.equip(ctx, p, scores)
	}
	if err != nil {
		return nil, err
	}
	var marginals posterior.Marginals
	switch f.sampler.Marginals {
	case ReweightedMarginals:
		marginals.Probabilities = poolProbabilities(pools)
	case FrequencyMarginals:
		marginals = p.Frequencies()
	default:
		marginals.Probabilities = relabelled(own.Probabilities, dag.Inverse(order))
	}
	if p.WeightMean != nil && marginals.WeightMean == nil {
		marginals.WeightMean, marginals.WeightSD = p.WeightMean, p.WeightSD
	}
	p.Marginals = marginals
	f.intoColumns(p)
	priors.Settle(&f.prior, p.Probabilities)
	p.Components[0].Marginals = &p.Marginals
	// whatever was read off them
	moved := &posterior.Posterior{Names: f.names, Kind: posterior.Particles}
	for _, g := range particles {
		moved.Draws = append(moved.Draws, posterior.Draw{Graph: g.Relabel(dag.Inverse(order))})
	}
	return p, f.examine(ctx, moved, own)
}

// swept are the graphs after each of some sweeps of Gibbs sampling from each particle, in which
// every edge in turn is drawn given all others. The posterior is left as it is by a sweep, and
// particles that share a few per cent of an edge among them, of which each has it or not, are no
// longer all on the more probable side.
func (f *particleFit) swept(graphs []*dag.Graph, scores score.Scorer,
	prior *score.Prior) []*dag.Graph {
	order := f.order.Order
	out := make([]*dag.Graph, 0, len(graphs)*sweeps)
	for m, particle := range graphs {
		rng, g := stream.New(f.order.Seed, stream.ReweightedDraw, m), particle.Clone()
		density := func(j int) float64 {
			parents := g.Parents(j)
			v := prior.LogPrior(order[j], inference.InOrder(parents, order))
			if math.IsInf(v, -1) {
				return v
			}
			return v + scores.LogScore(j, parents)
		}
		for range sweeps {
			for j := range g.Len() {
				now := density(j)
				for i := range j {
					has := g.Has(i, j)
					g.Set(i, j, !has)
					if other := density(j); rng.Float64() < 1/(1+math.Exp(now-other)) {
						now = other
					} else {
						g.Set(i, j, has)
					}
				}
			}
			out = append(out, g.Clone())
		}
	}
	return out
}

// closedForm are the node scores of the model in order coordinates; nil means it has none.
func (f *particleFit) closedForm(ctx context.Context) (score.Scorer, error) {
	if m, ok := f.model.(integratedModel); ok {
		return m.scores, nil
	}
	if m, ok := sem.As[sem.Scored](f.model); ok {
		return alongScores(ctx, m, f.data, f.workers)
	}
	return nil, nil
}

// equip adds equations to the draws, with their log densities.
func (f *particleFit) equip(ctx context.Context, p *posterior.Posterior,
	scores score.Scorer) error {
	for k := range p.Draws {
		p.Draws[k].LogLikelihood = nodescore.OfGraph(scores, p.Draws[k].Graph)
	}
	return inference.AddEquations(ctx, f.data, p, slices.Repeat([]score.Scorer{scores},
		len(p.Draws)), &engine.Problem{Seed: f.order.Seed, Workers: f.workers})
}

// pools are the sets of parents of every variable that a graph has and their neighbours, with their
// posterior probabilities.
func (f *particleFit) pools(ctx context.Context, graphs []*dag.Graph, scores score.Scorer,
	prior *score.Prior) ([]parentPool, error) {
	d, order := len(f.names), f.order.Order
	all := make([]parentPool, d)
	for j := range all {
		logPrior := func(set []int) float64 {
			return prior.LogPrior(order[j], inference.InOrder(set, order))
		}
		sets := neighbours(j, graphs, logPrior)
		if len(sets) == 0 {
			return nil, fmt.Errorf("no particle has parents of variable %d that the prior allows",
				order[j])
		}
		if f.sets == nil {
			all[j] = newParentPool(grown(j, sets, func(set []int) float64 {
				return logPrior(set) + scores.LogScore(j, set)
			}))
		} else {
			var err error
			if all[j], err = f.estimatedPool(ctx, j, sets, logPrior); err != nil {
				return nil, err
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// grown adds to sets of parents of variable j those one edge away from any that has a thousandth of
// the probability of all, until there are none left, in four rounds at most: what the particles and
// their neighbours leave out are mostly sets with two improbable parents more. q are the log
// densities of all.
func grown(j int, sets [][]int, density func([]int) float64) (all [][]int, q []float64) {
	const least, rounds = 1e-3, 4
	known, next := nodescore.DistinctSets{}, sets
	for round := 0; len(next) > 0; round++ {
		from := len(all)
		for _, set := range next {
			if v := density(set); !math.IsInf(v, -1) {
				all, q = append(all, set), append(q, v)
			}
			known.Add(set)
		}
		if next = nil; round == rounds {
			break
		}
		total := floats.LogSumExp(q)
		for k := from; k < len(all); k++ {
			if q[k]-total < math.Log(least) {
				continue
			}
			for i := range j {
				if set := nodescore.Toggled(all[k], i); known.Add(set) {
					next = append(next, set)
				}
			}
		}
	}
	return all, q
}

// neighbours lists the sets of parents of variable j that graphs have, in the sequence of the
// graphs, each followed by those one edge away: without those that the prior rules out.
func neighbours(j int, graphs []*dag.Graph, logPrior func([]int) float64) (sets [][]int) {
	known := nodescore.DistinctSets{}
	add := func(set []int) {
		if known.Add(set) && !math.IsInf(logPrior(set), -1) {
			sets = append(sets, set)
		}
	}
	for _, g := range graphs {
		parents := g.Parents(j)
		add(parents)
		for i := range j {
			add(nodescore.Toggled(parents, i))
		}
	}
	return sets
}

// poolProbabilities are those of the edges, by position.
func poolProbabilities(pools []parentPool) *mat.Dense {
	p := mat.NewDense(len(pools), len(pools), nil)
	for j, pool := range pools {
		for k, set := range pool.sets {
			for _, i := range set {
				p.Set(i, j, math.Min(1, p.At(i, j)+pool.probs[k]))
			}
		}
	}
	return p
}

// poolDraws are n graphs whose parents are drawn from the pools, variable by variable.
func (f *particleFit) poolDraws(pools []parentPool, n int) []*dag.Graph {
	graphs := make([]*dag.Graph, n)
	for m := range graphs {
		rng := stream.New(f.order.Seed, stream.ReweightedDraw, m)
		graphs[m] = dag.New(len(pools))
		for j, pool := range pools {
			for _, i := range pool.sets[stream.Choose(rng, pool.probs)] {
				graphs[m].Set(i, j, true)
			}
		}
	}
	return graphs
}
