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
	for _, c := range m.open {
		complete = complete && len(c) == 0
	}
	if complete {
		return nil
	}
	value := make([]float64, d*d) // of i → j at j·d+i
	for round := range pilotRounds {
		counts := make([][]float64, len(m.chains))
		err := parallel(ctx, m.options.Workers, len(m.chains), func(ctx context.Context, k int) error {
			counts[k] = make([]float64, d*d)
			return m.chains[k].pilot(ctx, counts[k], round)
		})
		if err != nil {
			return err
		}
		for k := range value {
			value[k] /= 2
		}
		for _, c := range counts {
			for k, v := range c {
				value[k] += v
			}
		}
		changed, err := m.exchangeCandidates(ctx, value)
		if err != nil || !changed {
			return err
		}
	}
	return nil
}

// pilot makes the iterations of a round, and adds probabilities of edges to counts.
func (c *chain) pilot(ctx context.Context, counts []float64, round int) error {
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
			if err := c.sweep(ctx, r, beta); err != nil {
				return err
			}
			if t%5 != 4 || t < pilotIterations/2 {
				continue
			}
			weight := math.Pow(c.betas[r], 4)
			c.drawGraph(s)
			for j, t := range s.tables {
				t.marginals(p[:t.candidates], s.before[j], s.near[j])
				for k, v := range p[:t.candidates] {
					counts[j*c.d+t.parents[k]] += weight * v
				}
				c.read(s, j)
				for k, v := range c.scan(s, j, 1, false) {
					counts[j*c.d+c.open[j][k]] += weight * v
				}
			}
		}
	}
	return nil
}

// q is the node score of any parents, in ascending sequence.
func (p *problem) q(j int, parents []int) float64 {
	return p.scorer.LogScore(j, parents) + p.prior.LogPrior(j, parents)
}

// exchangeCandidates gives every child the candidates of the largest value, makes
// its table anew, and moves all partitions to the new tables. It reports whether
// any candidate is new.
func (m *Sampler) exchangeCandidates(ctx context.Context, value []float64) (bool, error) {
	d := m.d
	next := make([][]int, d)
	changed := false
	for j := range d {
		list := m.tables[j].parents
		if len(m.open[j]) == 0 {
			continue
		}
		all := slices.Concat(list, m.open[j]) // candidates first, if all else is equal
		slices.SortStableFunc(all, func(a, b int) int {
			worth := func(i int) float64 {
				if m.prior.Required(i, j) {
					return math.Inf(1)
				}
				return value[j*d+i] + value[i*d+j]/2
			}
			return cmp.Compare(worth(b), worth(a))
		})
		all = all[:len(list)]
		slices.Sort(all)
		if !slices.Equal(all, list) {
			next[j], changed = all, true
		}
	}
	if !changed {
		return false, nil
	}
	graphs := m.graphs()
	err := parallel(ctx, m.options.Workers, d, func(ctx context.Context, j int) error {
		if next[j] == nil {
			return ctx.Err()
		}
		t, err := newTable(ctx, m.scorer, m.prior, j, next[j], nil)
		if err == nil {
			m.tables[j] = t
		}
		return err
	})
	if err != nil {
		return false, err
	}
	m.connect()
	return true, m.reseat(ctx, graphs)
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

// reseat makes the partitions those of the graphs, for the present tables.
func (m *Sampler) reseat(ctx context.Context, graphs [][][][]int) error {
	return parallel(ctx, m.options.Workers, len(m.chains), func(ctx context.Context, k int) error {
		for r := range m.chains[k].rungs {
			s, err := m.chains[k].seat(ctx, graphs[k][r])
			if err != nil {
				return err
			}
			m.chains[k].rungs[r] = s
		}
		return nil
	})
}

// seat returns the partition of a graph.
func (c *mover) seat(ctx context.Context, parents [][]int) (*partition, error) {
	s := newPartition(c.problem)
	for j, list := range parents {
		c.given[j], c.changed[j] = c.given[j][:0], true
		for _, i := range list {
			if c.place[j][i] < 0 {
				c.given[j] = append(c.given[j], i)
			}
		}
	}
	if err := c.retable(ctx, s); err != nil {
		return nil, err
	}
	c.graph.clear(s.tables)
	for j, list := range parents {
		set := s.tables[j].given
		for _, i := range list {
			if k := c.place[j][i]; k >= 0 {
				set |= 1 << k
			}
		}
		c.graph.set(j, set)
	}
	c.graph.layers(s.layer)
	c.fill(s)
	return s, nil
}
