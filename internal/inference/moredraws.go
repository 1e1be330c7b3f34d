package inference

import (
	"context"
	"math"

	"tobac/engine"
	"tobac/internal/anneal"
	"tobac/internal/exact"
	"tobac/internal/mcmc"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/floats"
)

const (
	// mostFactor is how many times the draws of a part may be made that it is to have.
	mostFactor = 16
	// Iterations of the chains that take the place of draws of which few count, and the least
	// number of draws that they are run for.
	drawWarmUp, drawIterations, chainedDraws = 300, 1000, Draws / 4
)

// weightedDraws are n draws of a part, or fewer where they would not be worth more. The weights
// that correct for the number of orders of a graph can leave few draws with nearly all weight. If
// they are worth less than half of n, up to mostFactor times n are made; if these are still worth
// less, Markov chains over graphs under the same scores and prior give the draws; and as many as
// they are worth are drawn again, with equal weights. Weights sum to n: the parts are drawn in
// proportion to their evidences, and must keep them whatever the sizes of their graphs.
func (p *Part) weightedDraws(ctx context.Context, n int, seed uint64,
	problem *engine.Problem) ([]exact.Draw, error) {
	draws, err := p.draws(ctx, n, seed)
	if err != nil || n == 0 {
		return draws, err
	}
	logs := logWeights(draws)
	if worth := anneal.EffectiveSize(logs); worth < float64(n)/2 {
		if draws, err = p.draws(ctx, min(mostFactor*n, int(1.2*float64(n)*float64(n)/worth)),
			seed); err != nil {
			return nil, err
		}
		again, logs := stream.Seed(seed, stream.PosteriorPart, 0), logWeights(draws)
		if worth = anneal.EffectiveSize(logs); worth < float64(n)/2 && n >= chainedDraws {
			if draws, err = p.chainDraws(ctx, n, again, problem); err != nil {
				return nil, err
			}
		} else {
			all, u := draws, stream.New(again, stream.ExactResample).Float64()
			draws = nil
			for _, k := range anneal.Resample(logs, max(1, min(n, int(worth))), u) {
				draws = append(draws, exact.Draw{Order: all[k].Order, Graph: all[k].Graph})
			}
		}
	}
	logs = logWeights(draws)
	// not for rounding
	if mean := floats.LogSumExp(logs) - math.Log(float64(n)); math.Abs(mean) > 1e-12 {
		for k := range draws {
			draws[k].LogWeight -= mean
		}
	}
	return draws, nil
}

func logWeights(draws []exact.Draw) []float64 {
	logs := make([]float64, len(draws))
	for k, d := range draws {
		logs[k] = d.LogWeight
	}
	return logs
}

// chainDraws are n draws of graphs by Markov chains, without orders.
func (p *Part) chainDraws(ctx context.Context, n int, seed uint64,
	problem *engine.Problem) ([]exact.Draw, error) {
	s, err := mcmc.New(ctx, p.scores(), p.Prior,
		mcmc.Options{Chains: 4, WarmUp: drawWarmUp, Draws: n, Seed: seed, Workers: problem.Workers})
	if err != nil {
		return nil, err
	}
	if err := s.Advance(ctx, drawWarmUp+drawIterations); err != nil {
		return nil, err
	}
	r, err := s.Result()
	if err != nil {
		return nil, err
	}
	draws := make([]exact.Draw, len(r.Draws))
	for k, d := range r.Draws {
		draws[k].Graph = d.Graph
	}
	return draws, nil
}
