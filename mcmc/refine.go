package mcmc

import (
	"cmp"
	"context"
	"math"
	"math/bits"
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
// for a candidate i given the partition, for another variable of an earlier layer as in
// [outside]. An edge is worth its own probability and half that of the opposite
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
			c.sweep(r, beta)
			if t%5 != 4 || t < pilotIterations/2 {
				continue
			}
			for j := range c.d {
				list := c.tables[j].candidates
				c.tables[j].marginals(p[:len(list)], s.before[j], s.near[j])
				for k, i := range list {
					counts[j*c.d+i] += p[k]
				}
				for k, v := range c.outside(s, j) {
					counts[j*c.d+c.open[j][k]] += v
				}
			}
		}
	}
	return nil
}

// outside returns, for each variable i that is allowed as a parent of j but is no
// candidate, the probability of i → j given all other edges of a graph drawn given
// the partition: w/(1+w), where w = exp(q(A∪i) − q(A)), A the parents of j in the
// graph, and zero if i is not in an earlier layer. The result is valid until the
// next call.
func (c *mover) outside(s *partition, j int) []float64 {
	p := c.chance[:len(c.open[j])]
	clear(p)
	if len(p) == 0 || s.layer[j] == 0 {
		return p
	}
	t := &c.tables[j]
	set := t.draw(s.before[j], s.near[j], c.rng)
	before := t.scores[set] + t.offset
	for k, i := range c.open[j] {
		if s.layer[i] >= s.layer[j] {
			continue
		}
		c.subset = c.subset[:0]
		for rest := set; rest != 0; rest &= rest - 1 {
			c.subset = append(c.subset, t.candidates[bits.TrailingZeros32(rest)])
		}
		at, _ := slices.BinarySearch(c.subset, i)
		c.subset = slices.Insert(c.subset, at, i)
		p[k] = 1 / (1 + math.Exp(before-c.q(j, c.subset)))
	}
	return p
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
		list := m.tables[j].candidates
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
	graphs := m.graphsOfRungs()
	err := parallel(ctx, m.options.Workers, d, func(ctx context.Context, j int) error {
		if next[j] == nil {
			return ctx.Err()
		}
		t, err := newTable(ctx, m.scorer, m.prior, j, next[j])
		if err == nil {
			m.tables[j] = t
		}
		return err
	})
	if err != nil {
		return false, err
	}
	m.connect()
	m.reseat(graphs)
	return true, nil
}

// graphsOfRungs draws a graph given each partition, as the edges from i to j at
// j·d+i of each rung of each chain.
func (m *Sampler) graphsOfRungs() [][][]bool {
	all := make([][][]bool, len(m.chains))
	for k, c := range m.chains {
		for _, s := range c.rungs {
			edges := make([]bool, m.d*m.d)
			c.drawGraph(s)
			for j, set := range c.graph.parents {
				for ; set != 0; set &= set - 1 {
					edges[j*m.d+m.tables[j].candidates[bits.TrailingZeros32(set)]] = true
				}
			}
			all[k] = append(all[k], edges)
		}
	}
	return all
}

// reseat makes the partitions those of the graphs, without edges from variables
// that are no candidates any more.
func (m *Sampler) reseat(graphs [][][]bool) {
	for k, c := range m.chains {
		for r, s := range c.rungs {
			c.graph.clear()
			for j := range m.d {
				set := uint32(0)
				for b, i := range m.tables[j].candidates {
					if graphs[k][r][j*m.d+i] {
						set |= 1 << b
					}
				}
				c.graph.set(j, set)
			}
			c.graph.layers(s.layer)
			c.fill(s)
		}
	}
}
