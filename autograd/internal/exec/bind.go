package exec

import (
	"tobac/autograd/internal/ir"
)

// A binding says where the numbers of one input or output of a part lie in an array
// whose leading dimensions are its mapped axes.
type binding struct {
	loops []int   // strides of the loops
	lane  int     // stride of the lanes
	elem  []int32 // offset of every element
	size  int     // of the array
	plain bool    // element e is at e
}

// picked are the offsets of the stored elements, by slot; nil if they follow each other
// from the first.
func (b *binding) picked(slot []int32) []int32 {
	n := 0
	for _, s := range slot {
		if s >= 0 {
			n++
		}
	}
	at := make([]int32, n)
	for e, s := range slot {
		if s >= 0 {
			at[s] = b.elem[e]
		}
	}
	if isPlain(at) {
		return nil
	}
	return at
}

// isPlain reports whether elements follow each other.
func isPlain(elem []int32) bool {
	for e, off := range elem {
		if int(off) != e {
			return false
		}
	}
	return true
}

// bind finds the strides of an array with the given axes and own shape, of which the
// part has made flat ones dimensions.
func bind(f *ir.Func, v *ir.Value, axes ir.AxisSet, own int, loops []*ir.Axis,
	lane *ir.Axis) binding {
	stride := make(map[*ir.Axis]int)
	n := own
	all := axes.Of(f.Axes)
	for i := len(all) - 1; i >= 0; i-- {
		stride[all[i]] = n
		n *= all[i].Size()
	}
	b := binding{size: n}
	for _, a := range loops {
		b.loops = append(b.loops, stride[a])
	}
	if lane != nil {
		b.lane = stride[lane]
	}
	b.elem = elements(f, v, own, func(a *ir.Axis) int { return stride[a] }, 1)
	b.plain = isPlain(b.elem)
	return b
}

// bindFill is the layout of Feed.Fill: one index of the outermost axis, elements before
// the other axes.
func bindFill(f *ir.Func, v *ir.Value, axes ir.AxisSet, own int, loops []*ir.Axis,
	lane *ir.Axis) (b binding, ok bool) {
	all := axes.Of(f.Axes)
	if len(all) == 0 || len(loops) != 1 || all[0] != loops[0] {
		return b, false
	}
	stride := make(map[*ir.Axis]int)
	n := 1
	for i := len(all) - 1; i > 0; i-- {
		stride[all[i]] = n
		n *= all[i].Size()
	}
	b = binding{size: n * own, loops: []int{0}}
	if lane != nil {
		b.lane = stride[lane]
	}
	b.elem = elements(f, v, own, func(a *ir.Axis) int { return stride[a] }, n)
	return b, true
}

// elements lists the offsets of the elements of a value some of whose axes have become
// dimensions, own elements being step apart.
func elements(f *ir.Func, v *ir.Value, own int, stride func(*ir.Axis) int, step int) []int32 {
	elem := make([]int32, v.Len())
	flat := v.Flat.Of(f.Axes)
	for e := range elem {
		at := e % own * step
		k := e / own
		for i := len(flat) - 1; i >= 0; i-- {
			at += k % flat[i].Size() * stride(flat[i])
			k /= flat[i].Size()
		}
		elem[e] = int32(at)
	}
	return elem
}

// at is where the numbers of some indices of the loops start.
func (b *binding) at(indices []int) int {
	n := 0
	for i, k := range indices {
		n += k * b.loops[i]
	}
	return n
}
