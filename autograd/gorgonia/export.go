package gorgonia

import (
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"

	ad "tobac/autograd"
	"tobac/autograd/internal/ir"
)

// Export makes a gorgonia graph of the outputs and returns their nodes in it, whose Graph
// it is. Inputs have the names that they have here. Mapped axes become leading dimensions,
// the outermost first. Where gorgonia has an operation that computes the same it is used,
// else an op that calls ours; those have no derivative in gorgonia: differentiate by
// [ad.Builder.Grad] before. Nodes without elements are an error.
//
// A gorgonia.TapeMachine runs the graph. What it reads has to be made by an op: an output
// that is an input is not. [Import] takes the nodes back.
func Export(outputs ...*ad.Node) (nodes []*G.Node, err error) {
	inputs, names := leaves(outputs)
	function, err := ad.NewFunction(inputs, outputs)
	if err != nil {
		return nil, err
	}
	f := function.Lowered()
	t := &tape{Func: f, graph: G.NewGraph(G.WithGraphName(f.Name)), nodes: map[*ir.Value]*G.Node{}, names: names}
	buildMutex.Lock()
	defer buildMutex.Unlock()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("gorgonia: graph %q: %v", f.Name, r)
		}
	}()
	for _, v := range f.Values {
		if v.Len() == 0 {
			return nil, fmt.Errorf("gorgonia: graph %q: %s has no elements, which gorgonia does not know", f.Name, f.Describe(v))
		}
	}
	if err := t.addNodes(); err != nil {
		return nil, fmt.Errorf("gorgonia: graph %q: %w", f.Name, err)
	}
	for _, v := range f.Outputs {
		nodes = append(nodes, t.nodes[v])
	}
	return nodes, nil
}

// leaves are the inputs that outputs depend on, and their names.
func leaves(outputs []*ad.Node) (inputs []*ad.Node, names []string) {
	names = []string{}
	seen := map[*ad.Node]bool{}
	stack := slices.Clone(outputs)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		stack = append(stack, n.Operands()...)
		if n.Name() != "" {
			inputs, names = append(inputs, n), append(names, n.Name())
		}
	}
	return inputs, names
}

// constant is an operation without a look at its operand: gorgonia takes two of its own
// constants for one if they print alike.
func (t *tape) constant(v *ir.Value) *G.Node {
	op := t.op(v, "constant", []ir.Shape{{}}, func(out []float64, _ [][]float64) error {
		copy(out, v.Const)
		return nil
	})
	return G.Must(G.ApplyOp(op, t.graph.AddNode(G.NewConstant(0.0))))
}
