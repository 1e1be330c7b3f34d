package autograd

import (
	"fmt"
	"maps"
	"slices"
)

// rules is the op table, by name. Every file ops_*.go registers its rows, so
// value, shape rule and derivative of an op are read in one place.
var rules = map[string]*rule{}

func register(rows ...*rule) {
	for _, r := range rows {
		if rules[r.name] != nil {
			panic("autograd: op " + r.name + " is registered twice")
		}
		rules[r.name] = r
	}
}

// Ops lists the names of the op table in alphabetical order.
func Ops() []string { return slices.Sorted(maps.Keys(rules)) }

// op applies the named row to n and further operands.
func (n *Node) op1(name string, at attr, more ...*Node) *Node {
	return n.b.apply(rules[name], at, append([]*Node{n}, more...)...)
}

// sameShape is the shape rule of element-wise ops: all operands have one
// shape; scalars go with everything.
func sameShape(_ attr, in []Shape) (Shape, error) {
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
