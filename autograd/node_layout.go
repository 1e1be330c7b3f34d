package autograd

import (
	"slices"

	"tobac/autograd/internal/ir"
)

// Gather builds a node of the given shape whose element e is element
// indices[e] of n; both are counted in row-major order.
func (n *Node) Gather(indices []int, shape Shape) *Node {
	return n.show(append([]int{}, indices...), slices.Clone(shape))
}

// show is [Node.Gather] that keeps its arguments.
func (n *Node) show(indices []int, shape Shape) *Node {
	return n.op1("gather", Attr{Ints: indices, Shape: shape})
}

// ScatterAdd builds a node of the given shape, zero but for element e of n
// added to element indices[e]; both are counted in row-major order. It is the
// transpose of [Node.Gather].
func (n *Node) ScatterAdd(indices []int, shape Shape) *Node {
	return n.op1("scatter", Attr{Ints: slices.Clone(indices), Shape: slices.Clone(shape)})
}

// Reshape gives the elements of n, in row-major order, another shape.
func (n *Node) Reshape(shape Shape) *Node {
	if n.shape.Equal(shape) {
		return n
	}
	return n.op1("reshape", Attr{Shape: append(Shape{}, shape...)})
}

// T is the transpose of a matrix.
func (n *Node) T() *Node {
	if len(n.shape) != 2 {
		return n.b.fail(n.shape, "transpose of shape %v, want a matrix", n.shape)
	}
	if n.is("gather") && n.args[0].shape.Equal(Shape{n.shape[1], n.shape[0]}) &&
		slices.Equal(n.attr.Ints, transposeIndices(n.args[0].shape)) {
		return n.args[0]
	}
	return n.show(transposeIndices(n.shape), Shape{n.shape[1], n.shape[0]})
}

func transposeIndices(s Shape) []int {
	idx := make([]int, 0, s.Len())
	for j := range s[1] {
		for i := range s[0] {
			idx = append(idx, i*s[1]+j)
		}
	}
	return idx
}

// Slice keeps the indices from ≤ i < to of one axis, none if both are equal.
func (n *Node) Slice(axis, from, to int) *Node {
	if err := checkAxis(axis, n.shape); err != nil {
		return n.b.fail(n.shape, "slice: %w", err)
	}
	if from < 0 || to > n.shape[axis] || from > to {
		return n.b.fail(n.shape, "slice [%d:%d] of axis %d of shape %v", from, to, axis, n.shape)
	}
	shape := slices.Clone(n.shape)
	shape[axis] = to - from
	return n.show(sliceIndices(n.shape, axis, from, to), shape)
}

// Index keeps one index of an axis and drops the axis.
func (n *Node) Index(axis, i int) *Node {
	s := n.Slice(axis, i, i+1)
	if n.b.err != nil {
		return s
	}
	return s.Reshape(n.shape.Drop([]int{axis}))
}

func sliceIndices(s Shape, axis, from, to int) []int {
	rows := make([]int, to-from)
	for i := range rows {
		rows[i] = from + i
	}
	return ir.Along(s, axis, rows)
}

// Concat joins nodes along an axis; all other dimensions agree.
func Concat(axis int, first *Node, more ...*Node) *Node {
	return first.op1("concat", Attr{Ints: []int{axis}}, more...)
}

// Diagonal is the main diagonal of a square matrix.
func (n *Node) Diagonal() *Node {
	if len(n.shape) != 2 || n.shape[0] != n.shape[1] {
		return n.b.fail(n.shape, "diagonal of shape %v, want a square matrix", n.shape)
	}
	d := n.shape[0]
	idx := make([]int, d)
	for i := range idx {
		idx[i] = i * (d + 1)
	}
	return n.Gather(idx, Shape{d})
}

// Trace is the sum of the main diagonal of a square matrix.
func (n *Node) Trace() *Node { return n.Diagonal().Sum() }

// StrictUpper lists the elements above the main diagonal of a d×d matrix in
// row-major order: the d(d−1)/2 pairs (i,j) with i < j.
func StrictUpper(d int) []int { return triangle(d, func(i, j int) bool { return i < j }) }

// UpperTriangle lists the elements on and above the main diagonal of a d×d
// matrix in row-major order.
func UpperTriangle(d int) []int { return triangle(d, func(i, j int) bool { return i <= j }) }

// LowerTriangle lists the elements on and below the main diagonal of a d×d matrix in row-major
// order.
func LowerTriangle(d int) []int { return triangle(d, func(i, j int) bool { return i >= j }) }

// triangle lists the elements (i,j) of a d×d matrix that belong to it, in row-major order.
func triangle(d int, in func(i, j int) bool) []int {
	idx := make([]int, 0, d*(d+1)/2)
	for i := range d {
		for j := range d {
			if in(i, j) {
				idx = append(idx, i*d+j)
			}
		}
	}
	return idx
}
