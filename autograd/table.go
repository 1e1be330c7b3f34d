package autograd

import (
	"fmt"
	"maps"
	"slices"

	"tobac/autograd/internal/ir"
)

// primitives is the op table, by name. Every file ops_*.go registers its rows, so
// value, shape rule and derivative of an op are read in one place. Methods that derivatives
// of other files use are in node_*.go: rows may use all of them, and nothing uses rows.
var primitives = map[string]*Primitive{}

func register(rows ...*Primitive) {
	for _, p := range rows {
		if primitives[p.Name] != nil {
			panic("autograd: op " + p.Name + " is registered twice")
		}
		primitives[p.Name] = p
	}
}

// Ops lists the names of the op table in alphabetical order.
func Ops() []string { return slices.Sorted(maps.Keys(primitives)) }

// op1 applies the named row to n and further operands.
func (n *Node) op1(name string, at Attr, more ...*Node) *Node {
	return n.b.apply(primitives[name], at, append([]*Node{n}, more...)...)
}

// sameShape is the shape rule of element-wise ops: all operands have one
// shape; scalars go with everything.
func sameShape(_ Attr, in []Shape) (Shape, error) {
	out := in[0]
	for _, s := range in[1:] {
		switch {
		case len(s) == 0:
		case len(out) == 0:
			out = s
		case !s.Equal(out):
			return nil, fmt.Errorf("shapes %v and %v differ", out, s)
		}
	}
	return out, nil
}

// is reports whether n is the result of the named row of the op table.
func (n *Node) is(op string) bool { return n.op != nil && n.op == primitives[op] }

// elementwise applies the named row to both operands.
func (n *Node) elementwise(name string, m *Node) *Node {
	return n.pointwise(primitives[name], Attr{}, m)
}

// pointwise broadcasts both operands to their common shape (scalars stay as
// they are) and applies an element-wise primitive.
func (n *Node) pointwise(p *Primitive, at Attr, m *Node) *Node {
	if n.b.err != nil {
		return n.b.fail(n.shape, "")
	}
	if m.b != n.b || len(n.shape) == 0 || len(m.shape) == 0 || n.shape.Equal(m.shape) {
		return n.b.apply(p, at, n, m) // which refuses a foreign m
	}
	shape, ok := ir.Broadcast(n.shape, m.shape)
	if !ok {
		return n.b.fail(n.shape, "%s: shapes %v and %v do not broadcast", p.Name, n.shape, m.shape)
	}
	return n.b.apply(p, at, n.Expand(shape), m.Expand(shape))
}

// Expand broadcasts n to the given shape by the usual rule: trailing
// dimensions align and dimensions of size 1 repeat.
func (n *Node) Expand(shape Shape) *Node {
	if n.shape.Equal(shape) {
		return n
	}
	return n.op1("expand", Attr{Shape: append(Shape{}, shape...)})
}

func checkAxis(axis int, s Shape) error {
	if axis < 0 || axis >= len(s) {
		return fmt.Errorf("axis %d of shape %v", axis, s)
	}
	return nil
}
