package sem

import (
	"context"
	"slices"

	"tobac/dag"
	"tobac/exact"
	"tobac/internal/parallel"
	"tobac/score"
)

// A Refinable score takes long for each set of parents, and has estimates of those that it was
// not asked to refine.
type Refinable interface {
	score.Scorer
	Known(j int, parents []int) bool
	Refine(j int, parents []int)
}

const (
	likelySet       = 1e-3 // probability of a set of parents from which on it is refined,
	neighbouring    = 0.1  // and from which on those are that have one parent more or less
	mostRefinements = 10
)

// refine refines the sets of parents that carry the posterior: it sums over all orders under the
// estimates, refines the sets that are likely then and the neighbours of the likeliest, and begins
// again until all of these are refined. More than twenty variables are left as they are.
func refine(ctx context.Context, s Refinable, prior *score.Prior, workers int) error {
	d := s.Vars()
	if prior == nil {
		prior = score.Fair(d)
	}
	if d > exact.Affordable {
		return nil
	}
	for range mostRefinements {
		missing, err := likelySets(ctx, s, prior, workers)
		if err != nil || len(missing) == 0 {
			return err
		}
		err = parallel.For(ctx, len(missing), workers, func(k int) error {
			s.Refine(missing[k].of, missing[k].set)
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// likelySets are the sets of parents that are to be refined.
func likelySets(ctx context.Context, s Refinable, prior *score.Prior, workers int) ([]parents, error) {
	p, err := exact.New(ctx, s, prior, exact.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	sums, err := p.Orders(ctx)
	if err != nil {
		return nil, err
	}
	found := make([][]parents, s.Vars())
	err = parallel.For(ctx, len(found), workers, func(j int) error {
		others, listed := dag.AllBut(len(found), j), score.DistinctSets{}
		add := func(set []int) {
			if listed.Add(set) && !s.Known(j, set) {
				found[j] = append(found[j], parents{j, set})
			}
		}
		sets, probabilities := sums.ProbableSets(j, likelySet)
		for k, set := range sets {
			add(set)
			for i := 0; probabilities[k] >= neighbouring && i < len(others); i++ {
				add(score.Toggled(set, others[i]))
			}
		}
		return ctx.Err()
	})
	return slices.Concat(found...), err
}

// parents are a set of parents of a variable.
type parents struct {
	of  int
	set []int
}
