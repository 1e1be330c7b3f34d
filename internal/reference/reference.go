// Package reference computes the posterior that a result is compared with: of the same data, model
// and prior, by an engine whose error is known. [New] computes it, and [Posterior.Compare] says how
// far a posterior is from it.
package reference

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/drawn"
	"tobac/internal/estimated"
	"tobac/internal/inference"
	"tobac/internal/nodescore"
	"tobac/internal/priors"
	"tobac/internal/problems"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/sem"
)

// A Posterior is the posterior of the same data, model and prior as a result's, computed by an
// engine whose error is known: sums ([sums.Exact]), for a custom likelihood over sets of parents
// with estimated evidences, or long chains ([markov.MCMC], and [neural.Tempering] for networks). It
// says how far an approximation is off.
type Posterior struct {
	Engine string
	// Notes say what it averages over and what it takes as given, a sentence each.
	Notes []string
	// Warnings are reasons to distrust it, a sentence each; none of exact sums.
	Warnings []string
	// Marginals have its edge probabilities.
	posterior.Marginals
	// StandardError is the largest Monte Carlo standard error of an edge probability; 0 for sums.
	StandardError float64

	conditionals []conditional
}

// A conditional is a reference given one order, or over all of them.
type conditional struct {
	order  []int // nil means all
	weight float64
	*inference.Inference
	networks *networkScores // nil means the inference has node scores
}

// A Comparison says how far a posterior is from a [Posterior].
type Comparison struct {
	// MeanAbsError is the mean absolute difference of the edge probabilities, over the ordered
	// pairs that an order of the posterior allows, or all without one.
	MeanAbsError float64
	// LogProbDifference is E[log p(D, G)] under the posterior's acyclic graphs less that under the
	// reference, both by the reference's node scores and prior: 0 where calibrated, above for
	// graphs that crowd near the mode, far below where strong edges are lost. −∞ where a graph has
	// no probability under the prior, NaN without graphs. Node scores of networks are estimated by
	// sequential Monte Carlo.
	LogProbDifference float64
	// LogProbError is the standard error of LogProbDifference that the finite numbers of draws
	// leave; that of particles, which are no draws, takes no part.
	LogProbError float64
}

// factor is how many times as long as a run chains of a reference are.
const factor = 4

// New computes the reference of a result of the data that the run had. A posterior under known
// orders, or such as a method found, is compared given them; any other, those under orders drawn
// from a posterior too, over all orders. What the run had settled stays settled: the noise variance
// that SVGD took as given under its order, and the hypothesis and the edges per node of mcmc and of
// DAG-GFlowNet; see [Posterior.Notes]. Of models of which only the likelihood is known, and of
// networks with several hidden layers, it estimates the evidences of all sets of parents: of at
// most 12 variables given an order, and 10 over all. With more variables than Exact takes it runs
// chains, for models without node scores those of the engine tempering, given an order. Posteriors
// of completed tables have none.
func New(ctx context.Context, data *dataset.Table, r *tobac.Result) (*Posterior, error) {
	if r.Imputation != nil {
		return nil, errors.New("tobac: values were missing: the posteriors of completed tables " +
			"have no common reference")
	}
	p, e, _, err := r.Config.Problem(data)
	if err != nil {
		return nil, fmt.Errorf("tobac: reference: %w", err)
	}
	b := &builder{problem: p, engine: e, result: r, ref: &Posterior{}}
	if err := b.build(ctx); err != nil {
		return nil, fmt.Errorf("tobac: reference: %w", problems.WithName(err, data.Names))
	}
	return b.ref, nil
}

// Compare says how far a posterior of the same data is from the reference: the one of which it is,
// or another given the same orders.
func (ref *Posterior) Compare(ctx context.Context, p *posterior.Posterior) (Comparison, error) {
	c := Comparison{MeanAbsError: p.Marginals.Distance(ref.Marginals, ref.allows),
		LogProbDifference: math.NaN(), LogProbError: math.NaN()}
	if len(p.Draws) == 0 || len(ref.conditionals[0].Parts) == 0 {
		return c, nil
	}
	components := max(len(p.Components), 1)
	if n := len(ref.conditionals); n > 1 && n != components {
		return c, fmt.Errorf("tobac: a posterior of %d components, the reference has %d",
			components, n)
	}
	sum, variance := 0.0, 0.0
	for k, given := range ref.conditionals {
		q := p
		if len(ref.conditionals) > 1 {
			q = p.Under(k)
		}
		if err := given.networks.prepare(ctx, given.Posterior, q); err != nil {
			return c, err
		}
		own, ownError := given.MeanLogJoint(q)
		exact, exactError := given.MeanLogJoint(given.Posterior)
		sum += given.weight * (own - exact)
		if p.Kind == posterior.Draws {
			variance += given.weight * given.weight * ownError * ownError
		}
		variance += given.weight * given.weight * exactError * exactError
	}
	c.LogProbDifference, c.LogProbError = sum, math.Sqrt(variance)
	return c, nil
}

// allows reports whether an order has i before j; without orders all pairs count.
func (ref *Posterior) allows(i, j int) bool {
	return slices.ContainsFunc(ref.conditionals, func(c conditional) bool {
		return c.order == nil || slices.Index(c.order, i) < slices.Index(c.order, j)
	})
}

// seedUnder is that of everything under order number k of a reference, so that it shares no draws
// with the run.
func seedUnder(seed uint64, k int) uint64 { return stream.Seed(seed, stream.ReferenceSeed, k) }

// referenceParticles are those of each evidence that a reference of networks estimates.
const referenceParticles = 1024

// networkScores are the node scores of networks: evidences of the sets of parents that graphs have,
// each estimated once.
type networkScores struct {
	*estimated.Estimates
	pool *nodescore.Pool
}

// withScores gives a posterior of networks node scores, so that graphs can be compared by log p(D,
// G).
func withScores(p *engine.Problem, inf *inference.Inference) (*networkScores, error) {
	model, _, _, err := problems.SampledModel(p, p.Model, false)
	if err != nil {
		return nil, err
	}
	data := drawn.OnScale(p.Data, inf.Posterior.Standardization)
	m, _ := sem.As[sem.Network](model)
	d := len(data.Names)
	prior, err := problems.ClosedPrior(p, d, priors.EdgesPerNodeFor(&p.Prior, d))
	if err != nil {
		return nil, err
	}
	estimates, err := estimated.NewEstimates(m, data,
		estimated.ChainSettings(m, stream.Seed(p.Seed, stream.ReferenceSeed, 0), p.Workers))
	if err != nil {
		return nil, err
	}
	e := &networkScores{estimates, nodescore.NewPool(d)}
	inf.Parts = []inference.Part{{Hypothesis: sem.Hypothesis{Scores: e.pool}, Prior: prior}}
	return e, nil
}

// prepare estimates what the acyclic graphs of posteriors need.
func (e *networkScores) prepare(ctx context.Context, all ...*posterior.Posterior) error {
	if e == nil {
		return nil
	}
	var graphs []*dag.Graph
	for _, p := range all {
		for _, draw := range p.Draws {
			if draw.Graph.Acyclic() {
				graphs = append(graphs, draw.Graph)
			}
		}
	}
	estimates, err := e.Estimate(ctx, e.Missing(graphs), referenceParticles)
	if err != nil {
		return err
	}
	for _, v := range estimates {
		e.pool.Put(v.Of, v.Set, v.LogEvidence)
	}
	return nil
}
