package autograd

import (
	"math"
	"slices"

	"tobac/autograd/internal/ir"
)

// Sum adds over the given axes, which are dropped; without axes, over all. The sum
// of no elements is 0.
func (n *Node) Sum(axes ...int) *Node {
	if len(n.shape) == 0 && len(axes) == 0 {
		return n
	}
	return n.op1("sum", Attr{Ints: axesOrAll(n.shape, axes)})
}

// Mean averages over the given axes, which are dropped; without axes, over all. The
// mean of no elements is NaN.
func (n *Node) Mean(axes ...int) *Node {
	s := n.Sum(axes...)
	if n.shape.Len() == 0 {
		return s.AddScalar(math.NaN())
	}
	return s.Scale(float64(s.shape.Len()) / float64(n.shape.Len()))
}

// LogSumExp is ln Σ e^x over the given axes, which are dropped; without axes,
// over all. It is shifted by the largest element; if that is −∞ or +∞ it is
// the result. That of no elements is −∞.
func (n *Node) LogSumExp(axes ...int) *Node {
	if len(n.shape) == 0 && len(axes) == 0 {
		return n
	}
	return n.op1("logsumexp", Attr{Ints: axesOrAll(n.shape, axes)})
}

// LogMeanExp is ln of the mean of e^x over the given axes, which are dropped;
// without axes, over all. That of no elements is NaN.
func (n *Node) LogMeanExp(axes ...int) *Node {
	s := n.LogSumExp(axes...)
	return s.AddScalar(-math.Log(float64(n.shape.Len()) / float64(s.shape.Len())))
}

// Softmax normalises e^x along one axis, to weights that sum to 1. Where the
// largest element is infinite, infinite elements are NaN and finite ones 0.
func (n *Node) Softmax(axis int) *Node { return n.softmax([]int{axis}) }

func (n *Node) softmax(axes []int) *Node { return n.op1("softmax", Attr{Ints: axes}) }

// Dot is the sum of the products of all elements of two nodes of one shape.
func (n *Node) Dot(m *Node) *Node { return n.Mul(m).Sum() }

// axesOrAll sorts the axes; none given means all.
func axesOrAll(s Shape, axes []int) []int {
	if len(axes) == 0 {
		axes = ir.Identity(len(s))
	}
	return slices.Sorted(slices.Values(axes))
}

// keepDims reinserts reduced axes with size 1.
func (n *Node) keepDims(full Shape, axes []int) *Node {
	s := slices.Clone(full)
	for _, a := range axes {
		s[a] = 1
	}
	return n.Reshape(s)
}

// lift repeats what has lost some axes along them, to the full shape.
func (n *Node) lift(full Shape, axes []int) *Node { return n.keepDims(full, axes).Expand(full) }

// reduceTo sums what Expand repeated.
func (n *Node) reduceTo(shape Shape) *Node {
	off := len(n.shape) - len(shape)
	var axes []int
	for i, d := range n.shape {
		if i < off || shape[i-off] == 1 && d != 1 {
			axes = append(axes, i)
		}
	}
	if len(axes) == 0 {
		return n.Reshape(shape)
	}
	return n.Sum(axes...).Reshape(shape)
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

// SoftmaxOver normalises e^x along a mapped axis, which n must carry, to weights
// that sum to 1. Where the largest value is infinite, infinite ones are NaN and
// finite ones 0.
func (n *Node) SoftmaxOver(a *Axis) *Node { return n.op1("softmax_over", Attr{Axis: a}) }

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
