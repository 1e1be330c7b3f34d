package mcmc

import (
	"cmp"
	"context"
	"math"
	"slices"

	"tobac/internal/parallel"
	"tobac/internal/stream"
	"tobac/score"
)

// Rounds of refine, and the iterations of a chain in each.
const (
	pilotRounds     = 8
	pilotIterations = 60
	pilotSpacing    = 10 // iterations between those that are counted
)

// extraParents is the largest number of variables of which one may be a parent of a
// child beside its candidates.
const extraParents = 8

// begin finds a probable graph for each chain, chooses candidates by these
// graphs, makes their tables, and puts all rungs of a chain at its graph.
func (m *Sampler) begin(ctx context.Context) error {
	starts := make([]*climber, len(m.chains))
	err := parallel.For(ctx, len(m.chains), m.options.Workers, func(k int) (err error) {
		starts[k] = newClimber(m.problem, stream.New(m.options.Seed, stream.MCMCStart, k))
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	err = parallel.For(ctx, len(m.chains), m.options.Workers, func(k int) error { return starts[k].climb(ctx) })
	if err != nil {
		return err
	}
	sum := make([]float64, m.d*m.d)
	for _, c := range starts {
		c.addValues(sum)
	}
	lists := m.candidates(m.values(sum, float64(len(starts))))
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

// candidates returns for each child the most valuable of the allowed parents,
// ascending. Required ones are among them.
func (m *Sampler) candidates(value []float64) [][]int {
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
		lists[j] = mostValuable(all, value[j*m.d:(j+1)*m.d], max(m.options.Candidates, required))
	}
	return lists
}

// mostValuable returns at most n members of a list, those of the largest value,
// ascending.
func mostValuable(list []int, value []float64, n int) []int {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(value[b], value[a]) })
	list = list[:min(n, len(list))]
	slices.Sort(list)
	return list
}

// refine exchanges candidates for better ones. In each round the chains move for
// some iterations, and count for each pair how probable the edge i → j is:
// for a candidate i given the partition, for another variable given all other edges
// of a drawn graph. The candidates of every child are then the most valuable
// variables, until none changes. It returns the last values.
func (m *Sampler) refine(ctx context.Context) ([]float64, error) {
	var value []float64
	sum, terms := make([]float64, m.d*m.d), 0.
	for range pilotRounds {
		counts := make([][]float64, len(m.chains))
		err := parallel.For(ctx, len(m.chains), m.options.Workers, func(k int) error {
			counts[k] = make([]float64, m.d*m.d)
			return m.chains[k].pilot(ctx, counts[k])
		})
		if err != nil {
			return nil, err
		}
		terms /= 2
		for k := range sum {
			sum[k] /= 2
		}
		for _, c := range counts {
			terms += pilotIterations / pilotSpacing
			for k, v := range c {
				sum[k] += v
			}
		}
		value = m.values(sum, terms)
		changed, err := m.exchangeCandidates(ctx, m.candidates(value))
		if err != nil || !changed {
			return value, err
		}
	}
	return value, nil
}

// pilot moves the first rung and adds the probabilities of all edges i → j at some
// of its iterations to sum, at j·d+i. The other rungs follow it.
func (c *chain) pilot(ctx context.Context, sum []float64) error {
	s, p := c.rungs[0], make([]float64, score.MaxCandidates)
	for t := range pilotIterations {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.sweep(0, 1)
		if t%pilotSpacing != pilotSpacing-1 {
			continue
		}
		for j, t := range c.tables {
			t.marginals(p[:len(t.parents)], s.before[j], s.near[j])
			for k, i := range t.parents {
				sum[j*c.d+i] += p[k]
			}
			for k, v := range c.outside(j) {
				sum[j*c.d+c.open[j][k]] += v
			}
		}
	}
	for _, r := range c.rungs[1:] {
		r.copyFrom(s)
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

// extend makes the tables with an extra parent, of the most valuable variables that
// are no candidates.
func (m *Sampler) extend(ctx context.Context, value []float64) error {
	extra := make([][]int, m.d)
	for j := range extra {
		extra[j] = mostValuable(m.open[j], value[j*m.d:(j+1)*m.d], extraParents)
	}
	more := make([][]*table, m.d)
	err := parallel.For(ctx, m.d, m.options.Workers, func(j int) error {
		for _, i := range extra[j] {
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
