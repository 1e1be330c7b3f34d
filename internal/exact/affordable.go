package exact

import (
	"context"

	"tobac/dag"
	"tobac/score"
)

// Affordable is the largest number of variables for which sums over all orders are affordable.
const Affordable = 20

// MostProbable is the graph with the largest score.
func MostProbable(ctx context.Context, s score.Scorer, prior *score.Prior, workers int) (*dag.Graph,
	error) {
	p, err := New(ctx, s, prior, Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	g, _, err := p.Best(ctx)
	return g, err
}
