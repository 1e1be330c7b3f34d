package inference

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/evidence"
	"tobac/internal/nodescore"
	"tobac/internal/problems"
	"tobac/score"
	"tobac/sem"
)

// ErrTooManySets says that there are too many sets of parents to estimate the evidence of each.
var ErrTooManySets = errors.New("too many sets of parents to estimate the evidence of each")

// CountSets is the number of sets of parents of all d variables.
func CountSets(d int, ordered bool) float64 {
	if ordered {
		return math.Exp2(float64(d)) - 1
	}
	return float64(d) * math.Exp2(float64(d-1))
}

// AllSets are the sets of parents of d variables that the prior allows, in columns.
func AllSets(d int, prior *score.Prior, order []int) [][][]int {
	all := make([][][]int, d)
	for j := range d {
		candidates := slices.DeleteFunc(dag.Identity(d), func(i int) bool {
			return i == j || order != nil && slices.Index(order, i) > slices.Index(order, j)
		})
		Subsets(candidates, len(candidates), func(set []int) {
			if !math.IsInf(prior.LogPrior(j, set), -1) {
				all[j] = append(all[j], slices.Clone(set))
			}
		})
	}
	return all
}

// Evidences are estimates of ln p(x_j|x_A) of the sets of every variable with a number of points
// each, and those of either half of the points.
func Evidences(ctx context.Context, m sem.Model, data *dataset.Table, sets [][][]int, points int,
	p *engine.Problem) (pools [3]*nodescore.Pool, err error) {
	d, order := len(data.Names), p.Order.Known
	if order == nil {
		order = dag.Identity(d)
	} else {
		data = data.Relabel(order)
	}
	if m, err = sem.Estimate(ctx, m, data, p.Order.Known != nil); err != nil {
		return pools, err
	}
	model, ok := sem.As[sem.Differentiable](m)
	if !ok {
		return pools, fmt.Errorf("the model %v has neither node scores nor a likelihood", m)
	}
	lik, err := model.Likelihood(data)
	if err != nil {
		return pools, err
	}
	s, err := evidence.New(lik, evidence.Config{Seed: p.Seed, Workers: p.Workers})
	if err != nil {
		return pools, err
	}
	defer s.Close()
	for k := range pools {
		pools[k] = nodescore.NewPool(d)
	}
	position := dag.Inverse(order)
	var list, along []nodescore.Family
	for _, j := range order {
		for _, set := range sets[j] {
			list = append(list, nodescore.Family{Of: j, Set: set})
			there := InOrder(set, position)
			slices.Sort(there)
			along = append(along, nodescore.Family{Of: position[j], Set: there})
		}
	}
	all, err := s.Estimate(ctx, along, points)
	if err != nil {
		return pools, problems.WithName(err, data.Names)
	}
	for k, e := range all {
		pools[0].Put(list[k].Of, list[k].Set, e.LogEvidence)
		pools[1].Put(list[k].Of, list[k].Set, e.Halves[0])
		pools[2].Put(list[k].Of, list[k].Set, e.Halves[1])
	}
	return pools, nil
}

// InOrder are the columns at positions of an order.
func InOrder(positions, order []int) []int {
	out := make([]int, len(positions))
	for k, a := range positions {
		out[k] = order[a]
	}
	return out
}

// Subsets visits those of at most k members, in a slice that the next one overwrites.
func Subsets(of []int, k int, visit func([]int)) {
	var next func(chosen []int, from int)
	next = func(chosen []int, from int) {
		visit(chosen)
		if len(chosen) == k {
			return
		}
		for at := from; at < len(of); at++ {
			next(append(chosen, of[at]), at+1)
		}
	}
	next(make([]int, 0, k), 0)
}
