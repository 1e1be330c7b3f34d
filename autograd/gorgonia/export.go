package gorgonia

import (
	"errors"
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"

	ad "tobac/autograd"
	"tobac/autograd/internal/ir"
)

// Export makes a gorgonia graph of the outputs and returns their nodes in it, whose Graph
// it is. Inputs have the names that they have here. Mapped axes become leading dimensions,
// the outermost first. Where gorgonia has an operation that computes the same, with the
// same derivative, it is used, else an op that calls ours. Nodes without elements are an
// error.
//
// A gorgonia.TapeMachine runs the graph; gorgonia.Read needs a node that an operation computes,
// so not an output that is an input. gorgonia.Grad differentiates the graph; gorgonia allows
// that once for a graph. The symbolic derivative of an operation of ours is the expression that
// [ad.Builder.Grad] makes, exported: it is added to the expression's builder, which must have no
// error. An input that the cost does not depend on has a derivative of zeros. [Import] takes the
// nodes back.
func Export(outputs ...*ad.Node) ([]*G.Node, error) {
	if len(outputs) == 0 || slices.Contains(outputs, nil) {
		return nil, errors.New("gorgonia: no outputs, or one is nil")
	}
	e := &exporter{made: map[*ad.Node]*G.Node{}}
	e.graph = G.NewGraph(G.WithGraphName(outputs[0].Builder().Name()))
	buildMutex.Lock()
	defer buildMutex.Unlock()
	return e.add(outputs)
}

// An exporter makes one graph.
type exporter struct {
	graph *G.ExprGraph
	made  map[*ad.Node]*G.Node
}

// add adds nodes, and what they depend on.
func (e *exporter) add(outputs []*ad.Node) (nodes []*G.Node, err error) {
	inputs, names, others := leaves(outputs)
	function, err := ad.NewFunction(inputs, slices.Concat(outputs, others))
	if err != nil {
		return nil, err
	}
	f := function.Lowered()
	t := &tape{Func: f, graph: e.graph, nodes: map[*ir.Value]*G.Node{}, names: names,
		of: function.Nodes(), exporter: e}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("gorgonia: graph %q: %v", f.Name, r)
		}
	}()
	if err := t.addNodes(); err != nil {
		return nil, fmt.Errorf("gorgonia: graph %q: %w", f.Name, err)
	}
	for _, n := range outputs {
		nodes = append(nodes, e.made[n])
	}
	return nodes, nil
}

// leaves are the inputs that outputs depend on, their names, and the operands of which an
// operation reads nothing but whose derivative it has.
func leaves(outputs []*ad.Node) (inputs []*ad.Node, names []string, others []*ad.Node) {
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
		switch n.Op() {
		case "":
			if n.Name() != "" {
				inputs, names = append(inputs, n), append(names, n.Name())
			}
		case withGradient:
			others = append(others, n.Operands()[1:]...)
		}
	}
	return inputs, names, others
}

// withGradient is the operation of [ad.WithGradient], which reads its first operand, and
// has a derivative with respect to the others.
const withGradient = "with_gradient"

// constant is an operation without a look at its operand: gorgonia takes two of its own
// constants for one if they print alike.
func (e *exporter) constant(label string, values []float64, shape ad.Shape) *G.Node {
	op := &operation{label: label, in: []ad.Shape{{}}, out: shape, constant: values, exporter: e,
		run: func(out []float64, _ [][]float64) error {
			copy(out, values)
			return nil
		}}
	return G.Must(G.ApplyOp(op, e.graph.AddNode(G.NewConstant(0.0))))
}

// DiffWRT implements [G.SDOp].
func (o *operation) DiffWRT(n int) []bool {
	diffs := make([]bool, n)
	for i := range diffs {
		diffs[i] = o.constant == nil
	}
	return diffs
}

// SymDiff implements [G.SDOp].
func (o *operation) SymDiff(in G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	switch {
	case o.constant != nil:
		return make(G.Nodes, len(in)), nil
	case o.index != nil || o.scatter != nil:
		g, err := G.ApplyOp(o.transposed(), grad)
		return G.Nodes{g}, err
	}
	return o.exporter.derivative(o, grad)
}

// transposed is the transpose of an op that copies elements, or adds them to others.
func (o *operation) transposed() *operation {
	t := &operation{label: o.label + " transposed", in: []ad.Shape{o.out}, out: o.in[0],
		exporter: o.exporter, index: o.scatter, scatter: o.index}
	t.run = func(out []float64, in [][]float64) error {
		if t.index != nil {
			for e, k := range t.index {
				out[e] = in[0][k]
			}
			return nil
		}
		clear(out)
		for e, k := range t.scatter {
			out[k] += in[0][e]
		}
		return nil
	}
	return t
}

// derivative exports the vector-Jacobian products of an operation of ours.
func (e *exporter) derivative(o *operation, grad *G.Node) (G.Nodes, error) {
	b := o.node.Builder()
	name := fmt.Sprintf("gorgonia.Grad %d", len(e.made))
	for b.InputNamed(name) != nil {
		name += "+"
	}
	ct := b.Input(name, o.node.Shape(), o.node.Axes()...)
	e.made[ct] = grad
	parts := o.node.Cotangents(ct)
	if err := b.Err(); err != nil {
		return nil, err
	}
	var outputs []*ad.Node
	for _, p := range parts {
		if p != nil {
			outputs = append(outputs, p)
		}
	}
	if len(outputs) > 0 {
		if _, err := e.add(outputs); err != nil {
			return nil, err
		}
	}
	out := make(G.Nodes, len(parts))
	for i, p := range parts {
		if p == nil {
			out[i] = e.constant(fmt.Sprintf("%s zeros %d", o.label, i),
				make([]float64, o.in[i].Len()), o.in[i])
			continue
		}
		out[i] = e.made[p]
		if out[i].Op() == nil { // which gorgonia cannot read
			copied := &operation{label: fmt.Sprintf("%s copy %d", o.label, i),
				in: []ad.Shape{o.in[i]}, out: o.in[i], exporter: e,
				scatter: ir.Identity(o.in[i].Len())}
			out[i] = G.Must(G.ApplyOp(copied.transposed(), out[i]))
		}
	}
	return out, nil
}
