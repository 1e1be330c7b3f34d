package autograd

import (
	"fmt"
	"math"
)

// The rules that cross a mapped axis. Their value at one index does not exist,
// so they have no eval; the engines treat them by their over kind.
func init() {
	register(
		&rule{
			name: "sum_over", shape: sameShape, axes: removeAxis, over: overSum, kernel: kernelOver,
			vjp: func(y, ct *Node) []*Node { return []*Node{ct} },
		},
		&rule{
			name: "logsumexp_over", shape: sameShape, axes: removeAxis, over: overLogSumExp, kernel: kernelOver,
			vjp: func(y, ct *Node) []*Node { return []*Node{ct.Mul(y.args[0].Sub(y).Exp())} },
		},
		&rule{
			name: "expand_over", shape: sameShape, axes: addAxis, over: overExpand, kernel: kernelOver,
			vjp: func(y, ct *Node) []*Node { return []*Node{ct} },
		},
		&rule{
			name: "stack", axes: removeAxis, over: overStack, kernel: kernelOver,
			shape: func(at attr, in []Shape) (Shape, error) {
				return append(Shape{at.axis.size}, in[0]...), nil
			},
			vjp: func(y, ct *Node) []*Node { return []*Node{ct.Unstack(y.attr.axis)} },
		},
		&rule{
			name: "unstack", axes: addAxis, over: overUnstack, kernel: kernelOver,
			shape: func(at attr, in []Shape) (Shape, error) {
				if len(in[0]) == 0 || in[0][0] != at.axis.size {
					return nil, fmt.Errorf("shape %v, want leading dimension %d of axis %q", in[0], at.axis.size, at.axis.name)
				}
				return in[0][1:], nil
			},
			// The operand does not carry the axis: the cotangent is stacked
			// here, not summed by the caller.
			vjp: func(y, ct *Node) []*Node {
				a := y.attr.axis
				return []*Node{ct.ExpandOver(a).Stack(a)}
			},
		},
	)
}

func removeAxis(b *Builder, at attr, union axisSet) (axisSet, error) {
	if at.axis.b != b || !union.has(at.axis) {
		return 0, fmt.Errorf("the operand does not carry axis %q", at.axis.name)
	}
	return union.without(at.axis), nil
}

func addAxis(b *Builder, at attr, union axisSet) (axisSet, error) {
	if at.axis.b != b || union.has(at.axis) {
		return 0, fmt.Errorf("the operand already carries axis %q, or the axis is foreign", at.axis.name)
	}
	return union.with(at.axis), nil
}

// SumOver adds over a mapped axis, which n must carry.
func (n *Node) SumOver(a *Axis) *Node { return n.op1("sum_over", attr{axis: a}) }

// MeanOver averages over a mapped axis, which n must carry.
func (n *Node) MeanOver(a *Axis) *Node { return n.SumOver(a).Scale(1 / float64(a.size)) }

// LogSumExpOver is ln Σ e^x over a mapped axis, which n must carry, shifted by
// the largest value.
func (n *Node) LogSumExpOver(a *Axis) *Node { return n.op1("logsumexp_over", attr{axis: a}) }

// LogMeanExpOver is ln of the mean of e^x over a mapped axis, which n must
// carry.
func (n *Node) LogMeanExpOver(a *Axis) *Node {
	return n.LogSumExpOver(a).AddScalar(-math.Log(float64(a.size)))
}

// ExpandOver repeats n along a mapped axis; a node that carries it already is
// returned as it is.
func (n *Node) ExpandOver(a *Axis) *Node {
	if n.axes.has(a) {
		return n
	}
	return n.op1("expand_over", attr{axis: a})
}

// Stack turns a mapped axis of n into a leading dimension.
func (n *Node) Stack(a *Axis) *Node { return n.op1("stack", attr{axis: a}) }

// Unstack turns the leading dimension of n, of size a.Size(), into the mapped
// axis a.
func (n *Node) Unstack(a *Axis) *Node { return n.op1("unstack", attr{axis: a}) }

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
