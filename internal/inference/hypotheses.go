package inference

import (
	"context"

	"tobac/dag"
	"tobac/engine"
	"tobac/internal/exact"
	"tobac/internal/refinement"
	"tobac/internal/search"
	"tobac/internal/stream"
	"tobac/score"
	"tobac/sem"
)

// chosen is the hypothesis that suits a probable graph, of several, with that graph: first that
// under the middle one, then that under the estimate.
func chosen(
	ctx context.Context, all []sem.Hypothesis, prior *score.Prior, problem *engine.Problem,
) ([]sem.Hypothesis, *dag.Graph, error) {
	at := len(all) / 2
	g, err := probableGraph(ctx, all[at].Scores, prior, problem)
	for round := 0; err == nil && round < 2; round++ {
		better := Suiting(all, g)
		if better == at {
			break
		}
		at = better
		g, err = probableGraph(ctx, all[at].Scores, prior, problem)
	}
	return all[at : at+1], g, err
}

// tries is how often a search for a probable graph takes edges away and climbs anew, for each
// variable.
const tries = 10

// probableGraph is a probable graph; along a known order it is the most probable one.
func probableGraph(
	ctx context.Context, s score.Scorer, prior *score.Prior, problem *engine.Problem,
) (*dag.Graph, error) {
	if problem.Order.Known != nil {
		opt := exact.Options{Workers: problem.Workers}
		p, err := exact.GivenOrder(ctx, s, prior, problem.Order.Known, opt)
		if err != nil {
			return nil, err
		}
		g, _ := p.Best()
		return g, nil
	}
	screen, err := search.NewScreen(ctx, s, prior, problem.Workers)
	if err != nil {
		return nil, err
	}
	at := search.New(screen, stream.New(problem.Seed, stream.GraphSearch))
	err = at.Run(ctx, tries*s.Vars())
	return at.Graph(), err
}

// refined fits the equations that carry the posterior under each hypothesis that leaves them open,
// once.
func refined(
	ctx context.Context, all []sem.Hypothesis, prior *score.Prior, problem *engine.Problem,
) error {
	for k, h := range all {
		if !h.Open || problem.Order.Known != nil {
			continue
		}
		if _, err := refinement.Refine(ctx, h.Scores.(refinement.Refinable), prior,
			problem.Workers); err != nil {
			return err
		}
		all[k].Open = false
	}
	return nil
}
