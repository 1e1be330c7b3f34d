package native

import "slices"

// A shape is the code of functions that differ in where their numbers lie only: the steps of a
// loop that is written out, for example. Written once, it stays in the nearer caches. Numbers
// that are as far from those of the first function, in every other one, are of one class; a
// register holds the address of each class.
type shape struct {
	ops    []Op // of the first function
	uses   []uses
	class  []uint8 // of the operands of each operation: result, first, second
	funcs  []*Func
	shifts [][]int64 // of each function, by class: bytes from the first's numbers
	start  int       // of the code
}

// mostShared is the number of operations of a function up to which others may share its code.
const mostShared = 1 << 12

// mostCompared is the number of shapes that a function is compared with.
const mostCompared = 4

// alike reports whether both operations are the same but for places in the arena.
func alike(a, b *Op) bool {
	return a.Code == b.Code && a.N == b.N && a.AOne == b.AOne && a.BOne == b.BOne &&
		a.Array == b.Array &&
		(a.Code != Load || a.A == b.A) && (a.Code != Store || a.Dst == b.Dst)
}

// hash is equal for functions that may have one shape.
func hash(ops []Op, all []uses) uint64 {
	h := uint64(len(ops))
	for i := range ops {
		u := &all[i]
		for _, x := range [...]uint64{uint64(ops[i].Code)<<8 | uint64(ops[i].N), uint64(u.dst.next),
			uint64(u.a.next), uint64(u.b.next)} {
			h = (h ^ x) * 0x9E3779B97F4A7C15
			h ^= h >> 29
		}
	}
	return h
}

// A displacement is how far a number is from that of the first function; in is the number of
// the comparison that has found it.
type displacement struct {
	in int32
	by int32
}

// join makes f, of the given operations, a function of the shape, if it is one.
func (s *shape) join(t *Text, ops []Op, all []uses, arena int, f *Func) bool {
	if len(ops) != len(s.ops) || !slices.Equal(all, s.uses) {
		return false
	}
	t.compared++
	if len(t.first) < arena {
		t.first, t.other = slices.Grow(t.first, arena)[:arena], slices.Grow(t.other, arena)[:arena]
	}
	next, known := uint8(len(s.shifts[0])), [len(bases)]displacement{}
	from := []uint8(nil) // of the new classes: what they were part of
	moved := [len(bases)]int32{}
	class := t.class[:0]
	for i := range ops {
		a, b := &s.ops[i], &ops[i]
		if !alike(a, b) {
			return false
		}
		at := [3]key{b.dst(), b.a(), b.b()}
		slots := [3]uint8{}
		ok := a.operands(func(slot int, k key) bool {
			by := at[slot].at - k.at
			for n := range k.room() {
				if !t.first.same(k.at+n, by, t.compared) ||
					!t.other.same(at[slot].at+n, by, t.compared) {
					return false
				}
			}
			c := s.class[3*i+slot]
			switch old := &known[c]; {
			case c == 0 && by == 0, old.in != 0 && old.by == by:
			case old.in == 0 && c != 0:
				*old, moved[c] = displacement{1, by}, by
			default:
				for k, of := range from {
					if of == c && moved[int(next)-len(from)+k] == by {
						slots[slot] = next - uint8(len(from)-k)
						return true
					}
				}
				if int(next) == len(bases) {
					return false
				}
				from, moved[next] = append(from, c), by
				c = next
				next++
			}
			slots[slot] = c
			return true
		})
		if !ok {
			return false
		}
		class = append(class, slots[:]...)
	}
	t.class = class
	s.class = append(s.class[:0], class...)
	for _, c := range from {
		for i, shifts := range s.shifts {
			s.shifts[i] = append(shifts, shifts[c])
		}
	}
	own := make([]int64, next)
	for c := range own {
		own[c] = 8 * int64(moved[c])
	}
	s.funcs, s.shifts = append(s.funcs, f), append(s.shifts, own)
	return true
}

type displacements []displacement

// same reports whether number at is displaced by so much wherever it occurs.
func (d displacements) same(at, by, in int32) bool {
	if d[at].in != in {
		d[at] = displacement{in, by}
	}
	return d[at].by == by
}
