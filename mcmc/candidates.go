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
// ascending sequence: the required ones, and others by their scores.
//
// A candidate i is worth the largest gain q(A∪i) − q(A) over the sets A of a
// family: the empty set, every single candidate, and the sets of a greedy
// forward selection. The best one joins, and the family grows with it.
func candidates(ctx context.Context, s score.Scorer, p *score.Prior, j, k int) ([]int, error) {
	d := s.Vars()
	var chosen, rest []int
	for i := range d {
		switch {
		case i == j || p.Forbidden(i, j):
		case p.Required(i, j):
			chosen = append(chosen, i)
		default:
			rest = append(rest, i)
		}
	}
	if len(chosen) > score.MaxCandidates {
		return nil, fmt.Errorf("mcmc: variable %d has %d required parents, want at most %d", j, len(chosen), score.MaxCandidates)
	}
	if len(chosen)+len(rest) <= k {
		return sorted(chosen, rest), nil
	}
	required := slices.Clone(chosen)
	set := func(extra ...int) float64 { // q of the required parents and more
		a := sorted(required, extra)
		return s.LogScore(j, a) + p.LogPrior(j, a)
	}
	worth := make([]float64, d)
	for i := range worth {
		worth[i] = math.Inf(-1)
	}
	consider := func(family []int) {
		before := set(family...)
		if math.IsInf(before, -1) {
			return
		}
		for _, i := range rest {
			worth[i] = max(worth[i], set(append(slices.Clip(family), i)...)-before)
		}
	}
	var forward []int // the sets of the forward selection, one after the other
	grow := true
	consider(nil)
	for len(chosen) < k && len(rest) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		best := slices.MaxFunc(rest, func(a, b int) int {
			return cmp.Or(cmp.Compare(worth[a], worth[b]), cmp.Compare(b, a))
		})
		chosen = append(chosen, best)
		rest = slices.DeleteFunc(rest, func(i int) bool { return i == best })
		consider([]int{best})
		if !grow {
			continue
		}
		// Extend the forward selection by the best of all variables.
		at, gain := -1, 0.
		before := set(forward...)
		for _, i := range slices.Concat(chosen, rest) {
			if slices.Contains(forward, i) || p.Required(i, j) {
				continue
			}
			if g := set(append(slices.Clip(forward), i)...) - before; g > gain {
				at, gain = i, g
			}
		}
		if grow = at >= 0; grow {
			forward = append(forward, at)
			consider(forward)
			if len(chosen) < k && slices.Contains(rest, at) {
				chosen = append(chosen, at)
				rest = slices.DeleteFunc(rest, func(i int) bool { return i == at })
			}
		}
	}
	return sorted(chosen, nil), nil
}

// sorted returns the elements of a and b in ascending sequence.
func sorted(a, b []int) []int {
	c := slices.Concat(a, b)
	slices.Sort(c)
	return c
}
