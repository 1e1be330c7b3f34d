package mcmc

import (
	"math"
	"slices"
)

// changeExtra draws for every node its extra parent, or none, given the layers: Gibbs
// steps for p(partition)^beta.
func (c *mover) changeExtra(s *partition, beta float64) {
	for j, more := range c.more {
		if s.layer[j] == 0 || len(more) == 0 {
			continue
		}
		t := c.chooseExtra(s, j, beta)
		if t != s.tables[j] {
			s.tables[j] = t
			s.before[j], s.near[j] = t.masks(s.layer, j)
			s.weight[j] = t.mass(s.before[j], s.near[j])
		}
	}
}

// chooseExtra draws a table of node j, which is no source.
func (c *mover) chooseExtra(s *partition, j int, beta float64) *table {
	base, more := c.tables[j], c.more[j]
	before, near := s.before[j]&base.low, s.near[j]&base.low
	logs := c.logs[:len(more)+1]
	for k, t := range more {
		switch l := s.layer[t.extra]; {
		case l >= s.layer[j]:
			logs[k] = math.Inf(-1)
		case l == s.layer[j]-1:
			logs[k] = t.within(before).log()
		default:
			logs[k] = t.mass(before|t.given, near).log()
		}
	}
	logs[len(more)] = base.mass(before, near).log()
	if k := c.choose(logs, beta); k < len(more) {
		return more[k]
	}
	return base
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
	set := append(c.set[:0], g.list(j)...)
	now := c.q(j, set)
	for k, i := range c.open[j] {
		p[k] = 0
		switch {
		case g.isReached(i):
		case g.has(i, j):
			set = remove(set, i)
			p[k] = 1 / (1 + math.Exp(c.q(j, set)-now))
			set = insert(set, i)
		default:
			set = insert(set, i)
			p[k] = 1 / (1 + math.Exp(now-c.q(j, set)))
			set = remove(set, i)
		}
	}
	c.set = set
	return p
}

// insert adds i to an ascending set.
func insert(set []int, i int) []int {
	at, _ := slices.BinarySearch(set, i)
	return slices.Insert(set, at, i)
}

// remove takes i out of a set.
func remove(set []int, i int) []int {
	at := slices.Index(set, i)
	return slices.Delete(set, at, at+1)
}
