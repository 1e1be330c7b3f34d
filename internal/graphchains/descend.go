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
	screens, err := search.NewScreens(ctx, scoresOf(all), prior, problem.Workers)
	if err != nil {
		return 0, nil, err
	}
	s := descent{all: all, screens: screens, problem: problem, best: math.Inf(-1)}
	if err := s.narrow(ctx, 0); err != nil {
		return 0, nil, err
	}
	// From where they are, under the hypotheses again but the first few.
	if s.reached[0].value-s.reached[1].value > disagreeing {
		s.ends = s.reached
		if err := s.narrow(ctx, len(all)-len(search.Back(screens))); err != nil {
			return 0, nil, err
		}
	}
	for _, e := range s.reached {
		graphs = append(graphs, e.graph)
	}
	return s.chosen, graphs, nil
}

// A descent is two searches through hypotheses.
type descent struct {
	all     []sem.Hypothesis
	screens []*search.Screen
	problem *engine.Problem
	ends    [mostPilots]end // of the searches so far, the best first
	runs    int

	chosen  int             // the hypothesis of the most probable graph
	best    float64         // its ln p
	reached [mostPilots]end // under it
}

// An end is where a search stopped.
type end struct {
	graph *dag.Graph
	value float64
}

// narrow goes through the hypotheses from one on, until several in a row have no better graph than
// the chosen one.
func (s *descent) narrow(ctx context.Context, from int) error {
	for k := from; k < len(s.all) && k-s.chosen <= mostWorse; k++ {
		err := parallel.For(ctx, len(s.ends), s.problem.Workers, func(i int) error {
			rng := stream.New(s.problem.Seed, stream.MCMCStart, MostChains+s.runs+i)
			at := search.At(s.screens[k], rng, s.ends[i].graph)
			err := at.Run(ctx, fewTries)
			s.ends[i] = end{at.Graph(), at.LogScore()}
			return err
		})
		if err != nil {
			return err
		}
		s.runs += len(s.ends)
		slices.SortStableFunc(s.ends[:], func(a, b end) int {
			return cmp.Compare(b.value, a.value)
		})
		if v := s.all[k].LogWeight + s.ends[0].value; v > s.best {
			s.best, s.chosen, s.reached = v, k, s.ends
		}
	}
	return nil
}
