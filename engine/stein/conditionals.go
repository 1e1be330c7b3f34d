package stein

import (
	"context"
	"errors"
	"math"
	"slices"

	"tobac/background"
	"tobac/dag"
	"tobac/engine/sums"
	"tobac/internal/parallel"
	"tobac/posterior"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// conditionals are the Rao–Blackwell estimates of the edge marginals: the
// average, over the particles, of
//
//	P(i → j | the other edges of the graph) = 1/(1 + e^{q(j, pa∖i) − q(j, pa∪i)}),
//
// with q the node score and prior, and of the moments of the weight of i → j given the
// parents pa∪i. nil: the model has no node scores, the prior is no product over
// variables, or there is no order.
func (f *particleFit) conditionals(ctx context.Context, graphs []*dag.Graph, order []int) (*posterior.Marginals, error) {
	model, ok := f.model.(sem.Scored)
	switch {
	case !f.ordered():
		return nil, nil
	case !ok:
		return f.ownConditionals(graphs, order), nil
	}
	d := len(order)
	prior, err := f.prior.AlongOrder(d, f.density)
	if errors.Is(err, background.ErrNotModular) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := model.Hypotheses(ctx, f.data, nil, f.workers)
	if err != nil {
		return nil, err
	}
	s := all[sem.Suiting(all, graphs...)].Scores
	weighted, hasWeights := s.(score.Weighted)
	parts := make([]posterior.Marginals, len(graphs))
	err = parallel.For(ctx, len(graphs), f.workers, func(m int) error {
		parts[m] = conditionalsOf(graphs[m], s, weighted, prior, order)
		return nil
	})
	if err != nil {
		return nil, err
	}
	uniform := make([]float64, len(graphs))
	for m := range uniform {
		uniform[m] = 1
		if !hasWeights {
			parts[m].WeightMean, parts[m].WeightSD = nil, nil
		}
	}
	mixed := posterior.MixMarginals(parts, uniform)
	return &mixed, nil
}

// ownConditionals are conditionals given the particles' own parameters, where flips are evaluated; else nil.
func (f *particleFit) ownConditionals(graphs []*dag.Graph, order []int) *posterior.Marginals {
	if len(f.order.Order) == 0 || len(f.x) < 2 {
		return nil
	}
	all, ok := f.target.Conditionals(graphs, f.x[1])
	if !ok {
		return nil
	}
	parts, uniform := make([]posterior.Marginals, len(all)), make([]float64, len(all))
	for m, p := range all {
		parts[m], uniform[m] = posterior.Marginals{Probabilities: relabelled(p, order)}, 1
	}
	mixed := posterior.MixMarginals(parts, uniform)
	return &mixed
}

// conditionalsOf are the conditional marginals of the edges given one graph in
// order coordinates.
func conditionalsOf(g *dag.Graph, s score.Scorer, weighted score.Weighted, prior *score.Prior, order []int) posterior.Marginals {
	d := len(order)
	out := posterior.Marginals{Probabilities: mat.NewDense(d, d, nil), WeightMean: unknown(d), WeightSD: unknown(d)}
	for b, j := range order {
		parents := g.Parents(b)
		for a := range b {
			i := order[a]
			at, present := slices.BinarySearch(parents, a)
			with, without := parents, score.Toggled(parents, a)
			if !present {
				with, without = without, with
			}
			q1 := prior.LogPrior(j, sums.InOrder(with, order))
			q0 := prior.LogPrior(j, sums.InOrder(without, order))
			switch {
			case math.IsInf(q1, -1) && math.IsInf(q0, -1): // of another edge's doing
				if present {
					out.Probabilities.Set(i, j, 1)
				}
			default:
				logit := q1 - q0
				if !math.IsInf(logit, 0) {
					logit += s.LogScore(b, with) - s.LogScore(b, without)
				}
				out.Probabilities.Set(i, j, 1/(1+math.Exp(-logit)))
			}
			if weighted != nil && out.Probabilities.At(i, j) > 0 {
				e := weighted.Equation(b, with)
				out.WeightMean.Set(i, j, e.Mean[at])
				out.WeightSD.Set(i, j, math.Sqrt(e.Cov.At(at, at)))
			}
		}
	}
	return out
}
