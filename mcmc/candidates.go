package mcmc

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/score"
)

// candidates returns at most k candidates for the parents of variable j, in
// ascending sequence: the required ones, those of a greedy forward selection by
// q, and then others by what they are worth.
//
// A variable i is worth the largest gain q(A∪i) − q(A) over the sets A of a
// family: the empty set, those of the forward selection, and every single
// candidate.
func candidates(ctx context.Context, s score.Scorer, p *score.Prior, j, k int) ([]int, error) {
	c := choice{s: s, p: p, j: j}
	for i := range s.Vars() {
		switch {
		case i == j || p.Forbidden(i, j):
		case p.Required(i, j):
			c.required = append(c.required, i)
		default:
			c.rest = append(c.rest, i)
		}
	}
	if len(c.required) > score.MaxCandidates {
		return nil, fmt.Errorf("mcmc: variable %d has %d required parents, want at most %d", j, len(c.required), score.MaxCandidates)
	}
	if len(c.required)+len(c.rest) <= k {
		return sorted(c.required, c.rest), nil
	}
	c.worth = make([]float64, s.Vars())
	for i := range c.worth {
		c.worth[i] = math.Inf(-1)
	}
	var chosen []int
	for grow := true; len(c.required)+len(chosen) < k && ctx.Err() == nil; {
		best, gain := c.consider(chosen)
		if grow = grow && gain > 0; !grow {
			best = slices.MaxFunc(c.rest, func(a, b int) int {
				return cmp.Or(cmp.Compare(c.worth[a], c.worth[b]), cmp.Compare(b, a))
			})
		}
		chosen = append(chosen, best)
		c.rest = slices.DeleteFunc(c.rest, func(i int) bool { return i == best })
		c.consider([]int{best})
	}
	return sorted(c.required, chosen), ctx.Err()
}

// A choice is the state of a search for the candidates of variable j.
type choice struct {
	s        score.Scorer
	p        *score.Prior
	j        int
	required []int
	rest     []int // neither required nor chosen
	worth    []float64
}

// q is the node score of the required parents and some more.
func (c *choice) q(more []int) float64 {
	a := sorted(c.required, more)
	return c.s.LogScore(c.j, a) + c.p.LogPrior(c.j, a)
}

// consider adds the set to the family, and returns the variable of the largest gain.
func (c *choice) consider(set []int) (best int, gain float64) {
	before := c.q(set)
	best, gain = -1, math.Inf(-1)
	for _, i := range c.rest {
		g := c.q(append(slices.Clip(set), i)) - before
		if math.IsNaN(g) { // neither set is allowed
			continue
		}
		c.worth[i] = max(c.worth[i], g)
		if g > gain {
			best, gain = i, g
		}
	}
	return best, gain
}

// sorted returns the elements of a and b in ascending sequence.
func sorted(a, b []int) []int {
	c := slices.Concat(a, b)
	slices.Sort(c)
	return c
}
