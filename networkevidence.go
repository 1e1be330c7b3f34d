package tobac

import (
	"context"
	"fmt"
	"math"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/stream"
	"tobac/models"
	"tobac/posterior"
	"tobac/tempering"

	"gonum.org/v1/gonum/floats"
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
}

// newNetworkSets fails for a model whose evidences cannot be estimated.
func (f *particleFit) newNetworkSets() (*networkSets, error) {
	m, ok := f.model.(FeedForward)
	if !ok || len(m.hidden()) != 1 {
		return nil, fmt.Errorf("the model %v has neither node scores nor networks with one hidden layer, whose sets of parents could be reweighted; allowed: the read-outs conditional and frequency", f.asked)
	}
	s := &networkSets{model: m}
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

// pool estimates ln ρ(A) + log p(x_j|x_A) of sets of parents of variable j, and of neighbours of the best, and keeps those within reach.
func (s *networkSets) pool(ctx context.Context, j int, sets [][]int, logPrior func([]int) float64) (parentPool, []float64, error) {
	q, _, err := weighted(ctx, s.short, j, sets, logPrior, shortParticles)
	if err != nil {
		return parentPool{}, nil, err
	}
	if more := beyond(j, sets, q, logPrior); len(more) > 0 {
		extra, _, err := weighted(ctx, s.short, j, more, logPrior, shortParticles)
		if err != nil {
			return parentPool{}, nil, err
		}
		sets, q = append(sets, more...), append(q, extra...)
	}
	best := floats.Max(q)
	var p parentPool
	for k, set := range sets {
		if q[k] >= best-withinReach {
			p.sets = append(p.sets, set)
		}
	}
	q, p.networks, err = weighted(ctx, s.long, j, p.sets, logPrior, longParticles)
	return p, q, err
}

// beyond are the sets one edge away from those of greatest weight that are not among the sets.
func beyond(j int, sets [][]int, q []float64, logPrior func([]int) float64) (more [][]int) {
	known, best := map[string]bool{}, floats.Max(q)
	for _, set := range sets {
		known[fmt.Sprint(set)] = true
	}
	for k, set := range sets {
		if q[k] < best-weighty {
			continue
		}
		for i := range j {
			other := toggled(set, i)
			if key := fmt.Sprint(other); !known[key] && !math.IsInf(logPrior(other), -1) {
				known[key] = true
				more = append(more, other)
			}
		}
	}
	return more
}

// weighted are evidences with the prior of the sets.
func weighted(ctx context.Context, s *tempering.Sets, j int, sets [][]int, logPrior func([]int) float64, particles int) ([]float64, []*tempering.Estimate, error) {
	list := make([]tempering.Parents, len(sets))
	for k, set := range sets {
		list[k] = tempering.Parents{Of: j, Set: set}
	}
	estimates, err := s.Estimate(ctx, list, particles)
	if err != nil {
		return nil, nil, err
	}
	q := make([]float64, len(sets))
	for k, e := range estimates {
		q[k] = e.LogEvidence + logPrior(sets[k])
	}
	return q, estimates, nil
}

// equip gives the draws networks of the sets of parents that they have.
func (s *networkSets) equip(f *particleFit, p *posterior.Posterior, pools []parentPool) error {
	p.Components[0].NoiseVariance = f.noiseVariance()
	return s.model.equip(p.Draws, f.data, s.long, func(j int, set []int) *tempering.Estimate { return pools[j].network(set) })
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
