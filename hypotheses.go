package tobac

import (
	"context"
	"math"

	"tobac/dag"
	"tobac/dataset"
	"tobac/exact"
	"tobac/score"
)

// A settledModel has one hypothesis: that which short chains have found, or estimated evidences in place of node scores.
type settledModel struct {
	Model
	hypothesis Hypothesis
}

var _ Scored = settledModel{}

// Hypotheses implements [Scored].
func (m settledModel) Hypotheses(context.Context, *dataset.Table, *score.Prior, int) ([]Hypothesis, error) {
	return []Hypothesis{m.hypothesis}, nil
}

// estimated is the hypothesis that suits the best graph, of several: first that under
// the middle one, then that under the estimate.
func estimated(ctx context.Context, all []Hypothesis, prior *score.Prior, cfg *Config) ([]Hypothesis, error) {
	chosen := len(all) / 2
	for round := 0; round < 2 && len(all) > 1; round++ {
		g, err := bestGraph(ctx, all[chosen].Scores, prior, cfg)
		if err != nil {
			return nil, err
		}
		better := suiting(all, g)
		if better == chosen {
			break
		}
		chosen = better
	}
	return all[chosen : chosen+1], nil
}

// suiting is the hypothesis under which graphs have the greatest density, on average.
func suiting(all []Hypothesis, graphs ...*dag.Graph) int {
	best, highest := 0, math.Inf(-1)
	for k, h := range all {
		v := h.LogWeight
		for _, g := range graphs {
			v += score.OfGraph(h.Scores, g) / float64(len(graphs))
		}
		if v > highest {
			best, highest = k, v
		}
	}
	return best
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
