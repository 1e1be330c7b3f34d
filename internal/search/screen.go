package search

import (
	"context"
	"math"
	"slices"

	"tobac/internal/nodescore"
	"tobac/internal/parallel"
	"tobac/score"
)

// Candidates per variable: all others up to allCandidates of them, or up to fastCandidates under a
// [nodescore.ToggleScorer], and else the best few. Of almost certain equations the best few as only
// parents are seldom the parents.
const (
	allCandidates  = 40
	fastCandidates = 128
	fewCandidates  = 32
)

// A Screen has candidate parents of every variable. It is safe for concurrent use.
type Screen struct {
	scorer score.Scorer
	prior  *score.Prior
	d      int
	// all is that of all that the prior allows; none, where few has these, or that takes too long
	few, all view
	required [][]int
	// undirected says that i → j and j → i score the same
	undirected bool
}

// A view is the candidates that a search looks at.
type view struct {
	candidates [][]int // of each variable, ascending; its parents are among them
	near       [][]int // of each variable, its candidates and those it is a candidate of, ascending
}

func newView(candidates [][]int) view {
	v := view{candidates, make([][]int, len(candidates))}
	for j, list := range candidates {
		for _, i := range list {
			v.near[i], v.near[j] = append(v.near[i], j), append(v.near[j], i)
		}
	}
	for j := range v.near {
		slices.Sort(v.near[j])
		v.near[j] = slices.Clip(slices.Compact(v.near[j]))
	}
	return v
}

// clone is a copy to which candidates may be added.
func (v view) clone() view {
	return view{slices.Clone(v.candidates), slices.Clone(v.near)}
}

// add makes i a candidate parent of j.
func (v view) add(i, j int) {
	v.candidates[j] = with(v.candidates[j], i)
	v.near[i], v.near[j] = with(v.near[i], j), with(v.near[j], i)
}

// NewScreen lists the candidate parents of every variable: all that the prior allows if they are at
// most 40, of a [nodescore.ToggleScorer] at most 128, and else the 32 that improve its score most
// as only parent, with the required ones. A [nodescore.ToggleScorer] is fast enough to look at all
// then, once in a while. It needs the scores of
// all pairs. It stops when ctx is done, and returns its error.
func NewScreen(ctx context.Context, s score.Scorer, p *score.Prior, workers int) (*Screen, error) {
	return newScreen(ctx, s, p, workers, nil)
}

// newScreen has the view of all candidates of another screen under the same prior, if there is one.
func newScreen(ctx context.Context, s score.Scorer, p *score.Prior, workers int,
	like *Screen) (*Screen, error) {
	d := s.Vars()
	c := &Screen{scorer: s, prior: p, d: d, required: make([][]int, d), undirected: undirected(s)}
	few, all := make([][]int, d), make([][]int, d)
	_, fast := s.(nodescore.ToggleScorer)
	most := allCandidates
	if fast {
		most = fastCandidates
	}
	required := p.RequiredEdges()
	err := parallel.For(ctx, d, workers, func(j int) error {
		c.required[j] = required.Parents(j)
		for i := range d {
			if i != j && !p.Forbidden(i, j) {
				all[j] = append(all[j], i)
			}
		}
		if few[j] = all[j]; len(all[j]) <= most {
			return ctx.Err()
		}
		base := c.required[j]
		q, gain := make([]float64, len(all[j])), make([]float64, d)
		nodescore.LogWeightsToggled(s, p, q, j, base, all[j])
		for k, i := range all[j] {
			gain[i] = q[k]
		}
		for _, i := range base {
			gain[i] = math.Inf(1)
		}
		few[j] = Best(all[j], gain, max(fewCandidates, len(base)))
		return ctx.Err()
	})
	c.few = newView(few)
	switch {
	case !fast || d <= most+1:
	case like != nil && like.all.candidates != nil:
		c.all = like.all
	default:
		c.all = newView(all)
	}
	return c, err
}

// undirected reports whether some edge between variables that follow each other scores the same in
// both directions: of scores of equivalence classes all do, but where one variable was set and the
// other was not.
func undirected(s score.Scorer) bool {
	const rounding = 1e-6
	if _, fast := s.(nodescore.ToggleScorer); !fast {
		return false
	}
	for j := 1; j < s.Vars(); j++ {
		one := s.LogScore(j, []int{j - 1}) - s.LogScore(j, nil)
		other := s.LogScore(j-1, []int{j}) - s.LogScore(j-1, nil)
		if math.Abs(one-other) <= rounding {
			return true
		}
	}
	return false
}

// NewScreens are those of several scores. They share what depends on the prior only.
func NewScreens(ctx context.Context, all []score.Scorer, p *score.Prior, workers int) ([]*Screen,
	error) {
	list := make([]*Screen, len(all))
	var like *Screen
	for k, s := range all {
		var err error
		if list[k], err = newScreen(ctx, s, p, workers, like); err != nil {
			return nil, err
		}
		like = list[k]
	}
	return list, nil
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
	return nodescore.LogWeight(c.scorer, c.prior, j, parents)
}

// with is a new ascending set with i, or the set itself if i is a member of it.
func with(set []int, i int) []int {
	if _, found := slices.BinarySearch(set, i); found {
		return set
	}
	return nodescore.Toggled(set, i)
}
