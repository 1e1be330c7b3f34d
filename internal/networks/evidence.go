package networks

import (
	"context"
	"fmt"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/drawn"
	"tobac/internal/tempering"
	"tobac/posterior"
	"tobac/sem"
)

// Estimates are the estimates so far of evidences of networks.
type Estimates struct {
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
func NewEstimates(data *dataset.Table, cfg tempering.Config) (*Estimates, error) {
	sets, err := tempering.NewSets(data.X, data.Mask(), cfg)
	return &Estimates{data: data, sets: sets, known: map[string]*tempering.Estimate{}}, err
}

// FamilyKey tells variables with their sets of parents apart.
func FamilyKey(j int, set []int) string { return fmt.Sprint(j, set) }

// of is the estimate of a set of parents of variable j; nil means there is none.
func (e *Estimates) of(j int, set []int) *tempering.Estimate {
	return e.known[FamilyKey(j, set)]
}

// withSweeps makes estimates with another number of sweeps, beside those known.
func (e *Estimates) withSweeps(n int) *Estimates {
	other := *e
	other.sets = e.sets.WithSweeps(n)
	return &other
}

// Estimate estimates the sets of a list, in place of what was known of them.
func (e *Estimates) Estimate(ctx context.Context, list []tempering.Parents,
	particles int) ([]*tempering.Estimate, error) {
	all, err := e.sets.Estimate(ctx, list, particles)
	if err != nil {
		return nil, err
	}
	for _, v := range all {
		e.known[FamilyKey(v.Of, v.Set)] = v
	}
	return all, nil
}

// Missing are the sets of parents in graphs that have no estimate, each once.
func (e *Estimates) Missing(graphs []*dag.Graph) (list []tempering.Parents) {
	listed := map[string]bool{}
	for _, g := range graphs {
		for j := range g.Len() {
			set := g.Parents(j)
			if k := FamilyKey(j, set); e.known[k] == nil && !listed[k] {
				listed[k] = true
				list = append(list, tempering.Parents{Of: j, Set: set})
			}
		}
	}
	return list
}

// Equip gives draws of graphs networks from the estimates of the sets of parents that they have, in
// turn, with their log densities.
func (e *Estimates) Equip(draws []posterior.Draw, m sem.Network) error {
	for k := range draws {
		parents := make([]*tempering.Estimate, len(e.data.Names))
		for j := range parents {
			parents[j] = e.of(j, draws[k].Graph.Parents(j))
		}
		draws[k].Parameters = e.sets.Draw(parents, k).Parameters
	}
	return drawn.AddDensities(draws, posterior.Component{}, m, e.data)
}
