package autograd

import (
	"fmt"
	"slices"

	"tobac/autograd/internal/ir"
)

func init() {
	register(
		&Primitive{
			Name:    "sum",
			Shape:   reduceShape,
			sources: reduceSources,
			class:   ir.Sum,
			VJP: func(y, ct *Node) []*Node {
				return []*Node{ct.lift(y.args[0].shape, y.attr.Ints)}
			},
		},
		&Primitive{
			Name:    "logsumexp",
			Shape:   reduceShape,
			sources: reduceSources,
			class:   ir.LogSumExp,
			VJP: func(y, ct *Node) []*Node {
				x, axes := y.args[0], y.attr.Ints
				return []*Node{ct.lift(x.shape, axes).Mul(x.softmax(axes))}
			},
		},
	)
}

func reduceShape(at Attr, in []Shape) (Shape, error) {
	for i, a := range at.Ints {
		if err := checkAxis(a, in[0]); err != nil {
			return nil, err
		}
		if slices.Contains(at.Ints[:i], a) {
			return nil, fmt.Errorf("axis %d is repeated", a)
		}
	}
	return in[0].Drop(at.Ints), nil
}

// reduceSources lists the elements of the operand that fall on each element of
// the result, in row-major order.
func reduceSources(at Attr, shape, in Shape) [][]int {
	src := make([][]int, shape.Len())
	each := in.Len() / max(len(src), 1)
	all := make([]int, len(src)*each) // of which each element has a part
	for e := range src {
		src[e] = all[e*each : e*each : (e+1)*each]
	}
	st, os := in.Strides(), shape.Strides()
	for k := range in.Len() {
		e, o := 0, 0
		for i := range in {
			if !slices.Contains(at.Ints, i) {
				e += k / st[i] % in[i] * os[o]
				o++
			}
		}
		src[e] = append(src[e], k)
	}
	return src
}
