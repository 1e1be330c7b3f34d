package mcmc

import (
	"context"
	"math"
	"math/rand/v2"
)

// A climber searches for a probable graph by the best single change, one after the
// other, until none is better: an edge more, one less, or one turned around.
type climber struct {
	*problem
	graph graph
	score []float64   // q of each node with its parents
	gain  [][]float64 // gain[j][i]: what q(j) gains if i → j is added or removed
	set   []int
}

// climb returns a local maximum of p(D, G). It starts from the required edges and as
// many random ones as there are variables, or without any more for a nil rng.
func climb(ctx context.Context, p *problem, rng *rand.Rand) (*climber, error) {
	c := &climber{problem: p, graph: newGraph(p.d), score: make([]float64, p.d), gain: make([][]float64, p.d)}
	for j := range p.d {
		for i := range p.d {
			if p.prior.Required(i, j) {
				c.graph.toggle(i, j)
			}
		}
	}
	for range p.d {
		if rng == nil {
			break
		}
		i, j := rng.IntN(p.d), rng.IntN(p.d)
		if i == j || c.graph.has(i, j) {
			continue
		}
		c.graph.search(j)
		if !c.graph.isReached(i) && !math.IsInf(c.q(j, insert(c.graph.list(j), i)), -1) {
			c.graph.toggle(i, j)
		}
	}
	for j := range p.d {
		c.gain[j] = make([]float64, p.d)
		c.update(j)
	}
	for ctx.Err() == nil && c.step() {
	}
	return c, ctx.Err()
}

// update computes score and gain of node j.
func (c *climber) update(j int) {
	c.set = append(c.set[:0], c.graph.list(j)...)
	c.score[j] = c.q(j, c.set)
	for i := range c.d {
		c.gain[j][i] = math.Inf(-1)
		switch {
		case i == j || c.prior.Forbidden(i, j):
		case c.graph.has(i, j):
			c.set = remove(c.set, i)
			c.gain[j][i] = c.q(j, c.set) - c.score[j]
			c.set = insert(c.set, i)
		default:
			c.set = insert(c.set, i)
			c.gain[j][i] = c.q(j, c.set) - c.score[j]
			c.set = remove(c.set, i)
		}
	}
}

// step makes the best change, and reports whether there was a better graph.
func (c *climber) step() bool {
	best, from, to, turn := 1e-9, -1, -1, false
	g := &c.graph
	for j := range c.d {
		g.search(j)
		for i, gain := range c.gain[j] {
			if gain > best && (g.has(i, j) || !g.isReached(i)) {
				best, from, to, turn = gain, i, j, false
			}
		}
	}
	for j := range c.d {
		for i, gain := range c.gain[j] {
			if g.has(i, j) && gain+c.gain[i][j] > best && c.turns(i, j) {
				best, from, to, turn = gain+c.gain[i][j], i, j, true
			}
		}
	}
	if from < 0 {
		return false
	}
	g.toggle(from, to)
	c.update(to)
	if turn {
		g.toggle(to, from)
		c.update(from)
	}
	return true
}

// turns reports whether the edge i → j can be turned around without a cycle.
func (c *climber) turns(i, j int) bool {
	c.graph.toggle(i, j)
	c.graph.search(i)
	c.graph.toggle(i, j)
	return !c.graph.isReached(j)
}

// addValues adds to sum, at j·d+i, the probability of i → j given all other edges of the
// graph.
func (c *climber) addValues(sum []float64) {
	for j := range c.d {
		c.graph.search(j)
		for i, gain := range c.gain[j] {
			switch {
			case c.graph.has(i, j):
				sum[j*c.d+i] += 1 / (1 + math.Exp(gain))
			case !c.graph.isReached(i):
				sum[j*c.d+i] += 1 / (1 + math.Exp(-gain))
			}
		}
	}
}
