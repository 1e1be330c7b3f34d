package native

import (
	"errors"
	"fmt"
	"slices"
)

// ErrUnavailable says that no machine code can be run here.
var ErrUnavailable = errors.New("native: no executable memory")

// A Text is machine code that functions are added to. It runs once it is sealed.
type Text struct {
	code   []byte
	shapes []*shape
	byHash map[uint64][]*shape
	arena  int    // the longest
	live   []bool // of [Text.lookAhead]; false between calls

	// Of [shape.join].
	compared     int32
	first, other displacements
	class        []uint8
}

// Code that does not stay in the nearer caches from one call to the next is fetched ahead: line by
// line the processor would wait for it. That is the code of a function of so many operations, and
// what stands behind so many bytes of other functions, which run before it.
const (
	fetchedOps   = 1 << 14
	fetchedBytes = 1 << 18
)

// Add appends a function of the operations, on an arena of the given length and on arrays.
// Numbers for which kept is false need not be stored: nothing reads them afterwards.
func (t *Text) Add(ops []Op, arena int, kept func(at int) bool, arrays ...int) (*Func, error) {
	for i := range ops {
		if err := ops[i].check(arena, arrays); err != nil {
			return nil, fmt.Errorf("native: operation %d: %w", i, err)
		}
	}
	t.arena = max(t.arena, arena)
	f, all := &Func{}, t.lookAhead(ops, arena, kept)
	h := hash(ops, all)
	if len(ops) <= mostShared {
		list := t.byHash[h]
		for _, s := range list[max(len(list)-mostCompared, 0):] {
			if s.join(t, ops, all, arena, f) {
				return f, nil
			}
		}
	}
	s := &shape{ops: slices.Clone(ops), uses: all, class: make([]uint8, 3*len(ops)),
		funcs: []*Func{f}, shifts: [][]int64{{0}}}
	if t.byHash == nil {
		t.byHash = map[uint64][]*shape{}
	}
	t.shapes, t.byHash[h] = append(t.shapes, s), append(t.byHash[h], s)
	return f, nil
}

// write appends the code of a shape.
func (t *Text) write(s *shape, classes []uint8) {
	for len(t.code)%lineBytes != 0 {
		t.code = append(t.code, 0xCC) // a trap
	}
	s.start = len(t.code)
	c := &compiler{ops: s.ops, uses: s.uses, text: text{t.code}}
	if len(s.shifts[0]) > 1 {
		for i := range s.ops {
			s.ops[i].operands(func(slot int, k key) bool {
				for n := range k.room() {
					classes[k.at+n] = s.class[3*i+slot]
				}
				return true
			})
		}
		c.classes = classes
		c.text.addresses(len(s.shifts[0]))
	}
	for _, op := range s.ops {
		if op.Code == Neg || op.Code == Abs {
			c.text.signs(signRegister)
			break
		}
	}
	next, far := len(t.code), len(s.funcs) == 1 &&
		(len(s.ops) >= fetchedOps || len(t.code) >= fetchedBytes)
	for i := range s.ops {
		if far && len(c.text.code) >= next {
			c.text.fetch()
			next = len(c.text.code) + lineBytes
		}
		c.compile(i)
	}
	for r := range c.regs {
		c.save(r)
	}
	c.text.end()
	t.code = c.text.code
}

// lineBytes is the alignment of functions: a line of the cache.
const lineBytes = 64

// Seal makes the functions ready to run. Nothing can be added any more.
func (t *Text) Seal() error {
	if len(t.shapes) == 0 {
		return nil
	}
	classes := make([]uint8, t.arena)
	for _, s := range t.shapes {
		t.write(s, classes)
	}
	e, err := executable(t.code)
	if err != nil {
		return err
	}
	for _, s := range t.shapes {
		n := len(s.shifts[0])
		shifts := make([]int64, 0, n*len(s.funcs)) // one behind the other, as they are read
		for i, f := range s.funcs {
			shifts = append(shifts, s.shifts[i]...)
			f.place(e, s.start, shifts[i*n:])
		}
	}
	return nil
}

// lookAhead finds what follows each operation.
func (t *Text) lookAhead(ops []Op, arena int, kept func(at int) bool) []uses {
	all := make([]uses, len(ops))
	next := make(map[key]int32, len(ops))
	if len(t.live) < arena {
		t.live = make([]bool, arena)
	}
	live := t.live
	for i := range ops {
		if ops[i].Code == Store {
			continue
		}
		for at := range ops[i].dst().room() {
			live[ops[i].Dst+at] = kept(int(ops[i].Dst + at))
		}
	}
	of := func(k key) use {
		u := use{next: never}
		if i, ok := next[k]; ok {
			u.next = i
		}
		for _, l := range live[k.at:][:k.room()] {
			u.live = u.live || l
		}
		return u
	}
	mark := func(k key, reads bool) {
		for i := range k.room() {
			live[k.at+i] = reads
		}
	}
	for i := len(ops) - 1; i >= 0; i-- {
		op := &ops[i]
		if op.Code != Store {
			all[i].dst = of(op.dst())
			mark(op.dst(), false)
			delete(next, op.dst())
		}
		if op.Code == Load {
			continue
		}
		all[i].a = of(op.a())
		if op.Code.binary() {
			all[i].b = of(op.b())
		}
		next[op.a()] = int32(i)
		mark(op.a(), true)
		if op.Code.binary() {
			next[op.b()] = int32(i)
			mark(op.b(), true)
		}
	}
	for i := range ops {
		op := &ops[i]
		if op.Code != Store {
			mark(op.dst(), false)
		}
		if op.Code != Load {
			mark(op.a(), false)
		}
		if op.Code.binary() {
			mark(op.b(), false)
		}
	}
	return all
}
