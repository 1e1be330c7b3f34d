package reference

import (
	"context"
	"fmt"
	"math"

	"tobac/engine"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// Of references by estimated evidences of all sets of parents.
const (
	mostReferenceSets = 5120 // of all variables: those of 12 of them given an order, and of 10 over all orders
	referencePoints   = 1024 // of an evidence
)

// estimated is the posterior of a model of which only the likelihood is known: sums over all sets
// of parents, whose evidences are estimated.
func (b *builder) estimated(ctx context.Context, m sem.Model, p *engine.Problem) (*sums.Inference, error) {
	d := p.Vars()
	prior, err := p.ClosedPrior(d, p.Prior.EdgesPerNodeFor(d))
	if err != nil {
		return nil, err
	}
	if sums.CountSets(d, p.Order.Known != nil) > mostReferenceSets {
		return nil, fmt.Errorf("the model %v has neither node scores nor networks with one hidden layer, and %d variables have %w; allowed: at most 12 variables given an order, 10 without one", m, d, sums.ErrTooManySets)
	}
	sets := sums.AllSets(d, prior, p.Order.Known)
	pools, err := sums.Evidences(ctx, m, p.Data, sets, referencePoints, p)
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
		if b.ref.StandardError = v; v > stein.LimitEvidence[0] {
			b.ref.Warnings = append(b.ref.Warnings, fmt.Sprintf("the estimated evidences leave the probability of some edge a standard error of %.2f", v))
		}
	}
	return inf[0], nil
}
