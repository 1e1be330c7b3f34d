package exec

import (
	"slices"
	"unsafe"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
)

// direct evaluates a program of which one part runs once, without lanes, from data, beside
// parts that depend on constants only and have run: what happens around the instructions takes
// as long as some of them, and is only copying.
type direct struct {
	part        int
	once        []move // from what other parts have written, where it stays
	load, store []move
	runs        []dense.Stretch
	in, out     []int // feeds and results that machine code reads and writes, if some
}

// A move copies numbers between an array of the call and the arena.
type move struct {
	v     *ir.Value // the input or output
	array int       // number of the feed or result
	own   []float64 // what another part has written, in the place of a feed
	at    int       // where n numbers start in the arena
	n     int       // or
	// of loads where each number is in the array, of stores where it is in the arena
	index []int32
	to    []int32 // of stores: where it is in the array; nil if one behind the other
}

// newDirect is nil for other programs.
func (c *evaluator) newDirect() *direct {
	d := &direct{part: -1}
	for k, q := range c.parts {
		switch {
		case q.constant:
		case d.part >= 0 || q.outer != 1 || q.lane != nil || q.layout.lane != nil:
			return nil
		default:
			d.part = k
		}
	}
	if d.part < 0 || len(c.copies) > 0 {
		return nil
	}
	p, q := c.Program, c.parts[d.part]
	for i := range q.inputs {
		in := &q.inputs[i]
		if in.v == nil {
			continue
		}
		m := move{v: in.v, array: p.arrays[in.array].input, at: q.plan.Place(in.v).Store.Off,
			n: in.slots, index: in.stored}
		switch {
		case m.array >= 0:
			d.load = append(d.load, m)
		case slices.Contains(q.known, in.v):
			m.own = c.own[in.array]
			d.once = append(d.once, m)
		default:
			return nil
		}
	}
	for i := range q.outputs {
		out := &q.outputs[i]
		if p.arrays[out.array].output < 0 { // written once more, and read by nothing
			continue
		}
		m := move{v: out.v, array: p.arrays[out.array].output, at: out.start, n: len(out.data.elem),
			index: out.offsets}
		if !out.data.plain {
			m.to = out.data.elem
			m.index = make([]int32, m.n)
			for e := range m.index {
				m.index[e] = int32(q.plan.Offset(out.v, e))
			}
		}
		d.store = append(d.store, m)
	}
	d.runs = q.runs
	d.join(q, c.sizes)
	return d
}

// mostJoined is how many numbers machine code moves; more are copied in one go.
const mostJoined = 128

// at is entry i of a list, or place i of a range that begins at first where there is no list.
func at(list []int32, first, i int) int32 {
	if list != nil {
		return list[i]
	}
	return int32(first + i)
}

// join leaves the moves of few numbers to machine code.
func (d *direct) join(q *part, s sizes) {
	var lengths []int // of the feeds that machine code reads, then of the results that it writes
	// few are the moves of few numbers, each from or to one of the arrays used, and the others.
	few := func(moves []move, sizes []int, transfer func(t *dense.Transfer, m move, i int)) (
		transfers []dense.Transfer, used []int, others []move) {
		first := len(lengths)
		for _, m := range moves {
			if m.n > mostJoined {
				others = append(others, m)
				continue
			}
			t := dense.Transfer{V: m.v}
			for i := range m.n {
				transfer(&t, m, i)
			}
			k := slices.Index(used, m.array)
			if k < 0 {
				k, used, lengths = len(used), append(used, m.array), append(lengths, sizes[m.array])
			}
			t.Array = first + k
			transfers = append(transfers, t)
		}
		return transfers, used, others
	}
	loads, in, load := few(d.load, s.in, func(t *dense.Transfer, m move, i int) {
		t.Index, t.Places = append(t.Index, at(m.index, 0, i)), append(t.Places, int32(m.at+i))
	})
	stores, out, store := few(d.store, s.out, func(t *dense.Transfer, m move, i int) {
		t.Index, t.Places = append(t.Index, at(m.to, 0, i)), append(t.Places, at(m.index, m.at, i))
	})
	runs, loaded, stored, err := q.plan.JoinTransfers(q.runs, lengths, loads, stores, store == nil)
	if err != nil {
		return // what is copied needs no machine code
	}
	d.runs = runs
	if loaded || stored {
		d.in, d.out = in, out
	}
	if loaded {
		d.load = load
	}
	if stored {
		d.store = store
	}
}

// eval evaluates the part, and reports whether nothing failed.
func (d *direct) eval(q *part, f *frame, dst [][]float64, src []Feed) (ok bool) {
	m := f.dense.M
	for i := range d.once {
		d.once[i].in(m, d.once[i].own)
	}
	d.once = nil
	for i := range d.load {
		d.load[i].in(m, src[d.load[i].array].Data)
	}
	arrays := f.dense.Arrays[:0]
	for _, k := range d.in {
		arrays = append(arrays, unsafe.SliceData(src[k].Data))
	}
	for _, k := range d.out {
		arrays = append(arrays, unsafe.SliceData(dst[k]))
	}
	f.dense.Arrays = arrays
	f.dense.Failed = f.dense.Failed[:0]
	for i := range d.runs {
		d.runs[i].Run(f.dense)
	}
	clear(arrays)
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
		//lint:ignore S1001 a call of copy takes longer
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
		//lint:ignore S1001 a call of copy takes longer
		for i, x := range from {
			data[i] = x
		}
	}
}
