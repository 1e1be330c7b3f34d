package tobac

import (
	"context"
	"maps"
	"slices"

	"tobac/exact"
	"tobac/internal/parallel"
	"tobac/score"
)

// A refinable score takes long for each set of parents, and has estimates of those that it was
// not asked to refine.
type refinable interface {
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
func refine(ctx context.Context, s refinable, prior *score.Prior, workers int) error {
	d := s.Vars()
	if prior == nil {
		prior = score.Fair(d)
	}
	if d > exactVariables {
		return nil
	}
	for range mostRefinements {
		missing, err := likelySets(ctx, s, prior, workers)
		if err != nil || len(missing) == 0 {
			return err
		}
		err = parallel.For(ctx, len(missing), workers, func(k int) error {
			s.Refine(missing[k].child, missing[k].parents)
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// A family is a variable with a set of parents.
type family struct {
	child   int
	parents []int
}

// likelySets are the sets of parents that are to be refined.
func likelySets(ctx context.Context, s refinable, prior *score.Prior, workers int) ([]family, error) {
	d := s.Vars()
	all, err := exact.New(ctx, s, prior, exact.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	orders, err := all.Orders(ctx)
	if err != nil {
		return nil, err
	}
	found := make([][]family, d)
	err = parallel.For(ctx, d, workers, func(j int) error {
		near := map[int]bool{}
		for set, prob := range orders.ParentSets(j) {
			if prob >= likelySet {
				near[set] = true
			}
			for k := 0; prob >= neighbouring && k < d-1; k++ {
				near[set^1<<k] = true
			}
		}
		for _, set := range slices.Sorted(maps.Keys(near)) {
			if parents := othersIn(set, j, d); !s.Known(j, parents) {
				found[j] = append(found[j], family{j, parents})
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	var missing []family
	for _, f := range found {
		missing = append(missing, f...)
	}
	return missing, nil
}

// othersIn are the variables of a set as [exact.Orders.ParentSets] counts them.
func othersIn(set, j, d int) (all []int) {
	for i := range d {
		if i == j {
			continue
		}
		if set&1 == 1 {
			all = append(all, i)
		}
		set >>= 1
	}
	return all
}
