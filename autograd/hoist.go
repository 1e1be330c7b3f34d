package autograd

import (
	"fmt"
	"slices"
)

// Hoist separates what depends on some inputs only, such as data that seldom change, from the rest:
// it returns outputs in whose place those parts are new inputs, and for each new input the
// expression of its value. Copies of elements, such as slices, stay where they are used.
// Values over a mapped axis stay in the rest. A function of [Recompute] that uses a new input
// stays as a plain expression: the gradient of the rest keeps its values in memory.
func (b *Builder) Hoist(outputs []*Node, from ...*Node) (rest, inputs, values []*Node) {
	for _, n := range slices.Concat(from, outputs) {
		if b.err == nil && n.b != b {
			b.fail(nil, "hoist: %v belongs to graph %q", n, n.b.name)
		}
	}
	for _, n := range from {
		if b.err == nil && !n.isInput() {
			b.fail(nil, "hoist: %v is no input", n)
		}
	}
	if b.err != nil {
		return outputs, nil, nil
	}
	const fixed, fromThem, free = 0, 1, 2 // constants, what depends on from, what depends on others
	kind := make([]int, len(b.nodes))
	for _, n := range from {
		kind[n.id] = fromThem
	}
	for i, n := range b.nodes {
		switch {
		case n.axes != 0 || n.op == nil && n.value == nil && kind[i] != fromThem:
			kind[i] = free
		default:
			for _, a := range n.args {
				kind[i] = max(kind[i], kind[a.id])
			}
		}
	}
	used := b.reached(outputs)
	substitute := map[*Node]*Node{}
	hoist := func(n *Node) {
		for kind[n.id] == fromThem && n.op != nil && n.op.view != nil {
			n = n.args[0]
		}
		if kind[n.id] != fromThem || n.op == nil || substitute[n] != nil {
			return
		}
		name := fmt.Sprintf("hoisted %d", n.id)
		in := b.inputs[name]
		if in == nil {
			in = b.Input(name, n.shape)
		}
		substitute[n] = in
		inputs, values = append(inputs, in), append(values, n)
	}
	for i, n := range b.nodes[:len(kind)] {
		if used[i] && kind[i] == free {
			for _, a := range n.args {
				hoist(a)
			}
		}
	}
	for _, n := range outputs {
		hoist(n)
	}
	if len(values) == 0 {
		return outputs, nil, nil
	}
	for i, n := range b.nodes[:len(kind)] {
		if !used[i] || n.op == nil || substitute[n] != nil {
			continue
		}
		var args []*Node
		for k, a := range n.args {
			if to := substitute[a]; to != nil {
				if args == nil {
					args = slices.Clone(n.args)
				}
				args[k] = to
			}
		}
		switch {
		case args == nil:
		case n.op.joint != nil: // a joint knows its own results only
			substitute[n] = args[0]
		default:
			substitute[n] = b.apply(n.op, *n.attr, args...)
		}
	}
	for _, n := range outputs {
		if to := substitute[n]; to != nil {
			n = to
		}
		rest = append(rest, n)
	}
	return rest, inputs, values
}

// reached says which nodes, by their numbers, outputs are computed from.
func (b *Builder) reached(outputs []*Node) []bool {
	used := make([]bool, len(b.nodes))
	for _, n := range outputs {
		used[n.id] = true
	}
	for i := len(used) - 1; i >= 0; i-- {
		if used[i] {
			for _, a := range b.nodes[i].args {
				used[a.id] = true
			}
		}
	}
	return used
}
