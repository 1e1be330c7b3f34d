package autograd

import (
	"fmt"

	"tobac/autograd/internal/ir"
)

// The rules that cross a mapped axis. Their value at one index does not exist,
// so they have none; the engines compute them as their field over says.
func init() {
	register(
		&Primitive{
			Name: "sum_over", Shape: sameShape, axes: removeAxis, over: ir.OverSum,
			class: ir.Crossing,
			VJP:   func(y, ct *Node) []*Node { return []*Node{ct} },
		},
		&Primitive{
			Name: "logsumexp_over", Shape: sameShape, axes: removeAxis, over: ir.OverLogSumExp,
			class: ir.Crossing,
			VJP: func(y, ct *Node) []*Node {
				return []*Node{ct.Mul(weightOver.Apply(Attr{Axis: y.attr.Axis}, y.args[0]))}
			},
		},
		&Primitive{
			Name: "expand_over", Shape: sameShape, axes: addAxis, over: ir.OverExpand,
			class: ir.Crossing,
			VJP:   func(y, ct *Node) []*Node { return []*Node{ct} },
		},
		&Primitive{
			Name: "stack", axes: removeAxis, over: ir.OverStack, class: ir.Crossing,
			Shape: func(at Attr, in []Shape) (Shape, error) {
				return append(Shape{at.Axis.Size()}, in[0]...), nil
			},
			VJP: func(y, ct *Node) []*Node { return []*Node{ct.Unstack(y.attr.Axis)} },
		},
		&Primitive{
			Name: "unstack", axes: addAxis, over: ir.OverUnstack, class: ir.Crossing,
			Shape: func(at Attr, in []Shape) (Shape, error) {
				if len(in[0]) == 0 || in[0][0] != at.Axis.Size() {
					return nil, fmt.Errorf("shape %v, want leading dimension %d of axis %q", in[0],
						at.Axis.Size(), at.Axis.Name())
				}
				return in[0][1:], nil
			},
			// The operand does not carry the axis: the cotangent is stacked
			// here, not summed by the caller.
			VJP: func(y, ct *Node) []*Node {
				a := y.attr.Axis
				return []*Node{ct.ExpandOver(a).Stack(a)}
			},
		},
	)
}

func removeAxis(b *Builder, at Attr, union ir.AxisSet) (ir.AxisSet, error) {
	if at.Axis.b != b || !union.Has(at.Axis.ir) {
		return 0, fmt.Errorf("the operand does not carry axis %q", at.Axis.Name())
	}
	return union.Without(at.Axis.ir), nil
}

func addAxis(b *Builder, at Attr, union ir.AxisSet) (ir.AxisSet, error) {
	if at.Axis.b != b || union.Has(at.Axis.ir) {
		return 0, fmt.Errorf("the operand already carries axis %q, or the axis is foreign",
			at.Axis.Name())
	}
	return union.With(at.Axis.ir), nil
}
