package gflownet

import (
	"context"

	"tobac/score"
)

// NewFlows computes the flows of all graphs that the prior allows; a nil prior is uniform.
func NewFlows(ctx context.Context, s score.Scorer, prior *score.Prior, workers int) (*Flows,
	error) {
	r, err := newReward(s, prior)
	if err != nil {
		return nil, err
	}
	return newFlows(ctx, r, workers)
}
