package autograd

import (
	"fmt"
	"maps"
	"slices"
)

// primitives is the op table, by name. Every file ops_*.go registers its rows, so
// value, shape rule and derivative of an op are read in one place.
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
