package mcmc

import (
	"math"
	"slices"

	"tobac/dag"
	"tobac/internal/nodescore"
)

// addTurned raises dst, at j·d+i, to what i → j is worth where an edge of a graph is turned around,
// see addDetours. Often both of its ends then exchange parents. For each edge j → k both take anew,
// by single changes, the parents that suit them best among those that they have together, k one of
// those of j.
func (p *problem) addTurned(dst []float64, g *dag.Graph) {
	below := g.Closure()
	for _, e := range g.Edges() {
		j, k := e.From, e.To
		pool := g.Parents(j)
		for _, i := range g.Parents(k) {
			if i != j && !below.Has(j, i) && !slices.Contains(pool, i) {
				pool = nodescore.Toggled(pool, i)
			}
		}
		ofJ, q := p.climb(j, nodescore.Toggled(g.Parents(j), k), pool)
		ofK, next := p.climb(k, slices.DeleteFunc(g.Parents(k), func(i int) bool {
			return !slices.Contains(pool, i)
		}), pool)
		loss := p.q(j, g.Parents(j)) + p.q(k, g.Parents(k)) - q - next
		if !(loss < detour) {
			continue
		}
		weight := math.Exp(-max(loss, 0) / 2)
		dst[j*p.d+k] = max(dst[j*p.d+k], weight)
		p.addConditionals(dst, weight, j, ofJ, pool)
		p.addConditionals(dst, weight, k, ofK, pool)
	}
}

// climb toggles single variables of the pool in a set of parents of j as long as that gains.
func (p *problem) climb(j int, set, pool []int) ([]int, float64) {
	q, next := p.q(j, set), make([]float64, len(pool))
	for len(pool) > 0 {
		nodescore.LogWeightsToggled(p.scorer, p.prior, next, j, set, pool)
		best := 0
		for n, v := range next {
			if v > next[best] {
				best = n
			}
		}
		if !(next[best] > q+1e-6+1e-9*math.Abs(q)) {
			break
		}
		set, q = nodescore.Toggled(set, pool[best]), next[best]
	}
	return set, q
}

// addConditionals raises dst to weight times the probability of each variable of the pool as a
// parent of j, given its other ones.
func (p *problem) addConditionals(dst []float64, weight float64, j int, set, pool []int) {
	now, next := p.q(j, set), make([]float64, len(pool))
	nodescore.LogWeightsToggled(p.scorer, p.prior, next, j, set, pool)
	for n, i := range pool {
		chance := 1 / (1 + math.Exp(now-next[n]))
		if slices.Contains(set, i) {
			chance = 1 - chance
		}
		dst[j*p.d+i] = max(dst[j*p.d+i], weight*chance)
	}
}
