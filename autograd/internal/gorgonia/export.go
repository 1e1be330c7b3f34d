package gorgonia

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"tobac/autograd/internal/ir"
)

// Export makes a gorgonia graph of a function, whose mapped axes become leading dimensions,
// and returns the nodes of its outputs. Inputs have the given names.
func Export(f *ir.Func, names []string) (nodes []*G.Node, err error) {
	t := &tape{Func: f, graph: G.NewGraph(G.WithGraphName(f.Name)), nodes: map[*ir.Value]*G.Node{}, names: names}
	buildMutex.Lock()
	defer buildMutex.Unlock()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("autograd: graph %q for gorgonia: %v", f.Name, r)
		}
	}()
	for _, v := range f.Values {
		if v.Len() == 0 {
			return nil, fmt.Errorf("autograd: graph %q for gorgonia: %s has no elements, which gorgonia does not know", f.Name, f.Describe(v))
		}
	}
	if err := t.addNodes(); err != nil {
		return nil, fmt.Errorf("autograd: graph %q for gorgonia: %w", f.Name, err)
	}
	for _, v := range f.Outputs {
		nodes = append(nodes, t.nodes[v])
	}
	return nodes, nil
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
