package mcmc

import (
	"cmp"
	"context"
	"math"
	"slices"

	"tobac/score"
)

// Rounds of refine, and the iterations of each.
const (
	pilotRounds     = 8
	pilotIterations = 20
)

// refine exchanges candidates for better ones. In each round the chains move for
// some iterations, and every rung counts for each pair how probable the edge i → j is:
// for a candidate i given the partition, for another variable given all other edges
// of a drawn graph. An edge is worth its own probability and half that of the opposite
// edge, which the likelihood often cannot tell from it. The candidates of every
// child are then the most valuable variables, until none changes.
func (m *Sampler) refine(ctx context.Context) error {
	d := m.d
	complete := true
	for _, open := range m.open {
		complete = complete && len(open) == 0
	}
	if complete {
		return nil
	}
	sum, terms := make([]float64, d*d), 0. // of i → j at j·d+i
	for round := range pilotRounds {
		counts := make([]pilotCounts, len(m.chains))
		err := parallel(ctx, m.options.Workers, len(m.chains), func(ctx context.Context, k int) error {
			counts[k].sum = make([]float64, d*d)
			return m.chains[k].pilot(ctx, &counts[k], round)
		})
		if err != nil {
			return err
		}
		terms /= 2
		for k := range sum {
			sum[k] /= 2
		}
		for _, c := range counts {
			terms += c.terms
			for k, v := range c.sum {
				sum[k] += v
			}
		}
		value := make([]float64, d*d)
		for i := range d {
			for j := range d {
				value[j*d+i] = (sum[j*d+i] + sum[i*d+j]/2) / terms
				if m.prior.Required(i, j) {
					value[j*d+i] = math.Inf(1)
				}
			}
		}
		changed, err := m.exchangeCandidates(ctx, value)
		if err != nil || !changed {
			return err
		}
	}
	return nil
}

// pilotCounts are weighted sums of the probabilities of all edges i → j, at j·d+i.
type pilotCounts struct {
	sum   []float64
	terms float64 // sum of the weights
}

// pilot makes the iterations of a round, and adds probabilities of edges to counts.
func (c *chain) pilot(ctx context.Context, counts *pilotCounts, round int) error {
	p := make([]float64, score.MaxCandidates)
	for t := range pilotIterations {
		if err := ctx.Err(); err != nil {
			return err
		}
		for r, s := range c.rungs {
			beta := c.betas[r]
			if round == 0 {
				part := float64(t+1) / pilotIterations
				beta *= part * part
			}
			c.sweep(r, beta)
			if t%5 != 4 || t < pilotIterations/2 {
				continue
			}
			weight := math.Pow(c.betas[r], 4)
			counts.terms += weight
			c.drawGraph(s)
			for j, t := range c.tables {
				t.marginals(p[:len(t.parents)], s.before[j], s.near[j])
				for k, i := range t.parents {
					counts.sum[j*c.d+i] += weight * p[k]
				}
				for k, v := range c.outside(j) {
					counts.sum[j*c.d+c.open[j][k]] += weight * v
				}
			}
		}
	}
	return nil
}

// exchangeCandidates gives every child the candidates of the largest value, makes
// its table anew, and moves all partitions to the new tables. It reports whether
// any candidate is new.
func (m *Sampler) exchangeCandidates(ctx context.Context, value []float64) (bool, error) {
	d := m.d
	lists, changed := make([][]int, d), false
	for j, t := range m.tables {
		list := slices.Concat(t.parents, m.open[j]) // candidates first, if all else is equal
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(value[j*d+b], value[j*d+a]) })
		lists[j] = slices.Sorted(slices.Values(list[:t.candidates]))
		changed = changed || !slices.Equal(lists[j], t.parents)
	}
	if !changed {
		return false, nil
	}
	graphs := m.graphs()
	err := parallel(ctx, m.options.Workers, d, func(ctx context.Context, j int) error {
		if slices.Equal(lists[j], m.tables[j].parents) {
			return ctx.Err()
		}
		t, err := newTable(ctx, m.scorer, m.prior, j, lists[j])
		if err == nil {
			m.tables[j] = t
		}
		return err
	})
	if err != nil {
		return false, err
	}
	m.divide()
	m.reseat(graphs)
	return true, nil
}

// graphs draws a graph given each partition, as the parents of every node.
func (m *Sampler) graphs() [][][][]int {
	all := make([][][][]int, len(m.chains))
	for k, c := range m.chains {
		for _, s := range c.rungs {
			c.drawGraph(s)
			all[k] = append(all[k], c.graph.lists())
		}
	}
	return all
}

// reseat makes the partitions those of the graphs, without the edges from variables
// that are no candidates any more.
func (m *Sampler) reseat(graphs [][][][]int) {
	for k, c := range m.chains {
		for r := range c.rungs {
			s, g := newPartition(m.problem), &c.graph
			g.clear(s.tables)
			for j, t := range s.tables {
				set := uint32(0)
				for _, i := range graphs[k][r][j] {
					set |= t.bit(i)
				}
				g.set(j, set)
			}
			g.layers(s.layer)
			s.fill()
			c.rungs[r] = s
		}
	}
}

// extend makes the tables with an extra parent.
func (m *Sampler) extend(ctx context.Context) error {
	more := make([][]*table, m.d)
	err := parallel(ctx, m.options.Workers, m.d, func(ctx context.Context, j int) error {
		for _, i := range m.open[j] {
			t, err := m.tables[j].with(ctx, m.scorer, m.prior, j, i)
			if err != nil {
				return err
			}
			more[j] = append(more[j], t)
		}
		return nil
	})
	m.more = more
	return err
}
