package mcmc

import (
	"math"
	"slices"

	"tobac/internal/nodescore"
)

// outsideMove adds a variable that is no candidate to the parents of a uniform node of the
// graph, or takes one of those away, each with probability ½. To the parents A with the extra
// ones E it adds i in proportion to the ratio w_i = p(A∪i)/p(A), among those that make no cycle.
// With Z = Σ_i w_i, the ratio of acceptance is Z/(|E|+1). The way back takes away each extra parent
// with the same probability, with the ratio of acceptance |E|/Z, where Z is that of the parents
// that are left.
func (c *mover) outsideMove(beta float64) bool {
	g := &c.graph
	j := c.rng.IntN(c.d)
	if len(c.open[j]) == 0 {
		return false
	}
	old := g.tables[j]
	extras := old.extras
	if c.rng.IntN(2) == 0 {
		g.search(j)
		total := c.ratios(j, g.list(j), extras)
		if math.IsInf(total, -1) {
			return false
		}
		next := nodescore.Toggled(extras, c.open[j][c.choose(c.chances[:len(c.open[j])], 1)])
		return c.admitExtras(j, next, beta, total-math.Log(float64(len(next))))
	}
	if len(extras) == 0 {
		return false
	}
	i := extras[c.rng.IntN(len(extras))]
	next := nodescore.Toggled(extras, i)
	g.search(j)
	total := c.ratios(j, nodescore.Toggled(g.list(j), i), next)
	return c.admitExtras(j, next, beta, math.Log(float64(len(extras)))-total)
}

// ratios fills chances with ln w of the variables in open[j], and returns ln Σ w. It uses the
// last search from j.
func (c *mover) ratios(j int, parents, extras []int) float64 {
	logs, best := c.chances[:len(c.open[j])], math.Inf(-1)
	nodescore.LogWeightsToggled(c.scorer, c.prior, logs, j, parents, c.open[j])
	now := c.q(j, parents)
	for k, i := range c.open[j] {
		if logs[k] -= now; c.graph.isReached(i) || slices.Contains(extras, i) {
			logs[k] = math.Inf(-1)
		}
		best = max(best, logs[k])
	}
	if math.IsInf(best, -1) {
		return best
	}
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l - best)
	}
	return best + math.Log(sum)
}

// admitExtras decides on other extra parents of j, as admit does. At beta = 1 only a move that is
// accepted needs their table.
func (c *mover) admitExtras(j int, extras []int, beta, ratio float64) bool {
	g := &c.graph
	if beta == 1 {
		accepted := c.accepts(ratio)
		if accepted {
			g.retable(j, c.widerTable(j, extras))
		}
		return accepted
	}
	old, next := g.tables[j], c.widerTable(j, extras)
	g.retable(j, next)
	c.spare.tables[j] = next
	if c.admit(beta, ratio) {
		return true
	}
	g.retable(j, old)
	c.spare.tables[j] = old
	c.spare.fill()
	return false
}

// outside returns, for each variable i in open[j], the probability of i → j given
// all other edges of the graph: w/(1+w) with w = exp(q(A∪i) − q(A∖i)), A the parents of
// j, and zero if i is a descendant of j. The result is valid until the next call.
func (c *mover) outside(j int) []float64 {
	g, p := &c.graph, c.chances[:len(c.open[j])]
	if len(p) == 0 {
		return p
	}
	g.search(j)
	parents := g.list(j)
	nodescore.LogWeightsToggled(c.scorer, c.prior, p, j, parents, c.open[j])
	now := c.q(j, parents)
	for k, i := range c.open[j] {
		switch {
		case g.isReached(i):
			p[k] = 0
		case g.has(i, j):
			p[k] = 1 / (1 + math.Exp(p[k]-now))
		default:
			p[k] = 1 / (1 + math.Exp(now-p[k]))
		}
	}
	return p
}
