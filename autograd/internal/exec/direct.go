package exec

import (
	"tobac/autograd/internal/dense"
)

// direct evaluates a program of one part that runs once, without lanes, from data: what
// happens around the instructions takes as long as some of them, and is only copying.
type direct struct {
	load, store []move
}

// A move copies numbers between an array of the call and the arena.
type move struct {
	array int     // number of the feed or result
	at    int     // where n numbers start in the arena
	n     int     // or
	index []int32 // of loads where each number is in the array, of stores where it is in the arena
	to    []int32 // of stores: where it is in the array; nil if one behind the other
}

// direct is nil for other programs.
func (p *Program) direct() *direct {
	if len(p.parts) != 1 || p.parts[0].outer != 1 || p.parts[0].lane != nil || p.parts[0].layout.lane != nil || len(p.copies) > 0 {
		return nil
	}
	q := p.parts[0]
	d := &direct{}
	for i := range q.inputs {
		in := &q.inputs[i]
		if in.v == nil {
			continue
		}
		if p.arrays[in.array].input < 0 {
			return nil
		}
		d.load = append(d.load, move{array: p.arrays[in.array].input, at: q.plan.Place(in.v).Store.Off, n: in.slots, index: in.stored})
	}
	for i := range q.outputs {
		out := &q.outputs[i]
		m := move{array: p.arrays[out.array].output, at: out.start, n: len(out.data.elem), index: out.offsets}
		if !out.data.plain {
			m.to = out.data.elem
			m.index = make([]int32, m.n)
			for e := range m.index {
				m.index[e] = int32(q.plan.Offset(out.v, e))
			}
		}
		d.store = append(d.store, m)
	}
	return d
}

// eval evaluates the only part, and reports whether nothing failed.
func (d *direct) eval(q *part, f *frame, dst [][]float64, src []Feed) (ok bool) {
	m := f.dense.M
	for i := range d.load {
		d.load[i].in(m, src[d.load[i].array].Data)
	}
	f.dense.Failed = f.dense.Failed[:0]
	for i := range q.runs {
		q.runs[i].Run(f.dense)
	}
	for i := range d.store {
		d.store[i].out(dst[d.store[i].array], m)
	}
	return len(f.dense.Failed) == 0
}

// shortMove is how many numbers are copied one by one.
const shortMove = 16

func (v *move) in(m, data []float64) {
	to := m[v.at:][:v.n]
	switch {
	case v.index != nil:
		dense.Kernels.Gather(to, data, v.index)
	case v.n > shortMove:
		copy(to, data)
	default:
		data = data[:len(to)]
		for i, x := range data {
			to[i] = x
		}
	}
}

func (v *move) out(data, m []float64) {
	switch {
	case v.to != nil:
		for i, at := range v.index {
			data[v.to[i]] = m[at]
		}
	case v.index != nil:
		dense.Kernels.Gather(data[:len(v.index)], m, v.index)
	case v.n > shortMove:
		copy(data[:v.n], m[v.at:])
	default:
		from := m[v.at:][:v.n]
		data = data[:len(from)]
		for i, x := range from {
			data[i] = x
		}
	}
}
