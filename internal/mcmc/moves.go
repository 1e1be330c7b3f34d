package mcmc

import (
	"math"
	"slices"

	"tobac/internal/scoring"
)

// begin starts a proposal: layers as in s, no node affected.
func (c *mover) begin(s *partition) {
	copy(c.layer, s.layer)
	c.affected = c.affected[:0]
	c.stamps++
}

// affect adds a node to those whose weight the proposal changes.
func (c *mover) affect(j int) {
	if c.stamp[j] != c.stamps {
		c.stamp[j] = c.stamps
		c.affected = append(c.affected, j)
	}
}

// accept weighs the affected nodes under the proposed layers, and moves s with
// probability min(1, (p(proposed)/p(s))^beta·e^correction), where the correction
// is the logarithm of the ratio of the proposal probabilities, back over forth.
func (c *mover) accept(s *partition, layers int, beta, correction float64) bool {
	proposed, current, to := one, one, c.moved
	for _, j := range c.affected {
		t := s.tables[j]
		to.before[j], to.near[j] = t.masks(c.layer, j)
		to.weight[j] = t.weigh(c.layer[j], to.before[j], to.near[j])
		if to.weight[j].m == 0 {
			return false
		}
		proposed = proposed.times(to.weight[j])
		current = current.times(s.weight[j])
	}
	ratio := beta*(proposed.log()-current.log()) + correction
	if !c.accepts(ratio) {
		return false
	}
	copy(s.layer, c.layer)
	for _, j := range c.affected {
		s.before[j], s.near[j], s.weight[j] = to.before[j], to.near[j], to.weight[j]
	}
	s.count(layers)
	return true
}

// swap exchanges the layers of two nodes, a random one and a random candidate of
// it. The proposal is symmetric. It reports whether the partition is another.
func (c *mover) swap(s *partition, beta float64) bool {
	v := c.rng.IntN(c.d)
	t := c.tables[v]
	if len(t.parents) == 0 {
		return false
	}
	w := t.parents[c.rng.IntN(len(t.parents))]
	a, b := s.layer[v], s.layer[w]
	if a == b {
		return false
	}
	c.begin(s)
	c.layer[v], c.layer[w] = b, a
	c.affect(v)
	c.affect(w)
	first := min(a, b)
	for _, node := range [2]int{v, w} {
		for _, k := range c.links[node] {
			if s.layer[k.child] > first {
				c.affect(k.child)
			}
		}
	}
	s.know()
	for _, j := range s.wide {
		if t := s.tables[j]; slices.Contains(t.extras, v) || slices.Contains(t.extras, w) {
			c.affect(j)
		}
	}
	return c.accept(s, len(s.size), beta, 0)
}

// splitOrMerge makes two layers of one or one of two neighbours (Kuipers and
// Moffa 2017): with probability ½ it merges a uniform pair of neighbours, else
// it splits a uniform layer of two nodes or more, whose first part is a uniform
// subset of uniform size. It reports whether the partition is another.
func (c *mover) splitOrMerge(s *partition, beta float64) bool {
	if c.rng.IntN(2) == 0 {
		return c.merge(s, beta)
	}
	return c.split(s, beta)
}

// splits is the number of layers that can be split.
func splits(size []int) int {
	n := 0
	for _, k := range size {
		if k > 1 {
			n++
		}
	}
	return n
}

func (c *mover) merge(s *partition, beta float64) bool {
	m := len(s.size)
	if m == 1 {
		return false
	}
	at := c.rng.IntN(m - 1) // merge at and at+1
	c.begin(s)
	for j, l := range s.layer {
		if l > at {
			c.layer[j] = l - 1
		}
		if l == at+1 || l == at+2 {
			c.affect(j)
		}
	}
	first, both := s.size[at], s.size[at]+s.size[at+1]
	after := splits(s.size) + 1
	if s.size[at] > 1 {
		after--
	}
	if s.size[at+1] > 1 {
		after--
	}
	back := -math.Log(float64(after)) - math.Log(float64(both-1)) - scoring.LnChoose(both, first)
	return c.accept(s, m-1, beta, back+math.Log(float64(m-1)))
}

func (c *mover) split(s *partition, beta float64) bool {
	can := splits(s.size)
	if can == 0 {
		return false
	}
	at, skip := 0, c.rng.IntN(can)
	for l, k := range s.size {
		if k < 2 {
			continue
		}
		if at = l; skip == 0 {
			break
		}
		skip--
	}
	both := s.size[at]
	first := 1 + c.rng.IntN(both-1)
	c.subset = c.subset[:0]
	c.begin(s)
	for j, l := range s.layer {
		if l > at {
			c.layer[j] = l + 1
		}
		if l == at {
			c.subset = append(c.subset, j)
		}
		if l == at+1 {
			c.affect(j)
		}
	}
	for k := range c.subset { // the first ones of a random permutation stay
		o := k + c.rng.IntN(both-k)
		c.subset[k], c.subset[o] = c.subset[o], c.subset[k]
		if k >= first {
			c.layer[c.subset[k]] = at + 1
			c.affect(c.subset[k])
		}
	}
	forth := -math.Log(float64(can)) - math.Log(float64(both-1)) - scoring.LnChoose(both, first)
	return c.accept(s, len(s.size)+1, beta, -math.Log(float64(len(s.size)))-forth)
}
