package search

import (
	"context"
	"math"
	"slices"

	"tobac/internal/parallel"
	"tobac/score"
)

// Candidates per variable: all others up to allCandidates of them, and else the best few.
const (
	allCandidates = 40
	fewCandidates = 32
)

// A Screen has candidate parents of every variable. It is safe for concurrent use.
type Screen struct {
	scorer     score.Scorer
	prior      *score.Prior
	fast       bool // scores of neighbours are cheaper than a cache
	d          int
	candidates [][]int // of each variable, ascending; required parents are among them
	required   [][]int
}

// NewScreen lists the candidate parents of every variable: all that the prior allows if they
// are at most 40, and else the 32 that improve its score most as only parent, with the required
// ones. It needs the scores of all pairs. It stops when ctx is done, and returns its error.
func NewScreen(ctx context.Context, s score.Scorer, p *score.Prior, workers int) (*Screen, error) {
	d := s.Vars()
	c := &Screen{scorer: s, prior: p, d: d, candidates: make([][]int, d), required: make([][]int, d)}
	_, c.fast = s.(score.ToggleScorer)
	required := p.RequiredEdges()
	err := parallel.For(ctx, d, workers, func(j int) error {
		c.required[j] = required.Parents(j)
		for i := range d {
			if i != j && !p.Forbidden(i, j) {
				c.candidates[j] = append(c.candidates[j], i)
			}
		}
		if len(c.candidates[j]) <= allCandidates {
			return ctx.Err()
		}
		base := c.required[j]
		all := c.candidates[j]
		q, gain := make([]float64, len(all)), make([]float64, d)
		score.LogWeightsToggled(s, p, q, j, base, all)
		for k, i := range all {
			gain[i] = q[k]
		}
		for _, i := range base {
			gain[i] = math.Inf(1)
		}
		c.candidates[j] = Best(c.candidates[j], gain, max(fewCandidates, len(base)))
		return ctx.Err()
	})
	return c, err
}

// Best returns the n members of an ascending list with the largest values, ascending. Of equal
// ones the first counts.
func Best(list []int, value []float64, n int) []int {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b int) int {
		switch {
		case value[a] > value[b]:
			return -1
		case value[a] < value[b]:
			return 1
		}
		return 0
	})
	list = list[:min(n, len(list))]
	slices.Sort(list)
	return list
}

// q is the score of a set of parents, ascending.
func (c *Screen) q(j int, parents []int) float64 {
	prior := c.prior.LogPrior(j, parents)
	if math.IsInf(prior, -1) {
		return prior
	}
	return c.scorer.LogScore(j, parents) + prior
}

// with is a new ascending set with i; without is one without it.
func with(set []int, i int) []int {
	at, _ := slices.BinarySearch(set, i)
	out := make([]int, 0, len(set)+1)
	return append(append(append(out, set[:at]...), i), set[at:]...)
}

func without(set []int, i int) []int {
	at, found := slices.BinarySearch(set, i)
	if !found {
		return set
	}
	return append(append(make([]int, 0, len(set)-1), set[:at]...), set[at+1:]...)
}
