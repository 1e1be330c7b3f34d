package mcmc_test

import (
	"context"
	"testing"
	"time"

	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/score"
)

// A score that has few sets of parents, such that a set with a parent less is none of them: the
// search for a graph to begin with passes through such sets, and ends.
func TestSetsWithoutSubsets(t *testing.T) {
	const d = 7
	s, prior := nodescore.NewPool(d), score.Uniform(d)
	for j := range d {
		s.Put(j, nil, 0)
		var set []int
		for i := range j {
			set = append(set, i)
			s.Put(j, append([]int(nil), set...), 3*float64(len(set)))
		}
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	sampler := must.Get(mcmc.New(ctx, s, prior,
		mcmc.Options{Chains: 2, WarmUp: 20, Draws: 20, Seed: 1}))(t)
	must.Do(t, sampler.Advance(ctx, 60))
	r := must.Get(sampler.Result())(t)
	for k, draw := range r.Draws {
		for j := range d {
			if !s.Has(j, draw.Graph.Parents(j)) {
				t.Errorf("draw %d: the parents %v of %d have no score", k, draw.Graph.Parents(j), j)
			}
		}
	}
}
