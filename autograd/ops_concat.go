package autograd

import (
	"fmt"
	"slices"

	"tobac/autograd/internal/ir"
)

func init() {
	register(&Primitive{
		Name:  "concat",
		class: ir.Picked,
		Shape: func(at Attr, in []Shape) (Shape, error) {
			axis, shape := at.Ints[0], slices.Clone(in[0])
			if err := checkAxis(axis, shape); err != nil {
				return nil, err
			}
			for _, s := range in[1:] {
				if len(s) != len(shape) || !s.Drop(at.Ints).Equal(shape.Drop(at.Ints)) {
					return nil, fmt.Errorf("shapes %v and %v do not fit along axis %d", in[0], s,
						axis)
				}
				shape[axis] += s[axis]
			}
			return shape, nil
		},
		Value: func(at Attr, out []float64, _ Shape, in [][]float64, shapes []Shape) error {
			eachBlock(at, shapes, func(i, from, n int) { out = out[copy(out, in[i][from:][:n]):] })
			return nil
		},
		picks: func(at Attr, shape Shape, in []Shape) []ir.Pick {
			picks := make([]ir.Pick, 0, shape.Len())
			eachBlock(at, in, func(i, from, n int) {
				for k := range n {
					picks = append(picks, ir.Pick{Arg: int32(i), At: int32(from + k)})
				}
			})
			return picks
		},
		VJP: func(y, ct *Node) []*Node {
			parts, at := make([]*Node, len(y.args)), 0
			for i, x := range y.args {
				n := x.shape[y.attr.Ints[0]]
				parts[i] = ct.Slice(y.attr.Ints[0], at, at+n)
				at += n
			}
			return parts
		},
	})
}

// eachBlock goes through the result of concat in its order: n elements of operand i, the
// element from and those behind it.
func eachBlock(at Attr, in []Shape, f func(i, from, n int)) {
	axis := at.Ints[0]
	for o := range in[0][:axis].Len() {
		for i, s := range in {
			n := s[axis:].Len()
			f(i, o*n, n)
		}
	}
}
