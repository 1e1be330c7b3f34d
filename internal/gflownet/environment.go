package gflownet

import (
	"math/bits"

	"tobac/dag"
)

// MaxVariables is the largest number of variables: a row of a graph is one word.
const MaxVariables = 64

// A state is a directed acyclic graph that a policy builds edge by edge, with the
// transitive closure by which it knows which edges would close a cycle. Bit i of a
// row stands for variable i.
type state struct {
	parents   []uint64 // of variable j
	ancestors []uint64 // of variable i, itself included: bit j where a path leads from j to i
	edges     int
}

func newState(d int) state {
	s := state{parents: make([]uint64, d), ancestors: make([]uint64, d)}
	s.reset()
	return s
}

// reset takes all edges away.
func (s *state) reset() {
	s.edges = 0
	for i := range s.parents {
		s.parents[i], s.ancestors[i] = 0, 1<<i
	}
}

func (s *state) copy(from *state) {
	copy(s.parents, from.parents)
	copy(s.ancestors, from.ancestors)
	s.edges = from.edges
}

// add puts the edge source → target in, which must be allowed: whatever descends
// from the target has the ancestors of the source from now on.
func (s *state) add(source, target int) {
	s.parents[target] |= 1 << source
	s.edges++
	above, bit := s.ancestors[source], uint64(1)<<target
	for i, row := range s.ancestors {
		if row&bit != 0 {
			s.ancestors[i] = row | above
		}
	}
}

// open is the set of sources of edges into target that neither exist nor close a
// cycle. Whether target leads to a source is bit target of the source's ancestors.
func (s *state) open(target int) uint64 {
	var set uint64
	for i, row := range s.ancestors {
		set |= (row >> target & 1) << i
	}
	return ^(set | s.parents[target]) & (1<<len(s.parents) - 1)
}

// graph is the state as a value of package dag.
func (s *state) graph() *dag.Graph {
	g := dag.New(len(s.parents))
	for j, row := range s.parents {
		for ; row != 0; row &= row - 1 {
			g.Set(bits.TrailingZeros64(row), j, true)
		}
	}
	return g
}

// members lists the bits of a set into dst.
func members(dst []int, set uint64) []int {
	dst = dst[:0]
	for ; set != 0; set &= set - 1 {
		dst = append(dst, bits.TrailingZeros64(set))
	}
	return dst
}
