package gflownet

import (
	"encoding/binary"
	"math/rand/v2"
)

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
