package mcmc

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"tobac/score"
)

// maxParents is the largest number of candidates and given parents of a table.
const maxParents = score.MaxCandidates

// extend looks at all parents that are no candidates of some uniform children, adds and
// removes edges from them, and gives s tables with them as given parents.
func (c *mover) extend(ctx context.Context, s *partition, looks int, beta float64) error {
	for range looks {
		j := c.rng.IntN(c.d)
		if len(c.open[j]) == 0 {
			continue
		}
		if !c.changed[j] {
			c.read(s, j)
		}
		c.scan(s, j, beta, true)
	}
	return c.retable(ctx, s)
}

// read fills given with the parents of j that are no candidates.
func (c *mover) read(s *partition, j int) {
	t := s.tables[j]
	c.given[j] = append(c.given[j][:0], t.parents[t.candidates:]...)
}

// scan writes to chance, for each variable i in open[j], the probability of i → j
// given all other edges of the graph: w/(1+w) with w = exp(q(A∪i) − q(A∖i)), A the
// parents of j, and zero if i is a descendant of j. With move set, it draws each
// edge anew with this probability, one after the other.
func (c *mover) scan(s *partition, j int, beta float64, move bool) []float64 {
	g := &c.graph
	g.search(j)
	t := s.tables[j]
	set := c.sets[:0]
	for rest := g.parents[j] & t.low; rest != 0; rest &= rest - 1 {
		set = append(set, t.parents[bits.TrailingZeros32(rest)])
	}
	for _, i := range c.given[j] {
		set = insert(set, i)
	}
	now := c.q(j, set)
	p := c.chance[:len(c.open[j])]
	for k, i := range c.open[j] {
		p[k] = 0
		if g.isReached(i) {
			continue
		}
		present := slices.Contains(c.given[j], i)
		if !present && t.candidates+len(c.given[j]) == maxParents {
			continue
		}
		if present {
			set = remove(set, i)
		} else {
			set = insert(set, i)
		}
		other := c.q(j, set)
		p[k] = 1 / (1 + math.Exp(now-other)) // of the other state
		if move && c.rng.Float64() < p[k] && c.toggle(i, j, beta) {
			now = other
			continue
		}
		if present {
			set = insert(set, i)
			p[k] = 1 - p[k]
		} else {
			set = remove(set, i)
		}
	}
	c.sets = set
	return p
}

// toggle adds or removes the edge i → j, with rejection in a tempered rung.
func (c *mover) toggle(i, j int, beta float64) bool {
	c.graph.toggle(i, j)
	if beta != 1 && !c.admit(beta, 0) {
		c.graph.toggle(i, j)
		return false
	}
	if slices.Contains(c.given[j], i) {
		c.given[j] = remove(c.given[j], i)
	} else {
		c.given[j] = insert(c.given[j], i)
	}
	c.changed[j] = true
	return true
}

// insert adds i to a sorted set.
func insert(set []int, i int) []int {
	at, _ := slices.BinarySearch(set, i)
	return slices.Insert(set, at, i)
}

// remove takes i out of a set.
func remove(set []int, i int) []int {
	at := slices.Index(set, i)
	return slices.Delete(set, at, at+1)
}

// retable gives s tables with the given parents of the graph.
func (c *mover) retable(ctx context.Context, s *partition) error {
	some := false
	for j, changed := range c.changed {
		if !changed {
			continue
		}
		c.changed[j] = false
		base := c.tables[j]
		if slices.Equal(c.given[j], s.tables[j].parents[base.candidates:]) {
			continue
		}
		some = true
		if len(c.given[j]) == 0 {
			s.tables[j] = base
			continue
		}
		t, err := newTable(ctx, c.scorer, c.prior, j, base.parents, c.given[j])
		if err != nil {
			return err
		}
		s.tables[j] = t
	}
	if some {
		s.connect()
	}
	return nil
}
