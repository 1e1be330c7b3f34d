package sums

import (
	"context"

	"tobac/dag"
	"tobac/engine"
	"tobac/exact"
	"tobac/score"
	"tobac/sem"
)

// estimated is the hypothesis that suits the best graph, of several: first that under
// the middle one, then that under the estimate.
func estimated(ctx context.Context, all []sem.Hypothesis, prior *score.Prior, problem *engine.Problem) ([]sem.Hypothesis, error) {
	chosen := len(all) / 2
	for round := 0; round < 2 && len(all) > 1; round++ {
		g, err := bestGraph(ctx, all[chosen].Scores, prior, problem)
		if err != nil {
			return nil, err
		}
		better := sem.Suiting(all, g)
		if better == chosen {
			break
		}
		chosen = better
	}
	return all[chosen : chosen+1], nil
}

// bestGraph is the most probable graph, along the known order if there is one.
func bestGraph(ctx context.Context, s score.Scorer, prior *score.Prior, problem *engine.Problem) (*dag.Graph, error) {
	if problem.Order.Known != nil {
		p, err := exact.GivenOrder(ctx, s, prior, problem.Order.Known, exact.Options{Workers: problem.Workers})
		if err != nil {
			return nil, err
		}
		g, _ := p.Best()
		return g, nil
	}
	return exact.MostProbable(ctx, s, prior, problem.Workers)
}
