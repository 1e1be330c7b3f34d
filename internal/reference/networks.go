package reference

import (
	"context"

	"tobac/dag"
	"tobac/engine"
	"tobac/engine/neural"
	"tobac/engine/sums"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/score"
	"tobac/sem"
)

// referenceParticles are those of each evidence that a reference of networks estimates.
const referenceParticles = 256

// networkScores are the node scores of networks: evidences of the sets of parents that graphs have,
// each estimated once.
type networkScores struct {
	*neural.Estimates
	pool *score.Pool
}

// withScores gives a posterior of networks node scores, so that graphs can be compared by log p(D,
// G).
func withScores(p *engine.Problem, inf *sums.Inference) (*networkScores, error) {
	model, _, _, err := p.SampledModel(p.Model, false)
	if err != nil {
		return nil, err
	}
	data := engine.OnScale(p.Data, inf.Posterior.Standardization)
	m, d := model.(sem.Network), len(data.Names)
	prior, err := p.ClosedPrior(d, p.Prior.EdgesPerNodeFor(d))
	if err != nil {
		return nil, err
	}
	estimates, err := neural.NewEstimates(data, neural.ChainSettings(m, stream.Seed(p.Seed, stream.ReferenceSeed, 0), p.Workers)) // with more sweeps than a fit
	if err != nil {
		return nil, err
	}
	e := &networkScores{estimates, score.NewPool(d)}
	inf.Parts = []sums.Part{{Hypothesis: sem.Hypothesis{Scores: e.pool}, Prior: prior}}
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
