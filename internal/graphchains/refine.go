package graphchains

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tobac/dag"
	"tobac/diagnostics"
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

// limitApart has the thresholds of the check of searches, as those of chains.
var limitApart = [2]float64{disagreeing, 100}

// mostSearches is how many searches for equations there are at most.
const mostSearches = 3

// A find is what the searches for equations ended with.
type find struct {
	graphs []*dag.Graph // of the last chains
	apart  float64      // nats between the best ones of the best search and of the second
	lost   float64      // nats between those of the best search and of the last one
}

// scattered reports whether no two searches ended equally high: another one would end elsewhere.
func (f find) scattered() bool { return f.apart > disagreeing }

// explain adds what the searches say to the checks of chains that began where these ended. Where no
// two ended equally high, and the chains do not meet, longer ones would not.
func (f find) explain(checks []diagnostics.Check) []diagnostics.Check {
	if !f.scattered() || checks[0].Verdict == diagnostics.OK {
		return append(checks, diagnostics.Above("searches", f.apart, limitApart[0], limitApart[1],
			fmt.Sprintf("two searches for equations ended %.0f nats apart", f.apart)))
	}
	checks[0].Text = fmt.Sprintf("%d searches for equations ended at different graphs, up to %.0f "+
		"nats apart, and the chains stay near these (R̂ up to %.2f): probabilities are means over "+
		"them, and another seed finds others; leave out columns that almost repeat others",
		len(f.graphs), f.lost, checks[0].Value)
	return slices.DeleteFunc(checks, func(c diagnostics.Check) bool { return c.Name == "ess" })
}

// refine fits the equations that carry the posterior, as short chains draw them, and their
// neighbours, until hardly any is new. Other chains, of another seed, do the same after that, until
// the best graphs were found twice: a posterior may have several modes, and chains find only those
// whose equations are fitted. It returns what they found, by hypothesis. Those whose scores are not
// fitted stay as they are.
func refine(ctx context.Context, all []sem.Hypothesis, prior *score.Prior,
	opt mcmc.Options) ([]find, error) {
	found := make([]find, len(all))
	for k, h := range all {
		s, ok := h.Scores.(refinement.Refinable)
		if !ok {
			continue
		}
		var ends [][]*dag.Graph
		for part := range mostSearches {
			o := opt
			if part > 0 {
				o.Seed = stream.Seed(opt.Seed, stream.PosteriorPart, part)
			}
			graphs, err := refineAround(ctx, s, prior, o)
			if err != nil {
				return nil, err
			}
			ends = append(ends, graphs)
			if part == 0 {
				continue
			}
			if found[k] = together(s, prior, ends); !found[k].scattered() {
				break
			}
		}
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

// together has the graphs of those of several searches that ended as high as the best one, in
// turns. Where no other did it has the best graph of each.
func together(s score.Scorer, prior *score.Prior, ends [][]*dag.Graph) find {
	level := func(graphs []*dag.Graph) float64 { return nodescore.LogDensity(s, prior, graphs[0]) }
	ends = slices.Clone(ends)
	slices.SortStableFunc(ends, func(a, b []*dag.Graph) int {
		return cmp.Compare(level(b), level(a))
	})
	best := level(ends[0])
	f := find{apart: best - level(ends[1]), lost: best - level(ends[len(ends)-1])}
	if f.scattered() {
		for _, graphs := range ends {
			f.graphs = append(f.graphs, graphs[0])
		}
		return f
	}
	ends = slices.DeleteFunc(ends, func(graphs []*dag.Graph) bool {
		return level(graphs) < best-disagreeing
	})
	for k := range ends[0] {
		for _, graphs := range ends {
			if k < len(graphs) {
				f.graphs = append(f.graphs, graphs[k])
			}
		}
	}
	return f
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
