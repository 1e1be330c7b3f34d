package autograd

import (
	"fmt"
	"slices"

	"tobac/autograd/internal/ir"
)

// The rules that read positions as data. Their parameters are an axis and, where
// an operand does not tell it, the dimension of that axis.
func init() {
	register(
		// take reads row index[j] of an axis of x into row j; the dimensions of the
		// index replace the axis.
		&Primitive{
			Name: "take",
			Shape: func(at Attr, in []Shape) (Shape, error) {
				axis := at.Ints[0]
				if err := checkAxis(axis, in[0]); err != nil {
					return nil, err
				}
				return slices.Concat(in[0][:axis], in[1], in[0][axis+1:]), nil
			},
			Value: func(at Attr, out []float64, _ Shape, in [][]float64, shapes []Shape) error {
				axis := at.Ints[0]
				return eachRow("take", shapes[0], axis, in[1], func(taken, row, inner int) {
					copy(out[taken:][:inner], in[0][row:])
				})
			},
			VJP: func(y, ct *Node) []*Node {
				x := y.args[0]
				return []*Node{ct.segmentSum(y.args[1], y.attr.Ints[0], x.shape[y.attr.Ints[0]]),
					nil}
			},
		},
		// segment_sum adds row j to row index[j] of an axis: the transpose of take.
		&Primitive{
			Name:  "segment_sum",
			Shape: segmentShape,
			Value: func(at Attr, out []float64, shape Shape, in [][]float64, _ []Shape) error {
				clear(out)
				return eachRow("segment_sum", shape, at.Ints[0], in[1],
					func(taken, row, inner int) {
						for k := range inner {
							out[row+k] += in[0][taken+k]
						}
					})
			},
			VJP: func(y, ct *Node) []*Node {
				return []*Node{ct.Take(y.args[1], y.attr.Ints[0]), nil}
			},
		},
		&Primitive{
			Name: "one_hot",
			Shape: func(at Attr, in []Shape) (Shape, error) {
				return append(slices.Clone(in[0]), at.Ints[0]), nil
			},
			Value: func(at Attr, out []float64, _ Shape, in [][]float64, _ []Shape) error {
				n := at.Ints[0]
				clear(out)
				for j, v := range in[0] {
					k, err := position("one_hot", j, v, n)
					if err != nil {
						return err
					}
					out[j*n+k] = 1
				}
				return nil
			},
		},
	)
}

// segmentShape is that of x with the dimension ints[1] in place of those of the
// index, which start at axis ints[0].
func segmentShape(at Attr, in []Shape) (Shape, error) {
	x, index, axis, n := in[0], in[1], at.Ints[0], at.Ints[1]
	if axis < 0 || len(x) < axis+len(index) || !x[axis:][:len(index)].Equal(index) {
		return nil, fmt.Errorf("shape %v with indices of shape %v from axis %d", x, index, axis)
	}
	return slices.Concat(x[:axis], Shape{n}, x[axis+len(index):]), nil
}

// eachRow visits what lies along an axis of shape at the given positions: taken is
// the offset in the array that has the positions along the axis, row that in the
// array of the given shape, and inner the number of elements from there on.
func eachRow(name string, shape Shape, axis int, positions []float64,
	visit func(taken, row, inner int)) error {
	inner, size := shape[axis+1:].Len(), shape[axis]
	for j, v := range positions {
		k, err := position(name, j, v, size)
		if err != nil {
			return err
		}
		for o := range shape[:axis].Len() {
			visit((o*len(positions)+j)*inner, (o*size+k)*inner, inner)
		}
	}
	return nil
}

// position is the whole number v, number j of an index, below bound.
func position(name string, j int, v float64, bound int) (int, error) {
	k := int(v)
	if float64(k) != v || k < 0 || k >= bound { // NaN is not equal to anything
		return 0, fmt.Errorf("%s: index %d is %v, want a whole number from 0 to %d", name, j, v,
			bound-1)
	}
	return k, nil
}

// constantRows are the values of a constant; ok reports whether all are whole numbers
// below bound.
func (n *Node) constantRows(bound int) (rows []int, ok bool) {
	rows = make([]int, len(n.value))
	for j, v := range n.value {
		k, err := position("", j, v, bound)
		if err != nil {
			return nil, false
		}
		rows[j] = k
	}
	return rows, true
}

// Take reads rows of an axis of n at the positions that index holds: its
// dimensions replace the axis in the shape, so that a scalar drops it. The
// positions are data, whole numbers from 0 to the dimension less 1; any other
// value fails the run. They receive no derivative. If index is a constant, nothing
// is left to compute: [Node.Gather] does it.
func (n *Node) Take(index *Node, axis int) *Node {
	if n.b.err == nil && index.b == n.b && index.isConstant() && checkAxis(axis, n.shape) == nil {
		if rows, ok := index.constantRows(n.shape[axis]); ok {
			return n.rows(axis,
				rows).Reshape(slices.Concat(n.shape[:axis], index.shape, n.shape[axis+1:]))
		}
	}
	return n.op1("take", Attr{Ints: []int{axis}}, index)
}

// SegmentSum adds the rows of n, of shape (m,…), that have the same id: row s of
// the result, of shape (segments,…), is the sum of the rows i with ids[i] = s, and
// zero if there are none.
func (n *Node) SegmentSum(ids []int, segments int) *Node {
	if n.b.err != nil {
		return n.b.fail(n.shape, "")
	}
	if len(n.shape) == 0 || segments < 1 {
		return n.b.fail(n.shape,
			"segment sum of shape %v into %d segments, want a dimension and a segment", n.shape,
			segments)
	}
	if err := checkIndices(ids, n.shape[0], segments); err != nil {
		return n.b.fail(n.shape, "segment sum: %w", err)
	}
	shape := slices.Clone(n.shape)
	shape[0] = segments
	return n.ScatterAdd(ir.Along(shape, 0, ids), shape)
}

// SegmentSumBy is [Node.SegmentSum] with ids that are data: the leading dimensions
// of n are those of index, and the result has one dimension, the segment, in their
// place. Values of index that are not whole numbers from 0 to segments − 1 fail the
// run. They receive no derivative.
func (n *Node) SegmentSumBy(index *Node, segments int) *Node {
	return n.segmentSum(index, 0, segments)
}

func (n *Node) segmentSum(index *Node, axis, size int) *Node {
	return n.op1("segment_sum", Attr{Ints: []int{axis, size}}, index)
}

// OneHot adds a last dimension of the given size, along which the result is 1 at
// the position that n holds and 0 elsewhere. Values of n that are not whole numbers
// from 0 to size − 1 fail the run. It has no derivative.
func (n *Node) OneHot(size int) *Node { return n.op1("one_hot", Attr{Ints: []int{size}}) }
