package estimated

import (
	"context"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/drawn"
	"tobac/internal/nodescore"
	"tobac/internal/tempering"
	"tobac/posterior"
	"tobac/sem"
)

// Estimates are the estimates so far of evidences of networks.
type Estimates struct {
	model sem.Network
	data  *dataset.Table
	sets  *tempering.Sets
	known map[string]*tempering.Estimate // by family
}

// ChainSettings are the settings of package tempering for a network, with its defaults of all that
// the network does not say.
func ChainSettings(m sem.Network, seed uint64, workers int) tempering.Config {
	layer := m.FirstLayer()
	return tempering.Config{Hidden: layer.Units, Activation: layer.Activation, NoBias: layer.NoBias,
		NoiseVariance: layer.NoiseVariance, Seed: seed, Workers: workers}
}

// NewEstimates has none yet.
func NewEstimates(m sem.Network, data *dataset.Table, cfg tempering.Config) (*Estimates, error) {
	sets, err := tempering.NewSets(data.X, data.Mask(), cfg)
	return &Estimates{model: m, data: data, sets: sets,
		known: map[string]*tempering.Estimate{}}, err
}

// Estimate estimates the sets of a list, in place of what was known of them.
func (e *Estimates) Estimate(ctx context.Context, list []nodescore.Family,
	particles int) ([]*tempering.Estimate, error) {
	all, err := e.sets.Estimate(ctx, list, particles)
	if err != nil {
		return nil, err
	}
	for _, v := range all {
		e.known[nodescore.FamilyKey(v.Of, v.Set)] = v
	}
	return all, nil
}

// Missing are the sets of parents in graphs that have no estimate, each once.
func (e *Estimates) Missing(graphs []*dag.Graph) []nodescore.Family { return missing(e, graphs) }

// Equip gives draws of graphs networks from the estimates of the sets of parents that they have, in
// turn, with their log densities.
func (e *Estimates) Equip(draws []posterior.Draw) error {
	for k := range draws {
		parents := make([]*tempering.Estimate, len(e.data.Names))
		for j := range parents {
			parents[j] = e.known[nodescore.FamilyKey(j, draws[k].Graph.Parents(j))]
		}
		draws[k].Parameters = e.sets.Draw(parents, k).Parameters
	}
	return drawn.AddDensities(draws, posterior.Component{}, e.model, e.data)
}

var _ estimator = (*Estimates)(nil)

func (e *Estimates) of(j int, set []int) (v estimated, ok bool) {
	k := e.known[nodescore.FamilyKey(j, set)]
	if k == nil {
		return v, false
	}
	return estimated{k.LogEvidence, k.Halves, k.Particles}, true
}

func (e *Estimates) estimate(ctx context.Context, list []nodescore.Family, points,
	work int) error {
	_, err := e.Estimate(ctx, list, points*max(1, work/2))
	return err
}

// Residuals are those of a variable given a set of parents that has an estimate.
func (e *Estimates) Residuals(j int, parents []int) []float64 {
	return e.sets.Residuals(e.known[nodescore.FamilyKey(j, parents)])
}

func (e *Estimates) count() int { return len(e.known) }

func (e *Estimates) equip(p *posterior.Posterior) error { return e.Equip(p.Draws) }

func (e *Estimates) precisions() []precision {
	return []precision{{128, 0}, {256, 0.002}, {512, 0.02}}
}

func (e *Estimates) about() words {
	return words{"evidences of networks", "particles", "scores of Gaussian processes"}
}

func (e *Estimates) close() {}
