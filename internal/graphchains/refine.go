package graphchains

import (
	"context"
	"slices"

	"tobac/internal/mcmc"
	"tobac/internal/refinement"
	"tobac/score"
	"tobac/sem"
)

// Of the short chains whose graphs say which equations are fitted.
const (
	refiningIterations = 200 // of each chain, half of them warm-up
	refiningCandidates = 10
	mostRefinings      = 5
)

// refine fits the equations that carry the posterior, as short chains draw them, and their
// neighbours, until hardly any is new. Hypotheses whose scores are not fitted stay as they are.
func refine(ctx context.Context, all []sem.Hypothesis, prior *score.Prior, opt mcmc.Options) error {
	opt.WarmUp, opt.Candidates = refiningIterations/2, refiningCandidates
	for _, h := range all {
		s, ok := h.Scores.(refinement.Refinable)
		if !ok {
			continue
		}
		_, _, err := refinement.Until(ctx, s, mostRefinings, refinement.FewSets, opt.Workers,
			func() ([][][]int, [][]float64, error) {
				sampler, err := mcmc.New(ctx, s, prior, opt)
				if err == nil {
					err = sampler.Advance(ctx, refiningIterations)
				}
				if err != nil {
					return nil, nil, err
				}
				res, err := sampler.Result()
				if err != nil {
					return nil, nil, err
				}
				opt.Starts = res.Best()
				sets, probabilities := drawnSets(res, s.Vars())
				return sets, probabilities, nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// drawnSets are the sets of parents of each variable in the graphs of chains, and how often they
// were drawn.
func drawnSets(res *mcmc.Result, d int) (sets [][][]int, probabilities [][]float64) {
	sets, probabilities = make([][][]int, d), make([][]float64, d)
	for j := range d {
		for _, draw := range res.Draws {
			set := draw.Graph.Parents(j)
			k := slices.IndexFunc(sets[j], func(s []int) bool { return slices.Equal(s, set) })
			if k < 0 {
				k = len(sets[j])
				sets[j], probabilities[j] = append(sets[j], set), append(probabilities[j], 0)
			}
			probabilities[j][k] += 1 / float64(len(res.Draws))
		}
	}
	return sets, probabilities
}
