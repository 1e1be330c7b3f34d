package search

import (
	"slices"

	"tobac/dag"
)

// Start goes to a graph, which must be acyclic.
func (s *Searcher) Start(g *dag.Graph) {
	for j := range s.d {
		s.parents[j] = g.Parents(j)
		for _, i := range s.parents[j] {
			s.few.add(i, j)
		}
		s.score[j] = s.q(j, s.parents[j])
	}
	s.sort(slices.Clone(s.order))
}
