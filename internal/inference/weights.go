package inference

import (
	"context"
	"math"
	"slices"

	"tobac/dag"
	"tobac/engine"
	"tobac/internal/parallel"
	"tobac/internal/refinement"
	"tobac/internal/scoring"
	"tobac/internal/trust"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// Sets of parents count in the moments of a weight from the part rareSet of the probability of the
// edge on, and from the probability leastSet on; hypotheses from the probability rarePart on. Sets
// that are estimated ([sem.refine]) are left out.
const rareSet, leastSet, rarePart = 1e-4, 1e-6, 1e-4

// weights are the posterior means and standard deviations of the weights, given that the edge is
// there: sums over the sets of parents with their probabilities, and not over draws. Edges of next
// to no probability have NaN. Both are nil for models without linear equations.
func (inf *Inference) weights(ctx context.Context, d int,
	problem *engine.Problem) (mean, sd *mat.Dense, err error) {
	total, first, second := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil),
		mat.NewDense(d, d, nil)
	for k := range inf.Parts {
		p := &inf.Parts[k]
		equations, ok := p.Hypothesis.Scores.(score.Weighted)
		if !ok {
			return nil, nil, nil
		}
		if p.weight < rarePart {
			continue
		}
		// nil means that all sets are known
		estimates, _ := trust.FormOf(p.Hypothesis.Scores).(refinement.Refinable)
		edges := p.edges()
		err := parallel.For(ctx, d, problem.Workers, func(j int) error {
			names, probs := p.parentSets(j)
			smallest := math.Inf(1) // probability of a set that counts
			for _, i := range names {
				if v := edges.At(i, j); v > 0 {
					smallest = math.Min(smallest, math.Max(rareSet*v, leastSet))
				}
			}
			var parents []int
			for set, prob := range probs {
				if !(prob >= smallest) || set == 0 {
					continue
				}
				parents = scoring.Subset(parents[:0], names, set)
				counts := slices.ContainsFunc(parents, func(i int) bool {
					return prob >= math.Max(rareSet*edges.At(i, j), leastSet)
				})
				if !counts || estimates != nil && !estimates.Known(j, parents) {
					continue
				}
				q, w := equations.Equation(j, parents), p.weight*prob
				for a, i := range parents {
					total.Set(i, j, total.At(i, j)+w)
					first.Set(i, j, first.At(i, j)+w*q.Mean[a])
					second.Set(i, j, second.At(i, j)+w*(q.Cov.At(a, a)+q.Mean[a]*q.Mean[a]))
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, nil, err
		}
	}
	mean, sd = first, second
	mean.DivElem(first, total) // 0/0 is NaN where there is no edge
	sd.Apply(func(i, j int, v float64) float64 {
		m := mean.At(i, j)
		if v = v/total.At(i, j) - m*m; v < 0 {
			v = 0 // by rounding; NaN stays
		}
		return math.Sqrt(v)
	}, second)
	return mean, sd, nil
}

// parentSets is the distribution of the parents of variable j: bit k of an index stands for
// names[k].
func (p *Part) parentSets(j int) (names []int, probs []float64) {
	if p.given != nil {
		return p.given.ParentSets(j)
	}
	names = dag.AllBut(p.Hypothesis.Scores.Vars(), j)
	if p.graphs != nil {
		return names, p.graphs.ParentSets(j)
	}
	return names, p.orders.ParentSets(j)
}
