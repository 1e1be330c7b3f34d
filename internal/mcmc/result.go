package mcmc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/diagnostics"
)

// A Result is what the chains have recorded after their warm-up.
type Result struct {
	// Edges has the posterior probability of i → j in row i, column j, d×d: the mean over
	// samples of its probability given the partition. Where i is not among the
	// candidates of j, it is the mean of its probability given all other edges of
	// sampled graphs.
	Edges *mat.Dense
	// Outside is the sum of the probabilities of edges from variables that are no candidates.
	Outside float64
	// Draws are graphs from the posterior, of equal weight, from equally spaced samples
	// of all chains.
	Draws       []Draw
	Diagnostics diagnostics.GraphChains
}

// A Draw is a graph from the posterior.
type Draw struct {
	Graph    *dag.Graph
	LogScore float64 // ln p(D, G) = Σ_j q(j, parents)
	Chain    int
}

// Best is the most probable of the drawn graphs of each chain, of which the most probable one comes
// first.
func (r *Result) Best() []*dag.Graph {
	draws := slices.Clone(r.Draws)
	slices.SortStableFunc(draws, func(a, b Draw) int { return cmp.Compare(b.LogScore, a.LogScore) })
	var best []*dag.Graph
	of := map[int]bool{}
	for _, d := range draws {
		if !of[d.Chain] {
			best = append(best, d.Graph)
			of[d.Chain] = true
		}
	}
	return best
}

// Result returns what the chains have recorded. An error says that they have
// recorded nothing yet.
func (m *Sampler) Result() (*Result, error) {
	mean, all, err := m.recorded()
	if err != nil {
		return nil, err
	}
	res := &Result{Edges: mat.NewDense(m.d, m.d, nil), Diagnostics: m.diagnose(mean, all)}
	for j, t := range m.tables {
		for k, i := range t.parents {
			res.Edges.Set(i, j, mean[m.first[j]+k])
		}
	}
	m.addOutside(res)
	for k, c := range m.chains {
		for _, d := range c.record.draws {
			res.Draws = append(res.Draws,
				Draw{Graph: graphOf(d.Parents), LogScore: d.LogScore, Chain: k})
		}
	}
	return res, nil
}

// Diagnostics returns those of [Sampler.Result].
func (m *Sampler) Diagnostics() (diagnostics.GraphChains, error) {
	mean, all, err := m.recorded()
	if err != nil {
		return diagnostics.GraphChains{}, err
	}
	return m.diagnose(mean, all), nil
}

// recorded returns the means of the recorded numbers, and their series by chain.
func (m *Sampler) recorded() (mean []float64, all []series, err error) {
	mean, samples := make([]float64, m.first[m.d]+1), 0
	for k, c := range m.chains {
		s := c.record.series
		if s.samples() == 0 {
			return nil, nil,
				fmt.Errorf("mcmc: chain %d has made %d iterations and records from iteration %d on",
					k+1, c.iteration, c.warmUp)
		}
		all = append(all, s)
		s.sum(mean)
		samples += s.samples()
	}
	for k := range mean {
		mean[k] /= float64(samples)
	}
	for k := range mean[:len(mean)-1] {
		mean[k] = min(mean[k], 1)
	}
	return mean, all, nil
}

// mostUncertain is the number of edges that chains are judged by.
const mostUncertain = 100

// diagnose describes what is recorded.
func (m *Sampler) diagnose(mean []float64, all []series) diagnostics.GraphChains {
	d := diagnostics.GraphChains{Rungs: m.rungs(),
		LogP: quantity(all, len(mean)-1, mean[len(mean)-1])}
	for k := range all {
		d.Samples += all[k].samples()
	}
	place := make([]int, len(mean)-1) // of edges, least certain first
	for k := range place {
		place[k] = k
	}
	slices.SortStableFunc(place, func(a, b int) int {
		return cmp.Compare(math.Abs(mean[a]-0.5), math.Abs(mean[b]-0.5))
	})
	for _, k := range place[:min(mostUncertain, len(place))] {
		j := sort.Search(m.d, func(j int) bool { return m.first[j+1] > k })
		d.Uncertain = append(d.Uncertain,
			diagnostics.EdgeQuantity{From: m.tables[j].parents[k-m.first[j]], To: j,
				Quantity: quantity(all, k, mean[k])})
	}
	return d
}

// addOutside sets the probabilities of edges from no candidates.
func (m *Sampler) addOutside(res *Result) {
	for j, open := range m.open {
		for _, i := range open {
			sum, looks := 0., 0
			for _, c := range m.chains {
				sum += c.record.outside[j*m.d+i]
				looks += c.record.looks[j]
			}
			if looks > 0 {
				res.Edges.Set(i, j, sum/float64(looks))
				res.Outside += sum / float64(looks)
			}
		}
	}
}

// graphOf is the graph with the given parents.
func graphOf(parents [][]int) *dag.Graph {
	g := dag.New(len(parents))
	for j, list := range parents {
		for _, i := range list {
			g.Set(i, j, true)
		}
	}
	return g
}

// rungs averages the counts over the chains.
func (m *Sampler) rungs() []diagnostics.Rung {
	list := make([]diagnostics.Rung, m.options.Rungs)
	part := 1 / float64(len(m.chains))
	for _, c := range m.chains {
		for r := range list {
			list[r].InverseTemperature += part * c.betas[r]
			list[r].Relocate += part * c.counts[r].Relocate.rate()
			list[r].Swap += part * c.counts[r].Swap.rate()
			list[r].SplitMerge += part * c.counts[r].SplitMerge.rate()
			list[r].Reverse += part * c.counts[r].Reverse.rate()
			if r < len(c.swaps) {
				list[r].Exchange += part * c.swaps[r].rate()
			}
		}
	}
	return list
}
