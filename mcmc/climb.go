package mcmc

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// A climber searches for a probable graph by the best single change, one after the
// other, until none is better: an edge more, one less, or one turned around.
type climber struct {
	*problem
	rng   *rand.Rand
	graph graph
	score []float64   // q of each node with its parents
	gain  [][]float64 // gain[j][i]: what q(j) gains if i → j is added or removed
	set   []int
	torn  []int // nodes that lose their edges
	best  []bool
}

// newClimber is at a graph of the required edges and as many random ones as there are variables.
func newClimber(p *problem, rng *rand.Rand) *climber {
	c := &climber{
		problem: p, rng: rng, graph: newGraph(p.d), score: make([]float64, p.d), gain: make([][]float64, p.d),
		best: make([]bool, p.d*p.d),
	}
	c.start()
	return c
}

// climb finds a graph of a large p(D, G). It climbs from where it is. Then it takes the edges of a random node, or of
// some neighbours, away again and again, climbs from there, and goes back to where
// it was if that was better, by a margin that falls to zero.
func (c *climber) climb(ctx context.Context) error {
	p, rng := c.problem, c.rng
	for j := range c.d {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.gain[j] = make([]float64, c.d)
		c.update(j)
	}
	for ctx.Err() == nil && c.step() {
	}
	tries := min(30*p.d, 600_000/p.d)
	now := c.total()
	for try := range tries {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.save()
		c.tear(1 + try%maxTorn)
		for ctx.Err() == nil && c.step() {
		}
		margin := 3 * max(0, 1-1.25*float64(try)/float64(tries))
		if next := c.total(); next >= now-margin*rng.ExpFloat64()-tie {
			now = next
		} else {
			c.restore()
		}
	}
	return ctx.Err()
}

// tie is a difference of ln p that counts as none, far above rounding. Under a score of equivalence classes an edge and its
// reverse are often equally good: the first of them is taken, so that rounding, which changes with the units of
// the data, does not decide where a chain starts.
const tie = 1e-6

// maxTorn is the largest number of neighbours that lose their edges.
const maxTorn = 5

// start adds the required edges and random ones.
func (c *climber) start() {
	for j := range c.d {
		for i := range c.d {
			if c.prior.Required(i, j) {
				c.graph.toggle(i, j)
			}
		}
	}
	for range c.d {
		i, j := c.rng.IntN(c.d), c.rng.IntN(c.d)
		if i == j || c.graph.has(i, j) {
			continue
		}
		c.graph.search(j)
		if !c.graph.isReached(i) && !math.IsInf(c.q(j, insert(c.graph.list(j), i)), -1) {
			c.graph.toggle(i, j)
		}
	}
}

// total is ln p(D, G).
func (c *climber) total() float64 {
	sum := 0.
	for _, q := range c.score {
		sum += q
	}
	return sum
}

// save keeps the graph for restore.
func (c *climber) save() {
	for j := range c.d {
		for i := range c.d {
			c.best[j*c.d+i] = c.graph.has(i, j)
		}
	}
}

// restore goes back to the saved graph.
func (c *climber) restore() {
	for j := range c.d {
		changed := false
		for i := range c.d {
			if c.best[j*c.d+i] != c.graph.has(i, j) {
				c.graph.toggle(i, j)
				changed = true
			}
		}
		if changed {
			c.update(j)
		}
	}
}

// tear takes the edges of a random node and of n−1 others away, each a random
// neighbour of one before. Required edges stay.
func (c *climber) tear(n int) {
	c.torn = append(c.torn[:0], c.rng.IntN(c.d))
	for len(c.torn) < n {
		u, next, seen := c.torn[c.rng.IntN(len(c.torn))], -1, 0
		for i := range c.d {
			if c.graph.has(i, u) || c.graph.has(u, i) {
				if seen++; c.rng.IntN(seen) == 0 {
					next = i
				}
			}
		}
		if next < 0 {
			break
		}
		c.torn = append(c.torn, next)
	}
	for j := range c.d {
		changed := false
		for _, v := range c.torn {
			changed = c.cut(v, j) || changed
		}
		if slices.Contains(c.torn, j) {
			for i := range c.d {
				changed = c.cut(i, j) || changed
			}
		}
		if changed {
			c.update(j)
		}
	}
}

// cut removes the edge i → j unless it is required, and reports whether it did.
func (c *climber) cut(i, j int) bool {
	if !c.graph.has(i, j) || c.prior.Required(i, j) {
		return false
	}
	c.graph.toggle(i, j)
	return true
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
			c.gain[j][i] = change(c.score[j], c.q(j, c.set))
			c.set = insert(c.set, i)
		default:
			c.set = insert(c.set, i)
			c.gain[j][i] = change(c.score[j], c.q(j, c.set))
			c.set = remove(c.set, i)
		}
	}
}

// change is what is gained from one ln q to another: nothing leads to a set of parents that the model does not have, from another such set neither,
// and there a node may be that has lost edges.
func change(from, to float64) float64 {
	if math.IsInf(to, -1) {
		return to
	}
	return to - from
}

// step makes the best change, and reports whether there was a better graph.
func (c *climber) step() bool {
	best, from, to, turn := 0.0, -1, -1, false
	g := &c.graph
	for j := range c.d {
		searched := false
		for i, gain := range c.gain[j] {
			if gain <= best+tie {
				continue
			}
			if !g.has(i, j) && !searched {
				g.search(j)
				searched = true
			}
			if g.has(i, j) || !g.isReached(i) {
				best, from, to, turn = gain, i, j, false
			}
		}
	}
	for j := range c.d {
		for i, gain := range c.gain[j] {
			if g.has(i, j) && gain+c.gain[i][j] > best+tie && c.turns(i, j) {
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
