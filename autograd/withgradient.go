package autograd

import "tobac/autograd/internal/ir"

// WithGradient has the value of y and another derivative: reverse mode calls vjp with the
// cotangent ct of the result, which has y's shape, and takes what it returns, one node per
// x, for the vector-Jacobian products with respect to x, nil for none. Nothing flows
// through y itself. As in [Primitive.VJP] each node has the shape of its x, and ct may lack
// mapped axes of y, along which it is constant.
//
// It serves gradients that are clipped on their way back, estimators whose derivative is not
// that of their value, and implicit functions, of which y is the end of an iteration. The
// nodes that vjp returns are differentiated in their turn by the usual rules: for second
// derivatives of an implicit function they have to be made of the result of WithGradient,
// not of y.
func WithGradient(y *Node, vjp func(ct *Node) []*Node, x ...*Node) *Node {
	p := &Primitive{
		Name:  "with_gradient",
		Shape: func(Attr, []Shape) (Shape, error) { return y.shape, nil },
		view:  showFirst,
		axes:  func(*Builder, Attr, ir.AxisSet) (ir.AxisSet, error) { return y.axes, nil },
		VJP: func(n, ct *Node) []*Node {
			parts := vjp(ct)
			if n.b.err == nil && len(parts) != len(x) {
				n.b.fail(nil, "with_gradient: %v: got %d cotangents, want %d", y, len(parts),
					len(x))
			}
			return append([]*Node{nil}, parts...)
		},
	}
	return y.b.apply(p, Attr{}, append([]*Node{y}, x...)...)
}
