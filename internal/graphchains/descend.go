package graphchains

import (
	"cmp"
	"context"
	"math"
	"slices"

	"tobac/dag"
	"tobac/engine"
	"tobac/internal/nodescore"
	"tobac/internal/parallel"
	"tobac/internal/refinement"
	"tobac/internal/search"
	"tobac/internal/stream"
	"tobac/score"
	"tobac/sem"
)

// steps reports whether searches go through hypotheses one after the other: several of many
// variables, whose scores are fast, and which do not have one noise variance.
func steps(all []sem.Hypothesis, d int) bool {
	other := func(h sem.Hypothesis) bool {
		_, fast := h.Scores.(nodescore.ToggleScorer)
		return !fast || h.NoiseVariance != 0
	}
	return d > refinement.FewVariables && len(all) > 1 && !slices.ContainsFunc(all, other)
}

// mostWorse is how many hypotheses in a row may be worse than the best one before a search ends.
const mostWorse = 2

// fewTries is how often each search begins again from a disturbed graph: a search that has stopped
// at some place under one hypothesis would begin there under all others.
const fewTries = 10

// descend looks for probable graphs under the first hypothesis, then from these under the second,
// and so on, and takes the hypothesis whose best graph is the most probable one. Where deep graphs
// leave a column a millionth of its variance, the posterior under a prior that expects so little
// noise has thousands of modes, and a search from anywhere ends in one of them. Under one that
// expects much noise it has few, and its best graph is near that of the next. It returns the number
// of the hypothesis, and its graphs, of which the most probable one comes first.
func descend(ctx context.Context, all []sem.Hypothesis, prior *score.Prior,
	problem *engine.Problem) (chosen int, graphs []*dag.Graph, err error) {
	type end struct {
		graph *dag.Graph
		value float64
	}
	ends := make([]end, mostPilots)
	screens, err := search.NewScreens(ctx, scoresOf(all), prior, problem.Workers)
	if err != nil {
		return 0, nil, err
	}
	best := math.Inf(-1)
	for k, h := range all {
		err = parallel.For(ctx, len(ends), problem.Workers, func(i int) error {
			rng := stream.New(problem.Seed, stream.MCMCStart, MostChains+k*len(ends)+i)
			s := search.At(screens[k], rng, ends[i].graph)
			err := s.Run(ctx, fewTries)
			ends[i] = end{s.Graph(), s.LogScore()}
			return err
		})
		if err != nil {
			return 0, nil, err
		}
		slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(b.value, a.value) })
		if v := h.LogWeight + ends[0].value; v > best {
			best, chosen, graphs = v, k, nil
			for _, e := range ends {
				graphs = append(graphs, e.graph)
			}
		} else if k-chosen >= mostWorse {
			break
		}
	}
	return chosen, graphs, nil
}
