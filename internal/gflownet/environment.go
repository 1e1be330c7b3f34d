package gflownet

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"

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

// A ring keeps the last transitions, each as the edges of the graph that it left, one
// bit for each pair, and the edge that it added. All else follows from these.
type ring struct {
	d, capacity, count, next int
	bytes                    []byte
}

// transitionBytes is the size of a transition of d variables.
func transitionBytes(d int) int { return (d*d+7)/8 + 2 }

func newRing(d, capacity int) *ring { return &ring{d: d, capacity: capacity} }

// put adds the transition from s by an edge, in place of the oldest one if there is no room.
func (r *ring) put(s *state, action int) {
	size := transitionBytes(r.d)
	if r.next == len(r.bytes)/size {
		r.bytes = append(r.bytes, make([]byte, size)...)
	}
	at := r.bytes[r.next*size : (r.next+1)*size]
	clear(at)
	for j, set := range s.parents {
		for i := range r.d {
			bit := j*r.d + i
			at[bit/8] |= byte(set>>i&1) << (bit % 8)
		}
	}
	binary.LittleEndian.PutUint16(at[size-2:], uint16(action))
	r.count = max(r.count, r.next+1)
	r.next = (r.next + 1) % r.capacity
}

// get writes the state of transition number k to s and returns the edge.
func (r *ring) get(s *state, k int) (action int) {
	action, _ = r.read(s, k)
	return action
}

// read is get for bytes from outside: ok is false if the graph has a cycle.
func (r *ring) read(s *state, k int) (action int, ok bool) {
	size := transitionBytes(r.d)
	at := r.bytes[k*size : (k+1)*size]
	s.reset()
	for j := range r.d {
		for i := range r.d {
			if bit := j*r.d + i; at[bit/8]>>(bit%8)&1 == 1 {
				if s.ancestors[i]>>j&1 == 1 {
					return 0, false
				}
				s.add(i, j)
			}
		}
	}
	return int(binary.LittleEndian.Uint16(at[size-2:])), true
}

// sample writes distinct numbers of transitions to dst, of which there are enough, each
// subset with the same probability.
func (r *ring) sample(dst []int, rng *rand.Rand) {
	taken := make(map[int]bool, len(dst))
	for k := range dst { // Floyd's method
		last := r.count - len(dst) + k
		at := rng.IntN(last + 1)
		if taken[at] {
			at = last
		}
		taken[at] = true
		dst[k] = at
	}
}
