package mcmc

import (
	"math"
	"math/bits"
)

// drawGraph draws a graph given the partition: independent sets of parents.
func (c *mover) drawGraph(s *partition) {
	g := &c.graph
	g.clear()
	for j, l := range s.layer {
		if l > 0 {
			g.set(j, c.tables[j].draw(s.before[j], s.near[j], c.rng))
		}
	}
}

// edgeMoves draws a graph given the partition, makes n moves of it, and returns
// to the partition of the graph that results. The chain of pairs has the
// distribution p(partition)^beta p(graph | partition), so that the ratio of a
// move is that of p(graph) times that of p(partition)^(beta−1).
func (c *mover) edgeMoves(s *partition, n int, beta float64, count *moveCounts) {
	c.drawGraph(s)
	c.spare.copyFrom(s)
	total := s.total()
	for k := range n {
		if k%2 == 0 {
			count.Reverse.add(c.reverse(&total, beta))
		} else {
			c.reparent(&total, beta)
		}
	}
	if beta != 1 {
		s.copyFrom(c.spare)
		return
	}
	c.graph.layers(s.layer)
	c.fill(s)
}

// admit decides on the changed graph, which arose with the given logarithm of the
// ratio of acceptance at beta = 1. It keeps spare, unless beta is 1, the partition
// of the graph, and total its weight.
func (c *mover) admit(total *number, beta, ratio float64) bool {
	if beta == 1 {
		return ratio >= 0 || c.rng.Float64() < math.Exp(ratio)
	}
	copy(c.layer, c.spare.layer)
	c.graph.layers(c.spare.layer)
	c.fill(c.spare)
	next := c.spare.total()
	ratio += (beta - 1) * (next.log() - total.log())
	if ratio < 0 && c.rng.Float64() >= math.Exp(ratio) {
		copy(c.spare.layer, c.layer)
		c.fill(c.spare)
		return false
	}
	*total = next
	return true
}

// reparent gives a uniform node parents drawn from all that make no cycle.
func (c *mover) reparent(total *number, beta float64) {
	g := &c.graph
	j := c.rng.IntN(c.d)
	old := g.parents[j]
	g.set(j, 0)
	possible := g.possible(j)
	next := c.tables[j].draw(possible, anySet, c.rng)
	g.set(j, next)
	if next != old && !c.admit(total, beta, 0) {
		g.set(j, old)
	}
}

// reverse turns a uniform edge i → j around and gives both nodes other parents
// (Grzegorczyk and Husmeier 2008). Both lose theirs; i gets parents that hold j,
// drawn from all that make no cycle, then j from all that make none. With Z the
// sums of the probabilities of these sets, the ratio of acceptance is
//
//	edges(G)  Z(i; j among them | both without) Z(j | i with its new parents)
//	edges(G′) Z(j; i among them | both without) Z(i | j with its old parents)
func (c *mover) reverse(total *number, beta float64) bool {
	g := &c.graph
	edges := g.edges()
	if edges == 0 {
		return false
	}
	i, j := g.edge(c.rng.IntN(edges))
	if c.place[i][j] < 0 {
		return false
	}
	oldI, oldJ := g.parents[i], g.parents[j]
	back := func() bool {
		g.set(i, 0)
		g.set(j, 0)
		g.set(i, oldI)
		g.set(j, oldJ)
		return false
	}
	ti, tj := &c.tables[i], &c.tables[j]
	bitI, bitJ := uint32(1)<<c.place[j][i], uint32(1)<<c.place[i][j]

	g.set(i, 0)
	afterwards := ti.within(g.possible(i)) // j with its old parents
	g.set(j, 0)
	freeI := g.possible(i)
	forth, returned := ti.mass(freeI, bitJ), tj.mass(g.possible(j), bitI)
	if forth.m == 0 || returned.m == 0 {
		return back()
	}
	g.set(i, ti.draw(freeI, bitJ, c.rng))
	freeJ := g.possible(j)
	rest := tj.within(freeJ)
	if rest.m == 0 {
		return back()
	}
	g.set(j, tj.draw(freeJ, anySet, c.rng))

	ratio := forth.times(rest).log() - returned.times(afterwards).log() +
		math.Log(float64(edges)) - math.Log(float64(g.edges()))
	if !c.admit(total, beta, ratio) {
		return back()
	}
	return true
}

// edge returns the n-th edge i → j.
func (g *graph) edge(n int) (i, j int) {
	for j, set := range g.parents {
		if k := bits.OnesCount32(set); n >= k {
			n -= k
			continue
		}
		for ; n > 0; n-- {
			set &= set - 1
		}
		return g.tables[j].candidates[bits.TrailingZeros32(set)], j
	}
	panic("mcmc: fewer edges than counted")
}
