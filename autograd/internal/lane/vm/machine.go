package vm

import (
	"unsafe"

	"tobac/internal/vector"
)

// VectorLen is the number of lanes that registers are rounded up to.
const VectorLen = 8

// A Machine runs groups. It is not safe for concurrent use.
type Machine struct {
	Arena   []float64       // numbers that are the same in all lanes
	Full    []float64       // registers of all lanes, Width numbers each
	Streams []vector.Stream // generators of uniform numbers

	set    vector.Set
	width  int
	packed []float64   // registers of selected lanes
	buffer []float64   // for operations that need one
	chosen []int32     // the selected lanes
	rows   [][]float64 // registers that an operation in Go works on

	// What runs, for operations in Go.
	state  state
	group  *Group
	active []int32 // selected lanes, rounded up to whole vectors
	count  int     // lanes that count
}

// A state is what kernels in assembly know of a machine and the group that runs.
type state struct {
	code       *Op      // operations, the last one End
	args       *int32   // pool of operands
	m          *float64 // arena
	r          *float64 // registers
	full       *float64 // registers of all lanes, which Gather reads
	active     *int32   // selected lanes, n of them
	tail       *uint64  // masks of the last VectorLen lanes: all ones where they count
	n          int      // lanes of a register, a multiple of VectorLen
	stride     int      // bytes between registers
	fullStride int      // bytes between registers of full
	streams    *vector.Stream
	buffer     *float64 // for operations that need one
}

// A Size says how much memory a machine needs.
type Size struct {
	Width   int // lanes of a register of all lanes, a multiple of VectorLen
	Full    int // registers of all lanes
	Packed  int // registers of selected lanes
	Buffer  int // numbers that operations need: see [BlockBuffer]
	Streams int // generators
}

// New makes a machine with the kernels of a set, which the processor must have. It works
// in arena, and in memory of its own for the rest. It panics if the width is no positive
// multiple of VectorLen.
func New(set vector.Set, arena []float64, size Size) *Machine {
	if size.Width <= 0 || size.Width%VectorLen != 0 {
		panic("vm: the width of registers is no positive multiple of VectorLen")
	}
	return &Machine{
		Arena:   arena,
		Full:    vector.Memory(size.Full * size.Width),
		Streams: make([]vector.Stream, size.Streams),
		set:     set,
		width:   size.Width,
		packed:  vector.Memory(size.Packed * size.Width),
		buffer:  vector.Memory(max(size.Buffer, 2*size.Width)),
		chosen:  make([]int32, 0, size.Width),
	}
}

// Set is the kernel set of the machine.
func (x *Machine) Set() vector.Set { return x.set }

// Select chooses those of the first count lanes whose weight e^r is at least e^−cut of
// the largest, in register reg of all lanes; all of them if the largest is no number. The
// result is valid until the next call.
func (x *Machine) Select(reg int32, count int, cut float64) []int32 {
	weights := x.Full[int(reg)*x.width:][:count]
	floor := x.set.Max(weights) - cut
	x.chosen = x.chosen[:0]
	for l, v := range weights {
		if !(v < floor) {
			x.chosen = append(x.chosen, int32(l))
		}
	}
	return x.chosen
}

// Run executes the group on all lanes, of which the first count go into sums over the
// lanes. Its registers are those of Full.
func (x *Machine) Run(g *Group, count int) { x.run(g, x.Full, x.width, count, nil) }

// RunPacked executes the group on selected lanes, at least one, as Select returned them:
// in registers of its own, into which Gather packs what registers of all lanes have.
func (x *Machine) RunPacked(g *Group, selected []int32) {
	n := (len(selected) + VectorLen - 1) / VectorLen * VectorLen
	active := selected
	for len(active) < n { // there is room: the width is a multiple of VectorLen
		active = append(active, selected[0])
	}
	x.run(g, x.packed, n, len(selected), active)
}

// tailMasks has, from index VectorLen−c on, masks of VectorLen lanes of which
// the first c count.
var tailMasks = [2 * VectorLen]uint64{0: ^uint64(0), 1: ^uint64(0), 2: ^uint64(0), 3: ^uint64(0), 4: ^uint64(0), 5: ^uint64(0), 6: ^uint64(0), 7: ^uint64(0)}

// run executes the group in registers of n lanes.
func (x *Machine) run(g *Group, regs []float64, n, count int, active []int32) {
	x.group, x.active, x.count = g, active, count
	if len(regs) == 0 { // nothing but constants
		regs = x.buffer
	}
	s := &x.state
	*s = state{
		code: &g.Code[0], r: &regs[0], buffer: &x.buffer[0],
		tail: &tailMasks[n-count], n: n, stride: 8 * n, fullStride: 8 * x.width,
	}
	if len(x.Arena) > 0 {
		s.m = &x.Arena[0]
	}
	if len(g.Args) > 0 {
		s.args = &g.Args[0]
	}
	if len(x.Streams) > 0 {
		s.streams = &x.Streams[0]
	}
	if active != nil {
		s.full, s.active = &x.Full[0], &active[0]
	}
	for pc := 0; ; pc++ {
		pc = assembled(x.set, s, pc)
		op := &g.Code[pc]
		if op.Code == End {
			return
		}
		table[op.Code].run(x, op)
	}
}

// r is a register of the group that runs. All numbers of registers are below the count
// that the machine was made for: see [Group.Verify].
func (x *Machine) r(reg int32) []float64 {
	s := &x.state
	return unsafe.Slice((*float64)(unsafe.Add(unsafe.Pointer(s.r), int(reg)*s.stride)), s.n)
}

// lanes are those of a register that count.
func (x *Machine) lanes(reg int32) []float64 { return x.r(reg)[:x.count] }

// Each runs a group operation by operation, on all lanes or packed ones, and calls after
// with the number of each.
func (x *Machine) Each(g *Group, packed bool, selected []int32, count int, after func(op int)) {
	for i := range g.Code {
		if g.Code[i].Code == End {
			return
		}
		one := Group{Code: []Op{g.Code[i], {Code: End}}, Args: g.Args, Unary: g.Unary, Binary: g.Binary}
		if packed {
			x.RunPacked(&one, selected)
		} else {
			x.Run(&one, count)
		}
		after(i)
	}
}

// Written shows what operation i of a group that has just run wrote: registers, and
// numbers of the arena.
func (x *Machine) Written(g *Group, i int, packed bool, f func(x []float64, register bool)) {
	op := g.Code[i]
	op.operands(g.Args, func(o operand, p *int32, n int) {
		switch o {
		case written, updated:
			f(x.r(*p), true)
		case result:
			f(x.Arena[*p:][:1], false)
		}
	})
}
