package refinement

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

// A neighbourly score refines the sets with one parent more or less than one that is refined in
// less time than alone.
type neighbourly interface {
	RefineNeighbours(j int, parents []int, toggled []int)
}

// MixedVariables is the number of variables up to which noise variances and numbers of edges are
// averaged over.
const MixedVariables = 12

// FewVariables is the number of variables up to which a search finds probable graphs without help.
// More have more scales of the prior of their weights, which searches go through one after the
// other.
const FewVariables = 24

// A listable score can give no probability to sets of parents that were not refined.
type listable interface{ List() }

const (
	likelySet       = 1e-3 // probability of a set of parents from which on it is refined,
	neighbouring    = 0.1  // and from which on those are that have one parent more or less
	mostRefinements = 10
	// FewSets are new sets for each likely one, below which more than twelve variables settle.
	FewSets = 0.02
)

// Refine refines the sets of parents that carry the posterior: it sums over all orders under the
// estimates, refines the sets that are likely then and the neighbours of the likeliest, and begins
// again until all of these are refined. That may have no end, where each round brings estimates
// likelier than what it refined: then a [listable] score keeps refined sets only, and so it does
// from the beginning with more than twelve variables. More than twenty variables are left as they
// are. It returns the likely sets of each variable where all of them are refined, nil where not.
func Refine(ctx context.Context, s Refinable, prior *score.Prior, workers int) ([][][]int, error) {
	d := s.Vars()
	if d > exact.Affordable {
		return nil, nil
	}
	few := 0.
	l, listing := s.(listable)
	if d > MixedVariables {
		if few = FewSets; listing {
			l.List()
		}
	}
	likely, settled, err := Until(ctx, s, mostRefinements, few, workers,
		func() ([][][]int, [][]float64, error) { return LikelySets(ctx, s, prior, workers) })
	switch {
	case err != nil || settled && few > 0:
		return nil, err
	case settled:
		return likely, nil
	case listing:
		l.List()
	}
	return nil, nil
}

// Until refines sets of parents of each variable that find returns, with their probabilities, and
// the neighbours of the likeliest, and begins again, for so many rounds at most or until few new
// ones are found for each. It returns what it found last, and whether these were few.
func Until(ctx context.Context, s Refinable, rounds int, few float64, workers int,
	find func() ([][][]int, [][]float64, error)) (sets [][][]int, settled bool, err error) {
	for range rounds {
		var probabilities [][]float64
		if sets, probabilities, err = find(); err != nil {
			return nil, false, err
		}
		all := 0
		for _, of := range sets {
			all += len(of)
		}
		fitted, err := refineSets(ctx, s, sets, probabilities, workers)
		if err != nil || float64(fitted) <= few*float64(all) {
			return sets, err == nil, err
		}
	}
	return sets, false, nil
}

// refineSets refines sets of parents and neighbours of some, and returns how many were not refined
// before.
func refineSets(
	ctx context.Context, s Refinable, sets [][][]int, probabilities [][]float64, workers int,
) (int, error) {
	d := s.Vars()
	found, around := make([][]neighbours, d), make([][]neighbours, d)
	fitted := make([]int, d)
	err := parallel.For(ctx, d, workers, func(j int) error {
		listed := nodescore.DistinctSets{}
		add := func(set []int) bool {
			isNew := listed.Add(set) && !s.Known(j, set)
			if isNew {
				fitted[j]++
			}
			return isNew
		}
		for _, set := range sets[j] {
			if add(set) {
				found[j] = append(found[j], neighbours{of: j, set: set})
			}
		}
		for k, set := range sets[j] {
			if probabilities[j][k] < neighbouring {
				continue
			}
			n := neighbours{of: j, set: set}
			for _, i := range dag.AllBut(d, j) {
				if add(nodescore.Toggled(set, i)) {
					n.toggled = append(n.toggled, i)
				}
			}
			if len(n.toggled) > 0 {
				around[j] = append(around[j], n)
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return 0, err
	}
	total := 0
	for _, n := range fitted {
		total += n
	}
	for _, all := range [][]neighbours{slices.Concat(found...), slices.Concat(around...)} {
		err := parallel.For(ctx, len(all), workers, func(k int) error {
			all[k].refine(s)
			return ctx.Err()
		})
		if err != nil {
			return 0, err
		}
	}
	return total, nil
}

// neighbours are a set of parents of a variable, or those that have one more or less.
type neighbours struct {
	of      int
	set     []int
	toggled []int
}

// refine refines the set, or its neighbours.
func (n neighbours) refine(s Refinable) {
	if len(n.toggled) == 0 {
		s.Refine(n.of, n.set)
		return
	}
	if m, ok := s.(neighbourly); ok {
		m.RefineNeighbours(n.of, n.set, n.toggled)
		return
	}
	for _, i := range n.toggled {
		s.Refine(n.of, nodescore.Toggled(n.set, i))
	}
}

// LikelySets are the sets of parents of each variable that carry the posterior over orders, from a
// probability of 1/1000 on, and their probabilities. A nil prior is [score.Fair].
func LikelySets(ctx context.Context, s score.Scorer, prior *score.Prior, workers int) (
	sets [][][]int, probabilities [][]float64, err error) {
	if prior == nil {
		prior = score.Fair(s.Vars())
	}
	p, err := exact.New(ctx, s, prior, exact.Options{Workers: workers})
	if err != nil {
		return nil, nil, err
	}
	sums, err := p.Orders(ctx)
	if err == nil {
		err = sums.Prepare(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	for j := range s.Vars() {
		some, likely := sums.ProbableSets(j, likelySet)
		sets, probabilities = append(sets, some), append(probabilities, likely)
	}
	return sets, probabilities, nil
}
