package tobac

import (
	"context"

	"tobac/dag"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/score"
	"tobac/tempering"
)

// referenceParticles are those of each evidence that a reference of networks estimates.
const referenceParticles = 256

// networkEvidences are the node scores of networks: evidences of the sets of parents that graphs have, each estimated once.
type networkEvidences struct {
	sets *tempering.Sets
	pool *score.Pool
}

// withEvidences gives a posterior of networks node scores, so that graphs can be compared by log p(D, G).
func (r *Run) withEvidences(inf *inference) (*networkEvidences, error) {
	model, _, _, err := r.sampledModel()
	if err != nil {
		return nil, err
	}
	data := onScale(r.data, inf.post.Standardization)
	m, d := model.(FeedForward), len(data.Names)
	prior, err := r.cfg.closedPrior(d, r.cfg.Prior.edgesPerNode(d))
	if err != nil {
		return nil, err
	}
	cfg := m.setConfig(stream.Seed(r.cfg.Seed, stream.ReferenceSeed, 0), r.cfg.Workers)
	cfg.Sweeps = 0 // the default, more than a fit takes
	e := &networkEvidences{pool: score.NewPool(d)}
	if e.sets, err = tempering.NewSets(data.X, data.Mask(), cfg); err != nil {
		return nil, err
	}
	inf.parts = []part{{hypothesis: Hypothesis{Scores: e.pool}, prior: prior}}
	return e, nil
}

// estimate estimates what the graphs of posteriors need.
func (e *networkEvidences) estimate(ctx context.Context, all ...*posterior.Posterior) error {
	if e == nil {
		return nil
	}
	var missing []tempering.Parents
	asked := score.NewPool(e.pool.Vars())
	ask := func(g *dag.Graph) {
		for j := range g.Len() {
			if set := g.Parents(j); !e.pool.Has(j, set) && !asked.Has(j, set) {
				asked.Put(j, set, 0)
				missing = append(missing, tempering.Parents{Of: j, Set: set})
			}
		}
	}
	for _, p := range all {
		for _, draw := range p.Draws {
			if draw.Graph.Acyclic() {
				ask(draw.Graph)
			}
		}
	}
	estimates, err := e.sets.Estimate(ctx, missing, referenceParticles)
	if err != nil {
		return err
	}
	for _, v := range estimates {
		e.pool.Put(v.Of, v.Set, v.LogEvidence)
	}
	return nil
}
