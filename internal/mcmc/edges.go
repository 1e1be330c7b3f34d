package mcmc

import "math"

// drawGraph draws a graph given the partition: independent sets of parents.
func (c *mover) drawGraph(s *partition) {
	g := &c.graph
	g.clear(s.tables)
	for j, l := range s.layer {
		if l > 0 {
			g.set(j, s.tables[j].draw(s.before[j], s.near[j], c.rng))
		}
	}
}

// edgeMoves draws a graph given the partition, makes n moves of edges from candidates and
// outside moves of others, and returns to the partition of the graph that results. Three of
// four of those that turn an edge around are aimed. The pair has the
// distribution p(partition)^beta p(graph | partition), so that the ratio of a move is that of
// p(graph) times that of p(partition)^(beta−1).
func (c *mover) edgeMoves(s *partition, n, outside int, beta float64, count *moveCounts) {
	c.drawGraph(s)
	if beta != 1 {
		c.spare.copyFrom(s)
		c.total = s.log()
	}
	for k := range n {
		switch {
		case k%2 == 1:
			c.reparent(beta)
		case k%8 != 2 && len(c.undecided) > 0:
			count.Reverse.add(c.aim(beta))
		default:
			count.Reverse.add(c.reverse(beta))
		}
	}
	for range outside {
		c.outsideMove(beta)
	}
	if beta != 1 {
		s.copyFrom(c.spare)
		return
	}
	c.graph.layers(s.layer)
	s.fill()
}

// admit decides on the changed graph, which arose with the given logarithm of the
// ratio of acceptance at beta = 1. Unless beta is 1 it keeps spare, the partition
// of the graph, and total, the logarithm of its probability.
func (c *mover) admit(beta, ratio float64) bool {
	if beta == 1 {
		return c.accepts(ratio)
	}
	copy(c.layer, c.spare.layer)
	c.graph.layers(c.spare.layer)
	c.spare.fill()
	next := c.spare.log()
	ratio += (beta - 1) * (next - c.total)
	if !c.accepts(ratio) {
		copy(c.spare.layer, c.layer)
		c.spare.fill()
		return false
	}
	c.total = next
	return true
}

// reparent gives a uniform node candidates as parents, drawn from all sets that
// make no cycle. Its other parents stay.
func (c *mover) reparent(beta float64) {
	g := &c.graph
	j := c.rng.IntN(c.d)
	t := g.tables[j]
	old := g.parents[j]
	g.set(j, t.given)
	next := t.draw(g.possible(j), anySet, c.rng)
	g.set(j, next)
	if next != old && !c.admit(beta, 0) {
		g.set(j, old)
	}
}

// reverse turns a uniform edge between candidates around.
func (c *mover) reverse(beta float64) bool {
	edges := c.graph.edges()
	if edges == 0 {
		return false
	}
	i, j := c.graph.edge(c.rng.IntN(edges))
	if c.tables[i].bit(j) == 0 {
		return false
	}
	return c.turn(i, j, beta, func() float64 {
		return math.Log(float64(edges)) - math.Log(float64(c.graph.edges()))
	})
}

// aim turns the edge of a uniform pair of the undecided ones around, if they have one. Of many
// variables hardly any edge of a graph can turn, and a uniform one is seldom one of them.
func (c *mover) aim(beta float64) bool {
	pair := c.undecided[c.rng.IntN(len(c.undecided))]
	i, j := pair[0], pair[1]
	if !c.graph.has(i, j) {
		if i, j = j, i; !c.graph.has(i, j) {
			return false
		}
	}
	return c.turn(i, j, beta, func() float64 { return 0 })
}

// turn turns the edge i → j around, both candidates of each other, and gives them other candidates
// as parents (Grzegorczyk and Husmeier 2008). Both lose those they have; i gets a set that holds j,
// drawn from all that make no cycle, then j one from all that make none. With Z the sums of the
// probabilities of these sets, the ratio of acceptance is
//
//	Z(i; j among them | both without) Z(j | i with its new parents)
//	Z(j; i among them | both without) Z(i | j with its old parents)
//
// times the ratio of the probabilities with which the edge is chosen after and before the move,
// whose logarithm chosen returns after it.
func (c *mover) turn(i, j int, beta float64, chosen func() float64) bool {
	g := &c.graph
	ti, tj := g.tables[i], g.tables[j]
	bitI, bitJ := tj.bit(i), ti.bit(j)
	oldI, oldJ := g.parents[i], g.parents[j]
	back := func() bool {
		g.set(i, ti.given)
		g.set(j, tj.given)
		g.set(i, oldI)
		g.set(j, oldJ)
		return false
	}

	g.set(i, ti.given)
	returnedI := ti.within(g.possible(i)) // j with its old parents
	g.set(j, tj.given)
	freeI, freeJ := g.possible(i), g.possible(j)
	newI, returnedJ := ti.mass(freeI, freeI&bitJ), tj.mass(freeJ, freeJ&bitI)
	if newI.m == 0 || returnedJ.m == 0 {
		return back()
	}
	g.set(i, ti.draw(freeI, bitJ, c.rng))
	freeJ = g.possible(j)
	newJ := tj.within(freeJ)
	if newJ.m == 0 {
		return back()
	}
	g.set(j, tj.draw(freeJ, anySet, c.rng))

	ratio := newI.times(newJ).log() - returnedJ.times(returnedI).log() + chosen()
	if !c.admit(beta, ratio) {
		return back()
	}
	return true
}
