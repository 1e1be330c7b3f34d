package dense

import (
	"iter"
	"slices"

	"tobac/autograd/internal/ir"
	"tobac/internal/vector"
)

// An Instruction reads and writes the arena of one frame.
type Instruction interface {
	Run(f *Frame)
	// Cost is the work of one run: an elementary function or a division is one
	// floating-point operation, and operands of all lanes are read in full.
	Cost() (flops, bytes int)
}

// A Frame is what one worker runs instructions in.
type Frame struct {
	M       []float64  // arena
	Scratch []float64  // gathered operands
	Arrays  []*float64 // of machine code that loads from them, or stores there
	args    [][]float64
	Failed  []Failure // of the steps that have run
	share   *share    // among workers; nil if there is one
}

// NewFrame makes the memory for one worker, with the constants.
func (p *Plan) NewFrame() *Frame {
	f := &Frame{M: vector.Memory(p.Arena), Scratch: vector.Memory(p.Scratch)}
	copy(f.M, p.Constant)
	return f
}

// A Failure is an operation that has no result in one lane, where NaN stands for it.
type Failure struct {
	V    *ir.Value
	Lane int
	Err  error
}

// A Step is an instruction and the value it computes.
type Step struct {
	V *ir.Value
	Instruction
}

// A run is a stretch of elements of an element-wise instruction over which the
// result is contiguous and every operand advances by a fixed stride.
type run struct {
	dst, n int
	src    [3]operand
}

// An operand of a run: where its first element lies, how far apart elements
// are (0 if it is the same one), and how many lanes each has.
type operand struct{ off, stride, width int }

// lane is the offset of lane l of the operand.
func (o operand) lane(l int) int {
	if o.width == 1 {
		return o.off
	}
	return o.off + l
}

// operand is element e of v.
func (p *Plan) operand(v *ir.Value, e int) operand {
	return operand{off: p.Offset(v, e), width: p.Width(v, e)}
}

// runs goes through the live elements of an element-wise value, in as few runs as possible.
func (p *Plan) runs(v *ir.Value) iter.Seq[run] { return p.runsOf(v, 0, v.Len()) }

// runsOf goes through the elements from one to another.
func (p *Plan) runsOf(v *ir.Value, from, to int) iter.Seq[run] {
	var args [3]*Place
	var one [3]bool // the same number for all elements
	for i, a := range v.Args {
		args[i], one[i] = &p.places[a.ID], len(a.Shape) == 0
	}
	return p.join(v, len(v.Args), from, to, func(e int, next *run) bool {
		for i := range v.Args {
			at, k := args[i], e
			if one[i] {
				k = 0
			}
			if s := at.Slot[k]; s >= 0 {
				next.src[i].off, next.src[i].width = at.Store.Off+int(s)*at.Store.Width,
					at.Store.Width
			} else {
				next.src[i].off, next.src[i].width = ZeroOffset, 1
			}
		}
		return true
	})
}

// join goes through the live elements of v, from one to another, that have operands, in as few runs
// as possible.
func (p *Plan) join(v *ir.Value, args, from, to int,
	operands func(e int, next *run) bool) iter.Seq[run] {
	at := &p.places[v.ID]
	off, width := at.Store.Off, at.Store.Width
	return func(yield func(run) bool) {
		r, next := run{}, run{n: 1}
		p.order(v, from, to, func(e int) {
			if !v.Live[e] || !operands(e, &next) {
				return
			}
			next.dst = off + int(at.Slot[e])*width
			if r.n > 0 && r.extend(&next, args, width) {
				return
			}
			if r.n > 0 {
				yield(r)
			}
			r = next
		})
		if r.n > 0 {
			yield(r)
		}
	}
}

// oneRun is that of a value all of whose elements, and those of its operands, are in order.
func (p *Plan) oneRun(v *ir.Value) (r run, ok bool) {
	if !p.places[v.ID].inOrder {
		return r, false
	}
	r = run{dst: p.Offset(v, 0), n: v.Len()}
	for i, a := range v.Args {
		r.src[i] = p.operand(a, 0)
		if len(a.Shape) > 0 {
			if !p.places[a.ID].inOrder || a.Len() != r.n {
				return r, false
			}
			r.src[i].stride = r.src[i].width
		}
	}
	return r, v.AllLive || !slices.Contains(v.Live, false)
}

// extend appends one element to r if it continues it.
func (r *run) extend(next *run, args, width int) bool {
	if next.dst != r.dst+r.n*width {
		return false
	}
	for i := range args {
		a, b := &r.src[i], &next.src[i]
		if a.width != b.width {
			return false
		}
		stride := a.stride
		if r.n == 1 {
			stride = b.off - a.off
			if stride != 0 && stride != a.width {
				return false
			}
		}
		if b.off != a.off+r.n*stride {
			return false
		}
	}
	for i := range args {
		if r.n == 1 {
			r.src[i].stride = next.src[i].off - r.src[i].off
		}
	}
	r.n++
	return true
}

// runElements is the number of elements of runs.
func runElements(runs []run) int {
	n := 0
	for _, r := range runs {
		n += r.n
	}
	return n
}
