package autograd

import "tobac/internal/vector"

// Jvp appends the directional derivative Σᵢ (∂y/∂x[i])·t[i] to the graph and returns it: a
// node of y's shape and axes. Direction t[i] has the shape of x[i] and no axis that x[i]
// lacks; it is held fixed. If y carries mapped axes that x[i] lacks, each index of y has its
// own derivative.
//
// It is made of two passes of reverse mode. The vector-Jacobian product g(u) = (∂y/∂x)ᵀu is
// linear in u, so that the derivative of ⟨g(u), t⟩ by u is (∂y/∂x)t, whatever u is. Every
// operation that can be differentiated twice has it, and what the first pass computes is
// left out of the program, since the result does not read u.
func (b *Builder) Jvp(y *Node, x, t []*Node) *Node {
	if !b.checkDirections(y, x, t) {
		return b.fail(y.shape, "")
	}
	u := b.placeholder(y)
	return b.pullBack(b.Vjp(y, u, x...), fixed(t), []*Node{u})[0]
}

// Hvp appends the products of the Hessian of y with a direction and returns them,
// Σⱼ (∂²y/∂x[i]∂x[j])·t[j] for each x[i]: the gradient of the gradient's product with t. y
// has the scalar shape. t[j] has the shape of x[j] and no axis that x[j] lacks; it is held
// fixed. Mapped axes are those of [Builder.Grad], applied twice.
func (b *Builder) Hvp(y *Node, x, t []*Node) []*Node {
	if !b.checkDirections(y, x, t) {
		return b.Grad(y, x...) // inert
	}
	return b.pullBack(b.Grad(y, x...), fixed(t), x)
}

// Jacobian appends the derivatives of all elements of y by all of x, of the shape of y
// followed by that of x, by one pass of reverse mode for each element of y: it is meant for
// few. As in [Builder.Vjp] derivatives by an x that lacks mapped axes of y are totals.
func (b *Builder) Jacobian(y, x *Node) *Node {
	shape := append(append(Shape{}, y.shape...), x.shape...)
	size := y.shape.Len()
	if b.err != nil || size*x.shape.Len() == 0 {
		return b.Constant(make([]float64, shape.Len()), shape)
	}
	rows := make([]*Node, size)
	for e := range rows {
		one := make([]float64, size)
		one[e] = 1
		rows[e] = b.Vjp(y, b.Constant(one, y.shape), x)[0].Reshape(Shape{x.shape.Len()})
		if b.err != nil {
			return b.fail(shape, "")
		}
	}
	return Concat(0, rows[0], rows[1:]...).Reshape(shape)
}

// Hessian appends the second derivatives of a scalar y, of the shape of x followed by that
// of x again: the [Builder.Jacobian] of the gradient.
func (b *Builder) Hessian(y, x *Node) *Node { return b.Jacobian(b.Grad(y, x)[0], x) }

// checkDirections reports whether t are directions in which x can move.
func (b *Builder) checkDirections(y *Node, x, t []*Node) bool {
	if b.err == nil && len(t) != len(x) {
		b.fail(nil, "derivative of %v: got %d directions, want %d", y, len(t), len(x))
	}
	for i, n := range x {
		if b.err != nil {
			return false
		}
		switch {
		case n.b != b || t[i].b != b || y.b != b:
			b.fail(nil, "derivative of %v by %v along %v: nodes of several graphs", y, n, t[i])
		case !t[i].shape.Equal(n.shape) || t[i].axes.Minus(n.axes) != 0:
			b.fail(nil, "derivative of %v: direction %v, want shape and axes of %v", y, t[i], n)
		}
	}
	return b.err == nil
}

// fixed are the directions as constants of differentiation.
func fixed(t []*Node) []*Node {
	out := make([]*Node, len(t))
	for i, n := range t {
		out[i] = n.StopGradient()
	}
	return out
}

// placeholder is a node of the shape and axes of y that is equal to no other one.
func (b *Builder) placeholder(y *Node) *Node {
	value := make([]float64, y.shape.Len())
	vector.Fill(value, 0.5) // products with ones would not be built
	u := b.add(&Node{b: b, attr: &none, shape: y.shape, value: value})
	for _, a := range y.Axes() {
		u = u.ExpandOver(a)
	}
	return u
}
