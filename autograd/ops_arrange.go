package autograd

import (
	"slices"

	"tobac/autograd/internal/ir"
)

// Rearrangements of elements: each is one gather or scatter, which costs nothing
// in the compiled engine.

// Transpose reorders the dimensions: dimension i of the result is dimension
// order[i] of n. Without arguments the order is reversed. For a matrix see also
// [Node.T].
func (n *Node) Transpose(order ...int) *Node {
	if n.b.err != nil {
		return n.b.fail(n.shape, "")
	}
	r := len(n.shape)
	if len(order) == 0 {
		order = ir.Identity(r)
		slices.Reverse(order)
	}
	if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, ir.Identity(r)) {
		return n.b.fail(n.shape,
			"transpose: order %v of shape %v, want each of its %d dimensions once", order, n.shape,
			r)
	}
	if slices.IsSorted(order) {
		return n
	}
	if r == 2 {
		return n.T()
	}
	shape, stride, from := make(Shape, r), make([]int, r), n.shape.Strides()
	for i, k := range order {
		shape[i], stride[i] = n.shape[k], from[k]
	}
	return n.show(stridedIndices(shape, stride), shape)
}

// stridedIndices lists Σ index·stride over the indices of a shape in row-major order.
func stridedIndices(shape Shape, stride []int) []int {
	idx := []int{0}
	for i, d := range shape {
		next := make([]int, 0, len(idx)*d)
		for _, k := range idx {
			for j := range d {
				next = append(next, k+j*stride[i])
			}
		}
		idx = next
	}
	return idx
}

// rows gathers the given rows of an axis.
func (n *Node) rows(axis int, rows []int) *Node {
	shape := slices.Clone(n.shape)
	shape[axis] = len(rows)
	return n.show(ir.Along(n.shape, axis, rows), shape)
}

// Roll shifts along an axis: index i moves to i + shift, and what leaves one end
// enters at the other. A negative shift moves towards index 0.
func (n *Node) Roll(axis, shift int) *Node {
	if err := n.axisError(axis); err != nil {
		return n.b.fail(n.shape, "roll: %w", err)
	}
	d := n.shape[axis]
	from := make([]int, d)
	for i := range from {
		from[i] = ((i-shift)%d + d) % d
	}
	return n.rows(axis, from)
}

// Flip reverses the given axes; without axes, all.
func (n *Node) Flip(axes ...int) *Node {
	for _, axis := range axesOrAll(n.shape, axes) {
		if err := n.axisError(axis); err != nil {
			return n.b.fail(n.shape, "flip: %w", err)
		}
		from := ir.Identity(n.shape[axis])
		slices.Reverse(from)
		n = n.rows(axis, from)
	}
	return n
}

// Tile repeats the whole array counts[i] times along axis i.
func (n *Node) Tile(counts ...int) *Node {
	if len(counts) != len(n.shape) {
		return n.b.fail(n.shape, "tile: got %d counts, want %d for shape %v", len(counts),
			len(n.shape), n.shape)
	}
	for axis, count := range counts {
		if count < 1 {
			return n.b.fail(n.shape, "tile: count %d of axis %d, want at least 1", count, axis)
		}
		if n.b.err == nil && count > 1 {
			n = n.rows(axis, slices.Repeat(ir.Identity(n.shape[axis]), count))
		}
	}
	return n
}

// Repeat repeats every index of an axis count times, one behind the other.
func (n *Node) Repeat(axis, count int) *Node {
	if err := n.axisError(axis); err != nil {
		return n.b.fail(n.shape, "repeat: %w", err)
	}
	if count < 1 {
		return n.b.fail(n.shape, "repeat: count %d, want at least 1", count)
	}
	from := make([]int, n.shape[axis]*count)
	for i := range from {
		from[i] = i / count
	}
	return n.rows(axis, from)
}

// Pad adds lo[i] zeros before and hi[i] zeros behind the indices of axis i.
func (n *Node) Pad(lo, hi []int) *Node {
	if n.b.err != nil {
		return n.b.fail(n.shape, "")
	}
	if len(lo) != len(n.shape) || len(hi) != len(n.shape) {
		return n.b.fail(n.shape, "pad: got %d and %d widths, want %d for shape %v", len(lo),
			len(hi), len(n.shape), n.shape)
	}
	shape, first := slices.Clone(n.shape), 0
	for i := range shape {
		if lo[i] < 0 || hi[i] < 0 {
			return n.b.fail(n.shape, "pad: widths %d and %d of axis %d, want at least 0", lo[i],
				hi[i], i)
		}
		shape[i] += lo[i] + hi[i]
	}
	if shape.Equal(n.shape) {
		return n
	}
	stride := shape.Strides()
	for i := range shape {
		first += lo[i] * stride[i]
	}
	idx := stridedIndices(n.shape, stride)
	for e := range idx {
		idx[e] += first
	}
	return n.ScatterAdd(idx, shape)
}

// Split cuts an axis into consecutive parts of the given sizes, which add up to
// its dimension. [Concat] is the inverse.
func (n *Node) Split(axis int, sizes ...int) []*Node {
	parts := make([]*Node, len(sizes))
	err := n.axisError(axis)
	if err != nil {
		n.b.fail(n.shape, "split: %w", err)
	}
	at := 0
	for i, size := range sizes {
		parts[i] = &Node{b: n.b, id: -1, attr: &none, shape: n.shape}
		if err == nil && n.b.err == nil {
			parts[i] = n.Slice(axis, at, at+size)
			at += size
		}
	}
	if n.b.err == nil && at != n.shape[axis] {
		n.b.fail(n.shape, "split: sizes %v add up to %d, want %d for axis %d of shape %v", sizes,
			at, n.shape[axis], axis, n.shape)
	}
	return parts
}

// Diag is the square matrix with the vector n on its main diagonal and zeros
// elsewhere. [Node.Diagonal] is the way back.
func (n *Node) Diag() *Node {
	if len(n.shape) != 1 {
		return n.b.fail(n.shape, "diag: shape %v, want a vector", n.shape)
	}
	d := n.shape[0]
	return n.ScatterAdd(stridedIndices(n.shape, []int{d + 1}), Shape{d, d})
}

// Tril keeps the elements (i,j) with j − i ≤ diagonal of the last two dimensions
// and makes the others zero, whatever they are: diagonal 0 is the main one, and
// negative ones lie below it.
func (n *Node) Tril(diagonal int) *Node {
	return n.triangle("tril", diagonal, func(offset int) bool { return offset <= diagonal })
}

// Triu keeps the elements (i,j) with j − i ≥ diagonal of the last two dimensions
// and makes the others zero, whatever they are: diagonal 0 is the main one, and
// positive ones lie above it.
func (n *Node) Triu(diagonal int) *Node {
	return n.triangle("triu", diagonal, func(offset int) bool { return offset >= diagonal })
}

func (n *Node) triangle(name string, diagonal int, keep func(offset int) bool) *Node {
	r := len(n.shape) - 2
	if r < 0 {
		return n.b.fail(n.shape, "%s: shape %v, want at least two dimensions", name, n.shape)
	}
	rows, cols := n.shape[r], n.shape[r+1]
	idx := []int{}
	for e := range n.shape.Len() {
		if keep(e%cols - e/cols%rows) {
			idx = append(idx, e)
		}
	}
	return n.Gather(idx, Shape{len(idx)}).ScatterAdd(idx, n.shape)
}

// axisError is the builder's error, or that of an axis that n does not have.
func (n *Node) axisError(axis int) error {
	if n.b.err != nil {
		return n.b.err
	}
	return checkAxis(axis, n.shape)
}
