package tobac

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/neural"
	"tobac/engine/sums"
	"tobac/internal/evidence"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// Of references by estimated evidences of all sets of parents.
const (
	mostReferenceSets = 5120 // of all variables: those of 12 of them given an order, and of 10 over all orders
	referencePoints   = 1024 // of an evidence
)

// estimated is the posterior of a model of which only the likelihood is known: sums over all sets of parents, whose evidences are estimated.
func (b *referenceBuilder) estimated(ctx context.Context, m sem.Model, p *engine.Problem) (*sums.Inference, error) {
	d := p.Vars()
	prior, err := p.ClosedPrior(d, p.Prior.EdgesPerNodeFor(d))
	if err != nil {
		return nil, err
	}
	if countSets(d, p.Order.Known != nil) > mostReferenceSets {
		return nil, fmt.Errorf("the model %v has neither node scores nor networks with one hidden layer, and %d variables have %w; allowed: at most 12 variables given an order, 10 without one", m, d, errTooManySets)
	}
	sets := allSets(d, prior, p.Order.Known)
	pools, err := evidences(ctx, m, p.Data, sets, referencePoints, p)
	if err != nil {
		return nil, err
	}
	b.ref.Engine = "exact"
	n := 0
	for _, s := range sets {
		n += len(s)
	}
	b.note("evidences of all %d sets of parents, estimated with %d points each", n, referencePoints)
	var inf [3]*sums.Inference
	for k := range inf {
		settled := sem.Settled{Model: m, Hypothesis: sem.Hypothesis{Scores: pools[k]}}
		p.Model = settled
		if inf[k], err = sums.Infer(ctx, p.Data, []sem.Scored{settled}, p, sem.WholeTrust); err != nil {
			return nil, err
		}
	}
	var off mat.Dense
	off.Sub(inf[1].Posterior.Probabilities, inf[2].Posterior.Probabilities)
	if v := math.Max(mat.Max(&off), -mat.Min(&off)) / 2; v > b.ref.StandardError {
		if b.ref.StandardError = v; v > limitEvidence[0] {
			b.ref.Warnings = append(b.ref.Warnings, fmt.Sprintf("the estimated evidences leave the probability of some edge a standard error of %.2f", v))
		}
	}
	return inf[0], nil
}

// countSets is the number of sets of parents of all d variables.
func countSets(d int, ordered bool) float64 {
	if ordered {
		return math.Exp2(float64(d)) - 1
	}
	return float64(d) * math.Exp2(float64(d-1))
}

// allSets are the sets of parents of d variables that the prior allows, in columns.
func allSets(d int, prior *score.Prior, order []int) [][][]int {
	all := make([][][]int, d)
	for j := range d {
		candidates := slices.DeleteFunc(dag.Identity(d), func(i int) bool {
			return i == j || order != nil && slices.Index(order, i) > slices.Index(order, j)
		})
		neural.Subsets(candidates, len(candidates), func(set []int) {
			if !math.IsInf(prior.LogPrior(j, set), -1) {
				all[j] = append(all[j], slices.Clone(set))
			}
		})
	}
	return all
}

// evidences are estimates of ln p(x_j|x_A) of the sets of every variable with a number of points each, and those of either half of the points.
func evidences(ctx context.Context, m sem.Model, data *dataset.Table, sets [][][]int, points int, p *engine.Problem) (pools [3]*score.Pool, err error) {
	d, order := len(data.Names), p.Order.Known
	if order == nil {
		order = dag.Identity(d)
	} else {
		data = data.Relabel(order)
	}
	if e, ok := m.(sem.Estimated); ok {
		if m, err = e.Estimate(ctx, data, p.Order.Known != nil); err != nil {
			return pools, err
		}
	}
	model, ok := m.(sem.Differentiable)
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
		pools[k] = score.NewPool(d)
	}
	position := dag.Inverse(order)
	for _, j := range order {
		along := make([][]int, len(sets[j]))
		for k, set := range sets[j] {
			along[k] = inOrder(set, position)
			slices.Sort(along[k])
		}
		all, err := s.Estimate(ctx, position[j], along, points)
		if err != nil {
			return pools, withName(err, data.Names)
		}
		for k, e := range all {
			pools[0].Put(j, sets[j][k], e.LogEvidence)
			pools[1].Put(j, sets[j][k], e.Halves[0])
			pools[2].Put(j, sets[j][k], e.Halves[1])
		}
	}
	return pools, nil
}
