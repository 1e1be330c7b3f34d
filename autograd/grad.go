package autograd

import "tobac/autograd/internal/ir"

// Grad appends the derivatives of y with respect to each x to the graph and
// returns them: nodes like any other, which can be combined, evaluated and
// differentiated again.
//
// y has the scalar shape. If it carries mapped axes, the sum over all their
// indices is differentiated: for an x that carries the same axes this is each
// index's own gradient (particles do not interact), for an x that does not it
// is the total. Result i has the shape and the axes of x[i]. It is zero for an x that y
// does not depend on through operations with a derivative.
func (b *Builder) Grad(y *Node, x ...*Node) []*Node {
	out := make([]*Node, len(x))
	for i, n := range x {
		out[i] = &Node{b: b, id: -1, shape: n.shape}
	}
	if b.err != nil {
		return out
	}
	if len(y.shape) != 0 {
		b.fail(nil, "gradient of %v: want a scalar shape", y)
		return out
	}
	if y.b != b {
		b.fail(nil, "gradient of %v: it belongs to graph %q", y, y.b.name)
		return out
	}
	for _, n := range x {
		if n.b != b {
			b.fail(nil, "gradient of %v: %v belongs to graph %q", y, n, n.b.name)
			return out
		}
	}
	needed := b.dependents(y, x)
	wanted := make(map[*Node]bool, len(x))
	for _, n := range x {
		wanted[n] = true
	}
	cts := make(map[*Node]*Node, len(needed))
	cts[y] = b.Scalar(1)
	for id := y.id; id >= 0; id-- {
		n := b.nodes[id]
		ct := cts[n]
		if ct == nil || n.op == nil || !needed[n] || n.op.VJP == nil {
			continue
		}
		parts := n.op.VJP(n, ct)
		if b.err != nil {
			return out
		}
		if len(parts) != len(n.args) {
			b.fail(nil, "%s: derivative rule returned %d cotangents, want %d", n.op.Name, len(parts), len(n.args))
			return out
		}
		for i, part := range parts {
			arg := n.args[i]
			if part == nil || !needed[arg] {
				continue
			}
			if !part.shape.Equal(arg.shape) {
				b.fail(nil, "%s: cotangent of operand %d has shape %v, want %v", n.op.Name, i, part.shape, arg.shape)
				return out
			}
			part, arg = part.throughCopies(arg, wanted)
			part = part.sumAxes(n, arg)
			if old := cts[arg]; old != nil {
				part = old.Add(part)
			}
			cts[arg] = part
		}
	}
	for i, n := range x {
		ct := cts[n]
		if ct == nil { // y does not depend on it
			ct = b.Constant(make([]float64, n.shape.Len()), n.shape)
		}
		for _, a := range n.axes.Of(b.axes) {
			ct = ct.ExpandOver(a)
		}
		out[i] = ct
	}
	return out
}

// throughCopies takes a cotangent through what only repeats or reshapes a node: it is
// smaller behind it, and mapped axes are then summed over fewer numbers. Nodes whose own
// gradient is wanted are not passed.
func (ct *Node) throughCopies(n *Node, wanted map[*Node]bool) (*Node, *Node) {
	for !wanted[n] && (n.is("expand") || n.is("reshape")) && ct.axes.Minus(n.axes) != 0 {
		ct, n = n.op.VJP(n, ct)[0], n.args[0]
	}
	return ct, n
}

// dependents are the nodes up to y that depend on one of x.
func (b *Builder) dependents(y *Node, x []*Node) map[*Node]bool {
	needed := make(map[*Node]bool)
	for _, n := range x {
		needed[n] = true
	}
	for _, n := range b.nodes[:y.id+1] {
		for _, a := range n.args {
			if needed[a] {
				needed[n] = true
			}
		}
	}
	return needed
}

// sumAxes sums a cotangent over the mapped axes that the result y carries and
// its operand arg does not. Where the cotangent is constant along such an axis
// the sum is a factor.
func (ct *Node) sumAxes(y, arg *Node) *Node {
	if y.op.over == ir.OverUnstack { // its rule has stacked the axis away
		return ct
	}
	for _, a := range (y.axes | ct.axes).Minus(arg.axes).Of(y.b.axes) {
		if ct.axes.Has(a) {
			ct = ct.SumOver(a)
		} else {
			ct = ct.Scale(float64(a.Size()))
		}
	}
	return ct
}
