package stein

import (
	"context"
	"tobac/engine/neural"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/sem"
	"tobac/tempering"
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
	model sem.Network
	short *tempering.Sets
	long  *neural.Estimates
}

var _ setEstimator = (*networkSets)(nil)

func (f *particleFit) newNetworkSets(m sem.Network) (*networkSets, error) {
	short := m.TemperingConfig(stream.Seed(f.order.Seed, stream.ReweightedEvidence, 0), f.workers)
	short.Sweeps = shortSweeps
	long := m.TemperingConfig(stream.Seed(f.order.Seed, stream.ReweightedEvidence, 1), f.workers)
	long.Sweeps = neural.SetSweeps
	s := &networkSets{model: m}
	var err error
	if s.short, err = tempering.NewSets(f.data.X, f.data.Mask(), short); err != nil {
		return nil, err
	}
	s.long, err = neural.NewEstimates(f.data, long)
	return s, err
}

func (s *networkSets) rounds() int { return 1 }

func (s *networkSets) close() {}

func (s *networkSets) examine(*particleFit, int, parentPool) {}

func (s *networkSets) logEvidences(ctx context.Context, j int, sets [][]int, long bool) ([]float64, error) {
	estimate, particles := s.short.Estimate, shortParticles
	if long {
		estimate, particles = s.long.Estimate, longParticles
	}
	list := make([]tempering.Parents, len(sets))
	for k, set := range sets {
		list[k] = tempering.Parents{Of: j, Set: set}
	}
	estimates, err := estimate(ctx, list, particles)
	if err != nil {
		return nil, err
	}
	logs := make([]float64, len(sets))
	for k, e := range estimates {
		logs[k] = e.LogEvidence
	}
	return logs, nil
}

// equip gives the draws networks of the sets of parents that they have.
func (s *networkSets) equip(_ *particleFit, p *posterior.Posterior) error {
	return s.long.Equip(p.Draws, s.model)
}
