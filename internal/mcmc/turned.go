package mcmc

import (
	"math"
	"slices"

	"tobac/dag"
	"tobac/internal/nodescore"
)

// turning is by how much ln p(D, G) may fall where an edge turns around that chains often try to
// turn. Chains turn others too, less often.
const turning = 6

// addTurned raises dst, at j·d+i, to what i → j is worth where an edge of a graph is turned around,
// see addDetours. Often both of its ends then exchange parents. For each edge j → k both take anew,
// by single changes, the parents that suit them best among those that they have together, k one of
// those of j. It returns the edges that may turn, as pairs in ascending order.
func (p *problem) addTurned(dst []float64, g *dag.Graph) (open [][2]int) {
	below, now := g.Closure(), make([]float64, p.d)
	for j := range now {
		now[j] = p.q(j, g.Parents(j))
	}
	for _, e := range g.Edges() {
		j, k := e.From, e.To
		pool := g.Parents(j)
		for _, i := range g.Parents(k) {
			if i != j && !below.Has(j, i) && !slices.Contains(pool, i) {
				pool = nodescore.Toggled(pool, i)
			}
		}
		ofJ := p.climb(j, nodescore.Toggled(g.Parents(j), k), pool)
		ofK := p.climb(k, slices.DeleteFunc(g.Parents(k), func(i int) bool {
			return !slices.Contains(pool, i)
		}), pool)
		loss := now[j] + now[k] - ofJ.q - ofK.q
		if !(loss < detour) {
			continue
		}
		if loss < turning {
			open = append(open, [2]int{min(j, k), max(j, k)})
		}
		weight := math.Exp(-max(loss, 0) / 2)
		dst[j*p.d+k] = max(dst[j*p.d+k], weight)
		ofJ.addConditionals(dst, weight, p.d)
		ofK.addConditionals(dst, weight, p.d)
	}
	return open
}

// A climbed set of parents of j suits it best among those that differ by one variable of a pool.
type climbed struct {
	j         int
	set, pool []int
	q         float64
	next      []float64 // q with each variable of the pool toggled
}

// climb toggles single variables of the pool in a set of parents of j as long as that gains.
func (p *problem) climb(j int, set, pool []int) climbed {
	all := pool
	for _, i := range set {
		if !slices.Contains(all, i) {
			all = nodescore.Toggled(all, i)
		}
	}
	var near func(dst []float64, parents, variables []int)
	if s, ok := p.scorer.(nodescore.NearScorer); ok {
		near = s.Neighbours(j, all)
	}
	c := climbed{j: j, set: set, pool: pool, q: p.q(j, set), next: make([]float64, len(pool))}
	for {
		slack := 1e-6 + 1e-9*math.Abs(c.q)
		if nodescore.Near(p.scorer, c.set) {
			near(c.next, c.set, pool)
			p.prior.AddToToggled(c.next, j, c.set, pool)
			slack += nodescore.NearSlack
		} else {
			nodescore.LogWeightsToggled(p.scorer, p.prior, c.next, j, c.set, pool)
		}
		best := 0
		for n, v := range c.next {
			if v > c.next[best] {
				best = n
			}
		}
		if len(pool) == 0 || !(c.next[best] > c.q+slack) {
			return c
		}
		c.set, c.q = nodescore.Toggled(c.set, pool[best]), c.next[best]
	}
}

// addConditionals raises dst to weight times the probability of each variable of the pool as a
// parent, given the other ones.
func (c climbed) addConditionals(dst []float64, weight float64, d int) {
	for n, i := range c.pool {
		chance := 1 / (1 + math.Exp(c.q-c.next[n]))
		if slices.Contains(c.set, i) {
			chance = 1 - chance
		}
		dst[c.j*d+i] = max(dst[c.j*d+i], weight*chance)
	}
}

// undecidedOf are the pairs of some lists that are candidates of each other, ascending.
func (p *problem) undecidedOf(lists [][][2]int) [][2]int {
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return slices.DeleteFunc(slices.Compact(all), func(e [2]int) bool {
		return !p.mutual(e)
	})
}

// mutual reports whether variables are candidates of each other.
func (p *problem) mutual(e [2]int) bool {
	return p.tables[e[0]].bit(e[1]) != 0 && p.tables[e[1]].bit(e[0]) != 0
}
