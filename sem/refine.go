package sem

import (
	"context"
	"slices"

	"tobac/dag"
	"tobac/internal/exact"
	"tobac/internal/nodescore"
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

// A listable score can give no probability to sets of parents that were not refined.
type listable interface{ List() }

const (
	likelySet       = 1e-3 // probability of a set of parents from which on it is refined,
	neighbouring    = 0.1  // and from which on those are that have one parent more or less
	mostRefinements = 10
	fewSets         = 0.02 // new sets for each likely one, below which more than twelve variables have settled
)

// leftOpen reports whether a model leaves its equations open ([Hypothesis]): many variables, and no
// given number of parents up to which all are fitted.
func leftOpen(maxParents, d int) bool { return maxParents == 0 && d > MixedVariables }

// refine is Refine, unless the number of parents is given or the equations are left open.
func refine(ctx context.Context, s Refinable, maxParents int, prior *score.Prior, workers int) error {
	if maxParents > 0 || leftOpen(maxParents, s.Vars()) {
		return nil
	}
	return Refine(ctx, s, prior, workers)
}

// Refine refines the sets of parents that carry the posterior: it sums over all orders under the
// estimates, refines the sets that are likely then and the neighbours of the likeliest, and begins
// again until all of these are refined. That may have no end, where each round brings estimates
// likelier than what it refined: then a [listable] score keeps refined sets only. More than twenty
// variables are left as they are.
func Refine(ctx context.Context, s Refinable, prior *score.Prior, workers int) error {
	d := s.Vars()
	if prior == nil {
		prior = score.Fair(d)
	}
	if d > exact.Affordable {
		return nil
	}
	for range mostRefinements {
		sets, probabilities, err := likelySets(ctx, s, prior, workers)
		if err != nil {
			return err
		}
		likely := 0
		for _, of := range sets {
			likely += len(of)
		}
		fitted, err := RefineSets(ctx, s, sets, probabilities, workers)
		if err != nil || fitted == 0 || d > MixedVariables && float64(fitted) <= fewSets*float64(likely) {
			return err
		}
	}
	if l, ok := s.(listable); ok {
		l.List()
	}
	return nil
}

// RefineSets refines sets of parents of each variable, which have so much probability, and the
// neighbours of the likeliest, and returns how many were not refined before.
func RefineSets(ctx context.Context, s Refinable, sets [][][]int, probabilities [][]float64, workers int) (int, error) {
	d := s.Vars()
	found := make([][]parents, d)
	err := parallel.For(ctx, d, workers, func(j int) error {
		others, listed := dag.AllBut(d, j), nodescore.DistinctSets{}
		add := func(set []int) {
			if listed.Add(set) && !s.Known(j, set) {
				found[j] = append(found[j], parents{j, set})
			}
		}
		for k, set := range sets[j] {
			add(set)
			for i := 0; probabilities[j][k] >= neighbouring && i < len(others); i++ {
				add(nodescore.Toggled(set, others[i]))
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return 0, err
	}
	missing := slices.Concat(found...)
	return len(missing), parallel.For(ctx, len(missing), workers, func(k int) error {
		s.Refine(missing[k].of, missing[k].set)
		return ctx.Err()
	})
}

// likelySets are the sets of parents of each variable that carry the posterior, with their
// probabilities.
func likelySets(ctx context.Context, s Refinable, prior *score.Prior, workers int) (sets [][][]int, probabilities [][]float64, err error) {
	p, err := exact.New(ctx, s, prior, exact.Options{Workers: workers})
	if err != nil {
		return nil, nil, err
	}
	sums, err := p.Orders(ctx)
	if err != nil {
		return nil, nil, err
	}
	d := s.Vars()
	sets, probabilities = make([][][]int, d), make([][]float64, d)
	return sets, probabilities, parallel.For(ctx, d, workers, func(j int) error {
		sets[j], probabilities[j] = sums.ProbableSets(j, likelySet)
		return ctx.Err()
	})
}

// parents are a set of parents of a variable.
type parents struct {
	of  int
	set []int
}
