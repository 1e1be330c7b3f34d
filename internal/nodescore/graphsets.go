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
