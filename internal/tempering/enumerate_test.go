package tempering_test

import (
	"context"
	"math"
	"testing"

	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/internal/tempering"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A table has the evidence of every set of parents given an order, and what follows from them under
// a prior.
type table struct {
	// of each variable, as in the order; bit k of a set stands for the k-th
	candidates    [][]int
	logEvidence   [][]float64 // log p(x_j|x_A) by column j and set A
	probabilities *mat.Dense  // of edges
	// log Σ_A ρ(A)/Σρ · p(x_j|x_A) by column, and how far it is apart by either half of the
	// particles
	total, difference []float64
}

// enumerate estimates all sets of parents: the check on the chains. Those within four nats of the
// best are estimated again with a factor of the particles, unless it is 1: the logarithm of a noisy
// estimate is too low on average.
func enumerate(t *testing.T, x mat.Matrix, order []int, prior *score.Prior, cfg tempering.Config,
	particles, finer int) *table {
	t.Helper()
	sets := must.Get(tempering.NewSets(x, nil, cfg))(t)
	d := len(order)
	all := &table{candidates: make([][]int, d), logEvidence: make([][]float64, d),
		probabilities: mat.NewDense(d, d, nil), total: make([]float64, d),
		difference: make([]float64, d)}
	for at, j := range order {
		before := make([]bool, d)
		for _, i := range order[:at] {
			before[i] = true
		}
		for i, ok := range before {
			if ok {
				all.candidates[j] = append(all.candidates[j], i)
			}
		}
		var list []nodescore.Family
		for set := range 1 << at {
			p := nodescore.Family{Of: j}
			for k, i := range all.candidates[j] {
				if set>>k&1 == 1 {
					p.Set = append(p.Set, i)
				}
			}
			list = append(list, p)
		}
		estimates := must.Get(sets.Estimate(context.Background(), list, particles))(t)
		best := math.Inf(-1)
		for _, e := range estimates {
			best = max(best, prior.LogPrior(j, e.Set)+e.LogEvidence)
		}
		for k, e := range estimates {
			if prior.LogPrior(j, e.Set)+e.LogEvidence < best-4 || finer == 1 {
				continue
			}
			fine := must.Get(sets.Estimate(context.Background(), list[k:k+1],
				finer*particles))(t)
			estimates[k] = fine[0]
		}
		var logPrior, joint []float64
		var halves [2][]float64
		for _, e := range estimates {
			p := prior.LogPrior(j, e.Set)
			logPrior, joint = append(logPrior, p), append(joint, p+e.LogEvidence)
			all.logEvidence[j] = append(all.logEvidence[j], e.LogEvidence)
			for h, v := range e.Halves {
				halves[h] = append(halves[h], p+v)
			}
		}
		total := floats.LogSumExp(joint)
		all.total[j] = total - floats.LogSumExp(logPrior)
		all.difference[j] = math.Abs(floats.LogSumExp(halves[0]) - floats.LogSumExp(halves[1]))
		for set, e := range estimates {
			for _, i := range e.Set {
				// sums may round
				all.probabilities.Set(i, j,
					min(1, all.probabilities.At(i, j)+math.Exp(joint[set]-total)))
			}
		}
	}
	return all
}
