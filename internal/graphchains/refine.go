package graphchains

import (
	"context"
	"slices"

	"tobac/dag"
	"tobac/internal/mcmc"
	"tobac/internal/nodescore"
	"tobac/internal/refinement"
	"tobac/internal/stream"
	"tobac/score"
	"tobac/sem"
)

// Of the short chains whose graphs say which equations are fitted.
const (
	refiningIterations = 200 // of each chain, half of them warm-up
	refiningCandidates = 10
	mostRefinings      = 5
)

// disagreeing is how far apart, in nats, two searches for graphs may end and still count as agreed.
const disagreeing = 7

// A find is what the search for equations ended with.
type find struct {
	graphs []*dag.Graph // of the last chains
	apart  float64      // nats between the best ones of the first search and of the second
}

// refine fits the equations that carry the posterior, as short chains draw them, and their
// neighbours, until hardly any is new. Other chains, of another seed, do the same after that: a
// posterior may have several modes, and chains find only those whose equations are fitted. It
// returns what they found, by hypothesis. Those whose scores are not fitted stay as they are.
func refine(ctx context.Context, all []sem.Hypothesis, prior *score.Prior,
	opt mcmc.Options) ([]find, error) {
	found := make([]find, len(all))
	for k, h := range all {
		s, ok := h.Scores.(refinement.Refinable)
		if !ok {
			continue
		}
		var ends [2][]*dag.Graph
		for part := range ends {
			o := opt
			if part > 0 {
				o.Seed = stream.Seed(opt.Seed, stream.PosteriorPart, part)
			}
			var err error
			if ends[part], err = refineAround(ctx, s, prior, o); err != nil {
				return nil, err
			}
		}
		found[k] = together(s, prior, ends[0], ends[1])
	}
	return found, nil
}

// refineAround fits the equations that chains draw, and their neighbours. It returns the most
// probable graphs of the last chains, the best first.
func refineAround(ctx context.Context, s refinement.Refinable, prior *score.Prior,
	opt mcmc.Options) ([]*dag.Graph, error) {
	opt.WarmUp, opt.Candidates = refiningIterations/2, refiningCandidates
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
	return opt.Starts, err
}

// together has the graphs of two searches, in turns; those of one only where the other is far
// behind.
func together(s score.Scorer, prior *score.Prior, a, b []*dag.Graph) find {
	apart := nodescore.LogDensity(s, prior, a[0]) - nodescore.LogDensity(s, prior, b[0])
	if apart < 0 {
		a, b, apart = b, a, -apart
	}
	if apart > disagreeing {
		return find{a, apart}
	}
	var both []*dag.Graph
	for k := range min(len(a), len(b)) {
		both = append(both, a[k], b[k])
	}
	return find{both, apart}
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
