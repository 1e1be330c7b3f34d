package mcmc

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"tobac/dag"
	"tobac/internal/nodescore"
	"tobac/internal/parallel"
	"tobac/internal/scoring"
	"tobac/internal/search"
	"tobac/internal/stream"
	"tobac/score"
)

// Rounds of refine, and the iterations of a chain in each.
const (
	pilotRounds     = 3
	pilotIterations = 30
	pilotSpacing    = 10 // iterations between those that are counted
)

// worthless is the value below which a variable is no candidate, if a child has leastCandidates
// others: it may then be a parent by [mover.outsideMove] only, at a higher price. It changes the
// speed of a chain, not what it samples. Of few variables whose scores are fast all are candidates:
// modes differ by several parents that are improbable in each other. Where tables of scores are
// slow ([nodescore.HasSlowTables]), a child has slowCandidates at most: each exchange of a parent
// from outside takes a table.
const (
	worthless       = 0.002
	leastCandidates = 4
	slowCandidates  = 12
)

// certain is the value from which a parent is no candidate, if a child has more parents of the
// value likely than candidates: the chains keep it as an extra parent. Elsewhere it stays a
// candidate: moves that turn edges around take no others.
const (
	certain = 1 - 1e-6
	likely  = 0.5
)

// hopeless is by how much ln p(D, G) of the start of a chain may be below that of the best one.
// Beyond it, the chain starts at the best one too: its own has a share of about e^−7 of the
// posterior.
const hopeless = 7

// manyVariables is the number of variables above which chains that no start is given for begin at
// that of another chain, from which a search widens and narrows again ([search.Back]). A search
// from nothing takes twice as long, and ends more often in a wrong order. Where scores are so few
// that there is nothing to go back to, it is made.
const manyVariables = 128

// begin finds a probable graph for each chain, chooses candidates by these
// graphs, makes their tables, and puts all rungs of a chain at its graph.
func (m *Sampler) begin(ctx context.Context) error {
	var wider []score.Scorer
	if len(m.options.Starts) < len(m.chains) {
		wider = m.options.Wider
	}
	screens, err := search.NewScreens(ctx, append(slices.Clone(wider), m.scorer), m.prior,
		m.options.Workers)
	if err != nil {
		return err
	}
	back := search.Back(screens)
	starts, logs := make([][][]int, len(m.chains)), make([]float64, len(m.chains))
	detours := make([][]float64, len(m.chains))
	m.turned = make([][][2]int, len(m.chains))
	sums := make([][]float64, len(m.chains))
	err = parallel.For(ctx, len(m.chains), m.options.Workers, func(k int) error {
		rng := stream.New(m.options.Seed, stream.MCMCStart, k)
		through, from := screens, (*dag.Graph)(nil)
		switch n := len(m.options.Starts); {
		case k < n, n > 0 && m.options.Apart:
			through, from = screens[len(wider):], m.options.Starts[k%n]
		case n > 0 && m.d > manyVariables && len(back) > 1:
			through, from = back, m.options.Starts[k%n]
		}
		s, err := search.Through(ctx, through, rng, 0, from)
		if err != nil {
			return err
		}
		starts[k], logs[k] = s.Parents(), s.LogScore()
		sums[k], detours[k] = m.conditionals(s), make([]float64, m.d*m.d)
		m.addDetours(detours[k], s)
		m.turned[k] = m.addTurned(detours[k], s.Graph())
		return nil
	})
	if err != nil {
		return err
	}
	best := floats.MaxIdx(logs)
	sum := make([]float64, m.d*m.d)
	m.detours = make([]float64, m.d*m.d)
	for k := range starts {
		part := math.Exp((logs[k] - logs[best]) / 2)
		for e, v := range detours[k] {
			m.detours[e] = max(m.detours[e], part*v)
		}
		if logs[k] < logs[best]-hopeless && !m.options.Apart {
			starts[k], sums[k] = starts[best], sums[best]
		}
		floats.Add(sum, sums[k])
	}
	lists := m.candidates(m.values(sum, float64(len(starts))))
	if err := m.tabulate(ctx, lists); err != nil {
		return err
	}
	graphs := make([][][][]int, len(m.chains))
	for k := range m.chains {
		m.chains[k] = newChain(m.problem, m.options, k)
		for range m.options.Rungs {
			graphs[k] = append(graphs[k], starts[k])
		}
	}
	return m.reseat(ctx, graphs)
}

// tabulate makes the tables of all candidates.
func (m *Sampler) tabulate(ctx context.Context, candidates [][]int) error {
	err := parallel.For(ctx, m.d, m.options.Workers, func(j int) (err error) {
		m.tables[j], err = newTable(ctx, m.scorer, m.prior, j, candidates[j])
		return err
	})
	if err == nil {
		m.divide()
	}
	return err
}

// conditionals returns, at j·d+i, the probability of i → j given all other edges of a graph.
func (p *problem) conditionals(s *search.Searcher) []float64 {
	dst, g, all := make([]float64, p.d*p.d), s.Graph(), s.Parents()
	reached, logs := g.Closure(), make([]float64, p.d-1)
	for j, parents := range all {
		now, others := p.q(j, parents), dag.AllBut(p.d, j)
		nodescore.LogWeightsToggled(p.scorer, p.prior, logs, j, parents, others)
		for k, i := range others {
			switch {
			case p.prior.Forbidden(i, j):
			case g.Has(i, j):
				dst[j*p.d+i] = 1 / (1 + math.Exp(logs[k]-now))
			case !reached.Has(j, i):
				dst[j*p.d+i] = 1 / (1 + math.Exp(now-logs[k]))
			}
		}
	}
	return dst
}

// detour is by how much ln p(D, G) may fall on walks of variables along the order of a probable
// graph, with parents that are candidates then: those of other modes, which are improbable given
// all other edges of this one.
const detour = 12

// addDetours raises dst, at j·d+i, to the value of i → j on such walks from a graph: e^(−loss/2).
// Half of the loss counts, since a mode may have more graphs than another.
func (m *Sampler) addDetours(dst []float64, s *search.Searcher) {
	s.Detours(func(loss float64, j int, parents []int) {
		if loss > detour {
			return
		}
		value := math.Exp(-max(loss, 0) / 2)
		for _, i := range parents {
			dst[j*m.d+i] = max(dst[j*m.d+i], value)
		}
	})
}

// values returns what the edges i → j are worth as candidates, at j·d+i: the mean of
// their probabilities, and half that of the opposite edge, which the likelihood
// often cannot tell from it, and what they are worth on detours.
func (m *Sampler) values(sum []float64, terms float64) []float64 {
	value := make([]float64, m.d*m.d)
	for i := range m.d {
		for j := range m.d {
			v := (sum[j*m.d+i] + sum[i*m.d+j]/2) / terms
			value[j*m.d+i] = v + max(1-v, 0)*m.detours[j*m.d+i]/2
			if m.prior.Required(i, j) {
				value[j*m.d+i] = math.Inf(1)
			}
		}
	}
	return value
}

// candidates returns for each child the allowed parents that are worth it, ascending, and at most
// as many as the options say. Required ones are among them.
func (m *Sampler) candidates(value []float64) [][]int {
	lists, worth, probable := make([][]int, m.d), make([]int, m.d), make([]int, m.d)
	_, fast := m.scorer.(nodescore.ToggleScorer)
	slow := nodescore.HasSlowTables(m.scorer)
	for j := range lists {
		for i := range m.d {
			if i == j || m.prior.Forbidden(i, j) {
				continue
			}
			lists[j] = append(lists[j], i)
			if value[j*m.d+i] >= worthless {
				worth[j]++
			}
			if value[j*m.d+i] >= likely {
				probable[j]++
			}
		}
		worth[j] = min(max(worth[j], leastCandidates), len(lists[j]))
		limit, few := len(lists[j]), probable[j] < manyParents
		if slow || m.d > fewVariables && few {
			limit = max(m.options.Candidates, DefaultCandidates(m.d))
		}
		if slow && few {
			limit = min(limit, max(m.options.Candidates, slowCandidates))
		}
		worth[j] = min(worth[j], limit)
		switch {
		case slow:
		case m.d > fewVariables && few:
			worth[j] = cheapest(value[j*m.d:(j+1)*m.d], lists[j], worth[j],
				max(m.options.Candidates, slowCandidates))
		case fast && m.d <= fewVariables:
			worth[j] = limit
		}
	}
	most := m.options.most(worth)
	for j, all := range lists {
		required := 0
		for _, i := range all {
			if m.prior.Required(i, j) {
				required++
			}
		}
		n := min(worth[j], most)
		of := value[j*m.d : (j+1)*m.d]
		if probable[j] > n {
			of = slices.Clone(of)
			for i, v := range of {
				if v >= certain && !m.prior.Required(i, j) {
					of[i] = worthless
				}
			}
		}
		lists[j] = search.Best(all, of, max(n, required))
	}
	return lists
}

// cheapest is the number of candidates, from least to most of a list, with which exchanges of
// parents from outside take the least time. One candidate less halves the table that each of them
// makes. It adds as many exchanges as the candidate is worth, in proportion to what all variables
// outside are worth together: so the least one goes while it is worth less than these.
func cheapest(value []float64, list []int, most, least int) int {
	if most <= least {
		return most
	}
	worth := make([]float64, len(list))
	for k, i := range list {
		worth[k] = value[i]
	}
	slices.SortFunc(worth, func(a, b float64) int { return cmp.Compare(b, a) })
	outside := floats.Sum(worth[most:])
	for most > least && worth[most-1] < outside {
		most--
		outside += worth[most]
	}
	return most
}

// refine exchanges candidates for better ones. In each round the chains move for
// some iterations, and count for each pair how probable the edge i → j is:
// for a candidate i given the partition, for another variable given all other edges
// of a drawn graph. The candidates of every child are then the most valuable
// variables, until none changes.
func (m *Sampler) refine(ctx context.Context) error {
	sum, terms := make([]float64, m.d*m.d), 0.
	for range pilotRounds {
		counts := make([][]float64, len(m.chains))
		err := parallel.For(ctx, len(m.chains), m.options.Workers, func(k int) error {
			counts[k] = make([]float64, m.d*m.d)
			return m.chains[k].pilot(ctx, counts[k])
		})
		if err != nil {
			return err
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
		changed, err := m.exchangeCandidates(ctx, m.candidates(m.values(sum, terms)))
		if err != nil || !changed {
			return err
		}
	}
	return nil
}

// pilot moves the first rung and adds the probabilities of all edges i → j at some
// of its iterations to sum, at j·d+i. The other rungs follow it.
func (c *chain) pilot(ctx context.Context, sum []float64) error {
	s, p := c.rungs[0], make([]float64, scoring.MostCandidates)
	for t := range pilotIterations {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.sweep(0, 1)
		if t%pilotSpacing != pilotSpacing-1 {
			continue
		}
		for j, t := range c.tables {
			s.tables[j].marginals(p[:len(t.parents)], s.before[j], s.near[j])
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
	m.wider.tables = nil // of other candidates
	m.divide()
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

// reseat makes the partitions those of the graphs. The tables with extra parents are made variable
// by variable, in which many partitions have the same.
func (m *Sampler) reseat(ctx context.Context, graphs [][][][]int) error {
	for k, c := range m.chains {
		c.rungs = c.rungs[:0]
		for range graphs[k] {
			c.rungs = append(c.rungs, newPartition(m.problem))
		}
	}
	err := parallel.For(ctx, m.d, m.options.Workers, func(j int) error {
		for k, c := range m.chains {
			for r, s := range c.rungs {
				s.tables[j] = m.widerTable(j, slices.DeleteFunc(slices.Clone(graphs[k][r][j]),
					func(i int) bool { return m.tables[j].bit(i) != 0 }))
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	for k, c := range m.chains {
		for r, s := range c.rungs {
			g := &c.graph
			g.clear(s.tables)
			for j, t := range s.tables {
				set := t.given
				for _, i := range graphs[k][r][j] {
					set |= t.bit(i)
				}
				g.set(j, set)
			}
			g.layers(s.layer)
			s.fill()
		}
	}
	return nil
}
