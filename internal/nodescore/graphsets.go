package nodescore

import (
	"tobac/dag"
	"tobac/internal/scoring"
	"tobac/score"
)

// DistinctSets are sets of parents of a variable.
type DistinctSets map[string]bool

// Add reports whether a set was not among them.
func (s DistinctSets) Add(set []int) bool {
	key := setKey(set)
	if s[key] {
		return false
	}
	s[key] = true
	return true
}

// Toggled is an ascending list with i added, or removed if it is there.
func Toggled(list []int, i int) []int {
	return scoring.Toggle(make([]int, 0, len(list)+1), list, i)
}

// OfGraph is the log score of a graph, the sum of those of its variables.
func OfGraph(s score.Scorer, g *dag.Graph) float64 {
	sum := 0.0
	for j := range g.Len() {
		sum += s.LogScore(j, g.Parents(j))
	}
	return sum
}

// LogDensity is log p(D, G) of a graph: its log score, and its prior.
func LogDensity(s score.Scorer, prior *score.Prior, g *dag.Graph) float64 {
	sum := OfGraph(s, g)
	for j := range g.Len() {
		sum += prior.LogPrior(j, g.Parents(j))
	}
	return sum
}

// A Placement finds sets of parents in a table over the subsets of candidates, to all of which
// given parents are joined, as [GivenScorer] has it.
type Placement struct {
	bit   []int // by variable: of a candidate, 0 of a given one, and outside of others
	given int
}

const outside = -1 // a variable that is no parent of any of the sets

// PlaceSubsets is the placement for d variables.
func PlaceSubsets(d int, candidates, given []int) Placement {
	p := Placement{make([]int, d), len(given)}
	for i := range p.bit {
		p.bit[i] = outside
	}
	for k, i := range candidates {
		p.bit[i] = 1 << k
	}
	for _, i := range given {
		p.bit[i] = 0
	}
	return p
}

// Of is the place of a set in the table, if it is in it.
func (p Placement) Of(parents []int) (set int, ok bool) {
	missing := p.given
	for _, i := range parents {
		switch p.bit[i] {
		case outside:
			return 0, false
		case 0:
			missing--
		}
		set |= p.bit[i]
	}
	return set, missing == 0
}
