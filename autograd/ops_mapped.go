package autograd

import (
	"fmt"
	"math"
	"tobac/autograd/internal/ir"
)

// The rules that cross a mapped axis. Their value at one index does not exist,
// so they have none; the engines compute them as their field over says.
func init() {
	register(
		&Primitive{
			Name: "sum_over", Shape: sameShape, axes: removeAxis, over: ir.OverSum, class: ir.Crossing,
			VJP: func(y, ct *Node) []*Node { return []*Node{ct} },
		},
		&Primitive{
			Name: "logsumexp_over", Shape: sameShape, axes: removeAxis, over: ir.OverLogSumExp, class: ir.Crossing,
			VJP: func(y, ct *Node) []*Node {
				return []*Node{ct.Mul(weightOver.Apply(Attr{Axis: y.attr.Axis}, y.args[0]))}
			},
		},
		&Primitive{
			Name: "expand_over", Shape: sameShape, axes: addAxis, over: ir.OverExpand, class: ir.Crossing,
			VJP: func(y, ct *Node) []*Node { return []*Node{ct} },
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
					return nil, fmt.Errorf("shape %v, want leading dimension %d of axis %q", in[0], at.Axis.Size(), at.Axis.Name())
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
		return 0, fmt.Errorf("the operand already carries axis %q, or the axis is foreign", at.Axis.Name())
	}
	return union.With(at.Axis.ir), nil
}

// SumOver adds over a mapped axis, which n must carry.
func (n *Node) SumOver(a *Axis) *Node { return n.op1("sum_over", Attr{Axis: a}) }

// MeanOver averages over a mapped axis, which n must carry.
func (n *Node) MeanOver(a *Axis) *Node { return n.SumOver(a).Scale(1 / float64(a.Size())) }

// LogSumExpOver is ln Σ e^x over a mapped axis, which n must carry, shifted by
// the largest value.
func (n *Node) LogSumExpOver(a *Axis) *Node { return n.op1("logsumexp_over", Attr{Axis: a}) }

// LogMeanExpOver is ln of the mean of e^x over a mapped axis, which n must
// carry.
func (n *Node) LogMeanExpOver(a *Axis) *Node {
	return n.LogSumExpOver(a).AddScalar(-math.Log(float64(a.Size())))
}

// ExpandOver repeats n along a mapped axis; a node that carries it already is
// returned as it is.
func (n *Node) ExpandOver(a *Axis) *Node {
	if n.axes.Has(a.ir) {
		return n
	}
	return n.op1("expand_over", Attr{Axis: a})
}

// Stack turns a mapped axis of n into a leading dimension.
func (n *Node) Stack(a *Axis) *Node { return n.op1("stack", Attr{Axis: a}) }

// Unstack turns the leading dimension of n, of size a.Size(), into the mapped
// axis a.
func (n *Node) Unstack(a *Axis) *Node { return n.op1("unstack", Attr{Axis: a}) }

// Map is the vectorising map: it lifts f, written for one element, over the
// leading dimension of its arguments, which must all have a.Size() of them.
// The result has the leading dimension again. Maps nest, each over an axis of
// its own; nodes that f captures are shared by all elements.
func Map(a *Axis, f func(x []*Node) *Node, args ...*Node) *Node {
	x := make([]*Node, len(args))
	for i, n := range args {
		x[i] = n.Unstack(a)
	}
	return f(x).ExpandOver(a).Stack(a)
}
