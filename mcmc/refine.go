package mcmc

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/internal/parallel"
	"tobac/internal/stream"
	"tobac/score"
)

// Rounds of refine, and the iterations of each.
const (
	pilotRounds     = 8
	pilotIterations = 20
)

// begin finds a probable graph for each chain, chooses candidates by these
// graphs, makes their tables, and puts all rungs of a chain at its graph.
func (m *Sampler) begin(ctx context.Context) error {
	starts := make([]*climber, len(m.chains))
	err := parallel.For(ctx, len(m.chains), m.options.Workers, func(k int) (err error) {
		var rng *rand.Rand
		if k > 0 {
			rng = stream.New(m.options.Seed, stream.MCMCStart, k)
		}
		starts[k], err = climb(ctx, m.problem, rng)
		return err
	})
	if err != nil {
		return err
	}
	sum := make([]float64, m.d*m.d)
	for _, c := range starts {
		c.addValues(sum)
	}
	lists := m.mostValuable(m.values(sum, float64(len(starts))))
	err = parallel.For(ctx, m.d, m.options.Workers, func(j int) (err error) {
		m.tables[j], err = newTable(ctx, m.scorer, m.prior, j, lists[j])
		return err
	})
	if err != nil {
		return err
	}
	m.divide()
	graphs := make([][][][]int, len(m.chains))
	for k := range m.chains {
		m.chains[k] = newChain(m.problem, m.options, k)
		for range m.options.Rungs {
			graphs[k] = append(graphs[k], starts[k].graph.lists())
		}
	}
	m.reseat(graphs)
	return nil
}

// values returns what the edges i → j are worth as candidates, at j·d+i: the mean of
// their probabilities, and half that of the opposite edge, which the likelihood
// often cannot tell from it.
func (m *Sampler) values(sum []float64, terms float64) []float64 {
	value := make([]float64, m.d*m.d)
	for i := range m.d {
		for j := range m.d {
			value[j*m.d+i] = (sum[j*m.d+i] + sum[i*m.d+j]/2) / terms
			if m.prior.Required(i, j) {
				value[j*m.d+i] = math.Inf(1)
			}
		}
	}
	return value
}

// mostValuable returns for each child the allowed parents of the largest value, as many
// as there are to be candidates, ascending. Required ones are among them.
func (m *Sampler) mostValuable(value []float64) [][]int {
	lists := make([][]int, m.d)
	for j := range lists {
		var all []int
		required := 0
		for i := range m.d {
			if i != j && !m.prior.Forbidden(i, j) {
				all = append(all, i)
			}
			if m.prior.Required(i, j) {
				required++
			}
		}
		slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(value[j*m.d+b], value[j*m.d+a]) })
		all = all[:min(max(m.options.Candidates, required), len(all))]
		slices.Sort(all)
		lists[j] = all
	}
	return lists
}

// refine exchanges candidates for better ones. In each round the chains move for
// some iterations, and every rung counts for each pair how probable the edge i → j is:
// for a candidate i given the partition, for another variable given all other edges
// of a drawn graph. The candidates of every child are then the most valuable
// variables, until none changes.
func (m *Sampler) refine(ctx context.Context) error {
	complete := true
	for _, open := range m.open {
		complete = complete && len(open) == 0
	}
	if complete {
		return nil
	}
	sum, terms := make([]float64, m.d*m.d), 0.
	for range pilotRounds {
		counts := make([]pilotCounts, len(m.chains))
		err := parallel.For(ctx, len(m.chains), m.options.Workers, func(k int) error {
			counts[k].sum = make([]float64, m.d*m.d)
			return m.chains[k].pilot(ctx, &counts[k])
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
		changed, err := m.exchangeCandidates(ctx, m.mostValuable(m.values(sum, terms)))
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
func (c *chain) pilot(ctx context.Context, counts *pilotCounts) error {
	p := make([]float64, score.MaxCandidates)
	for t := range pilotIterations {
		if err := ctx.Err(); err != nil {
			return err
		}
		for r, s := range c.rungs {
			c.sweep(r, c.betas[r])
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

// exchangeCandidates gives every child the candidates in its list, makes its table
// anew, and moves all partitions to the new tables. It reports whether any
// candidate is new.
func (m *Sampler) exchangeCandidates(ctx context.Context, lists [][]int) (bool, error) {
	changed := false
	for j, t := range m.tables {
		changed = changed || !slices.Equal(lists[j], t.parents)
	}
	if !changed {
		return false, nil
	}
	graphs := m.graphs()
	err := parallel.For(ctx, m.d, m.options.Workers, func(j int) error {
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
		c.rungs = c.rungs[:0]
		for r := range graphs[k] {
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
			c.rungs = append(c.rungs, s)
		}
	}
}

// extend makes the tables with an extra parent.
func (m *Sampler) extend(ctx context.Context) error {
	more := make([][]*table, m.d)
	err := parallel.For(ctx, m.d, m.options.Workers, func(j int) error {
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
