package autograd

import (
	"math"

	"tobac/autograd/internal/ir"
)

// The largest and the smallest element. Those that tie for it share the derivative
// equally.
func init() {
	register(
		extremum("max", math.Inf(-1), ir.Larger, kernels.Larger),
		extremum("min", math.Inf(1), ir.Smaller, kernels.Smaller),
		&Primitive{
			Name: "max_over", Shape: sameShape, axes: removeAxis, over: ir.OverMax,
			class: ir.Crossing,
			VJP: func(y, ct *Node) []*Node {
				tied := y.args[0].Equal(y)
				return []*Node{ct.Div(tied.SumOver(y.attr.Axis)).Mul(tied)}
			},
		},
	)
}

// extremum is the row of a reduction by a comparison, from its value of nothing.
func extremum(name string, nothing float64, form ir.Form,
	better func(dst, x, y []float64)) *Primitive {
	return &Primitive{
		Name:  name,
		Shape: reduceShape,
		class: ir.Fold, binary: foldOf(form, better), sources: reduceSources,
		Value: func(at Attr, out []float64, shape Shape, in [][]float64, shapes []Shape) error {
			for e, src := range reduceSources(at, shape, shapes[0]) {
				out[e] = nothing
				for _, k := range src {
					better(out[e:e+1], out[e:e+1], in[0][k:k+1])
				}
			}
			return nil
		},
		VJP: func(y, ct *Node) []*Node {
			x, axes := y.args[0], y.attr.Ints
			tied := x.Equal(y.lift(x.shape, axes))
			return []*Node{ct.Div(tied.Sum(axes...)).lift(x.shape, axes).Mul(tied)}
		},
	}
}

func foldOf(form ir.Form, better func(dst, x, y []float64)) *ir.Binary {
	k := &ir.Binary{Form: form, VV: better}
	completeBinary(k)
	return k
}

// Max is the largest element over the given axes, which are dropped; without axes,
// over all. Elements that tie share the derivative equally. That of no elements is
// −∞, and NaN if one of them is.
func (n *Node) Max(axes ...int) *Node { return n.extremum("max", axes) }

// Min is the smallest element over the given axes, which are dropped; without axes,
// over all. Elements that tie share the derivative equally. That of no elements is
// +∞, and NaN if one of them is.
func (n *Node) Min(axes ...int) *Node { return n.extremum("min", axes) }

func (n *Node) extremum(name string, axes []int) *Node {
	if len(n.shape) == 0 && len(axes) == 0 {
		return n
	}
	return n.op1(name, Attr{Ints: axesOrAll(n.shape, axes)})
}

// MaxOver is the largest value over a mapped axis, which n must carry. Indices that
// tie share the derivative equally.
func (n *Node) MaxOver(a *Axis) *Node { return n.op1("max_over", Attr{Axis: a}) }

// MinOver is the smallest value over a mapped axis, which n must carry. Indices that
// tie share the derivative equally.
func (n *Node) MinOver(a *Axis) *Node { return n.Neg().MaxOver(a).Neg() }
