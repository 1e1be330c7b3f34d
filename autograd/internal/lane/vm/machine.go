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

// r is a register of the group that runs. All numbers of registers are below the count
// that the machine was made for: see [Group.Verify].
func (x *Machine) r(reg int32) []float64 {
	s := &x.state
	return unsafe.Slice((*float64)(unsafe.Add(unsafe.Pointer(s.r), int(reg)*s.stride)), s.n)
}

// lanes are those of a register that count.
func (x *Machine) lanes(reg int32) []float64 { return x.r(reg)[:x.count] }
