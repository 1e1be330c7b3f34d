package autograd

import (
	"fmt"

	"tobac/autograd/internal/ir"
)

func init() {
	register(
		// gather reads element ints[e] of the operand into element e.
		&Primitive{
			Name: "gather",
			Shape: func(at Attr, in []Shape) (Shape, error) {
				return at.Shape, checkIndices(at.Ints, at.Shape.Len(), in[0].Len())
			},
			view: func(at Attr, _, _ Shape) []int { return at.Ints },
			VJP: func(y, ct *Node) []*Node {
				return []*Node{ct.ScatterAdd(y.attr.Ints, y.args[0].shape)}
			},
		},
		// scatter adds element e of the operand to element ints[e].
		&Primitive{
			Name: "scatter",
			Shape: func(at Attr, in []Shape) (Shape, error) {
				return at.Shape, checkIndices(at.Ints, in[0].Len(), at.Shape.Len())
			},
			view:  scatterView,
			class: ir.Sum,
			sources: func(at Attr, shape, _ Shape) [][]int {
				src := make([][]int, shape.Len())
				for e, k := range at.Ints {
					src[k] = append(src[k], e)
				}
				return src
			},
			VJP: func(y, ct *Node) []*Node {
				return []*Node{ct.show(y.attr.Ints, y.args[0].shape)}
			},
		},
		// expand broadcasts by the usual rule.
		&Primitive{
			Name: "expand",
			Shape: func(at Attr, in []Shape) (Shape, error) {
				if !in[0].ExpandsTo(at.Shape) {
					return nil, fmt.Errorf("shape %v does not broadcast to %v", in[0], at.Shape)
				}
				return at.Shape, nil
			},
			view: func(_ Attr, shape, in Shape) []int { return ir.ExpandIndices(in, shape) },
			VJP: func(y, ct *Node) []*Node {
				return []*Node{ct.reduceTo(y.args[0].shape)}
			},
		},
		// reshape copies, so that no engine ever shares memory between nodes.
		&Primitive{
			Name: "reshape",
			Shape: func(at Attr, in []Shape) (Shape, error) {
				if at.Shape.Len() != in[0].Len() {
					return nil, fmt.Errorf("shape %v has %d elements, want %d as %v", at.Shape,
						at.Shape.Len(), in[0].Len(), in[0])
				}
				return at.Shape, nil
			},
			view: showFirst,
			VJP:  func(y, ct *Node) []*Node { return []*Node{ct.Reshape(y.args[0].shape)} },
		},
	)
}

func checkIndices(idx []int, want, bound int) error {
	if len(idx) != want {
		return fmt.Errorf("got %d indices, want %d", len(idx), want)
	}
	for i, k := range idx {
		if k < 0 || k >= bound {
			return fmt.Errorf("index %d is %d, want 0 ≤ index < %d", i, k, bound)
		}
	}
	return nil
}

// scatterView is the inverse index list, or nil if an element receives more
// than one and has to be summed.
func scatterView(at Attr, shape, _ Shape) []int {
	idx := make([]int, shape.Len())
	for i := range idx {
		idx[i] = -1
	}
	for e, k := range at.Ints {
		if idx[k] >= 0 {
			return nil
		}
		idx[k] = e
	}
	return idx
}
