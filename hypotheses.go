package tobac

import (
	"context"

	"tobac/dag"
	"tobac/exact"
	"tobac/score"
	"tobac/sem"
)

// estimated is the hypothesis that suits the best graph, of several: first that under
// the middle one, then that under the estimate.
func estimated(ctx context.Context, all []sem.Hypothesis, prior *score.Prior, cfg *Config) ([]sem.Hypothesis, error) {
	chosen := len(all) / 2
	for round := 0; round < 2 && len(all) > 1; round++ {
		g, err := bestGraph(ctx, all[chosen].Scores, prior, cfg)
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
func bestGraph(ctx context.Context, s score.Scorer, prior *score.Prior, cfg *Config) (*dag.Graph, error) {
	if cfg.Order.Known != nil {
		p, err := exact.GivenOrder(ctx, s, prior, cfg.Order.Known, exact.Options{Workers: cfg.Workers})
		if err != nil {
			return nil, err
		}
		g, _ := p.Best()
		return g, nil
	}
	return exact.MostProbable(ctx, s, prior, cfg.Workers)
}
