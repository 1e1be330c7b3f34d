package tobac

import (
	"context"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/stream"
	"tobac/models"
	"tobac/posterior"
	"tobac/tempering"

	"gonum.org/v1/gonum/mat"
)

// Evidences of networks are estimated in two passes: a short one, of the particles' sets and their neighbours, and of the neighbours of what weighs most among
// them; and a longer one of the sets that it leaves within reach.
const (
	shortParticles = 32
	shortSweeps    = 2
	longParticles  = 256
	withinReach    = 10.0 // nats behind the best
	weighty        = 4.0  // nats behind the best, of sets whose neighbours are looked at too
)

// networkSets estimates the evidences of networks of a fit, in order coordinates.
type networkSets struct {
	model       FeedForward
	short, long *tempering.Sets
	known       map[string]*tempering.Estimate // of the long pass
}

var _ setEstimator = (*networkSets)(nil)

func (f *particleFit) newNetworkSets(m FeedForward) (*networkSets, error) {
	s := &networkSets{model: m, known: map[string]*tempering.Estimate{}}
	for pass, sets := range []**tempering.Sets{&s.short, &s.long} {
		var err error
		cfg := m.setConfig(stream.Seed(f.order.seed, stream.ReweightedEvidence, pass), f.workers)
		if pass == 0 {
			cfg.Sweeps = shortSweeps
		}
		if *sets, err = tempering.NewSets(f.data.X, f.data.Mask(), cfg); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *networkSets) rounds() int { return 1 }

func (s *networkSets) close() {}

func (s *networkSets) examine(*particleFit, int, parentPool) {}

func (s *networkSets) logEvidences(ctx context.Context, j int, sets [][]int, long bool) ([]float64, error) {
	pass, particles := s.short, shortParticles
	if long {
		pass, particles = s.long, longParticles
	}
	list := make([]tempering.Parents, len(sets))
	for k, set := range sets {
		list[k] = tempering.Parents{Of: j, Set: set}
	}
	estimates, err := pass.Estimate(ctx, list, particles)
	if err != nil {
		return nil, err
	}
	logs := make([]float64, len(sets))
	for k, e := range estimates {
		logs[k] = e.LogEvidence
		if long {
			s.known[familyKey(j, e.Set)] = e
		}
	}
	return logs, nil
}

// equip gives the draws networks of the sets of parents that they have.
func (s *networkSets) equip(f *particleFit, p *posterior.Posterior) error {
	p.Components[0].NoiseVariance = f.noiseVariance()
	return s.model.equip(p.Draws, f.data, s.long, func(j int, set []int) *tempering.Estimate { return s.known[familyKey(j, set)] })
}

// equip gives draws of graphs networks of the estimates of the sets of parents that they have, in turn, with their log densities.
func (m FeedForward) equip(draws []posterior.Draw, data *dataset.Table, sets *tempering.Sets, estimate func(j int, set []int) *tempering.Estimate) error {
	lik, err := m.Predictive(data)
	if err != nil {
		return err
	}
	theta, graphs := mat.NewDense(len(draws), lik.ParamLen(), nil), make([]*dag.Graph, len(draws))
	for k := range draws {
		parents := make([]*tempering.Estimate, len(data.Names))
		for j := range parents {
			parents[j] = estimate(j, draws[k].Graph.Parents(j))
		}
		draw := sets.Draw(parents, k)
		theta.SetRow(k, draw.Parameters)
		draws[k].Parameters, graphs[k] = draw.Parameters, draw.Graph
	}
	logPrior, logLikelihood, err := models.LogJoint(lik, graphs, theta)
	if err != nil {
		return err
	}
	for k := range draws {
		draws[k].LogPrior, draws[k].LogLikelihood = logPrior[k], logLikelihood[k]
	}
	return nil
}
