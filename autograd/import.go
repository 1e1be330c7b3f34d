package autograd

import (
	"fmt"
	"math"
	"slices"

	G "gorgonia.org/gorgonia"

	"tobac/autograd/internal/gorgonia"
	"tobac/autograd/internal/ir"
)

// Import adds what gorgonia nodes compute to the graph, and returns a node for each. Inputs
// of theirs become inputs of the builder by name: one that exists already if it has the
// same shape. Constants become constants, with the values that they have now.
//
// Element-wise operations, products, reductions, transposes, reshapes, repeats, slices,
// concatenations and softmax become operations of this package, with its derivatives and
// accuracy: a tie for a maximum, for example, is shared. Other ops are added by
// [Builder.Apply] and have no derivative. gorgonia's convolutions and pools keep state in
// their ops, and are added in that way too. Nodes of another type than float64 are an error.
func (b *Builder) Import(nodes ...*G.Node) []*Node {
	out := make([]*Node, len(nodes))
	made := map[*G.Node]*Node{}
	for _, g := range gorgonia.Order(nodes) {
		if b.err == nil {
			made[g] = b.importNode(g, made)
		}
	}
	for i, g := range nodes {
		if out[i] = made[g]; b.err != nil {
			out[i] = b.fail(append(Shape{}, g.Shape()...), "")
		}
	}
	return out
}

// importNode adds one node, whose operands have been added.
func (b *Builder) importNode(g *G.Node, made map[*G.Node]*Node) *Node {
	c, err := gorgonia.Decode(g)
	if err != nil {
		return b.fail(nil, "import: %w", err)
	}
	x := make([]*Node, len(c.Operands))
	for i, a := range c.Operands {
		x[i] = made[a]
	}
	n := b.imported(&c, x)
	if n == nil {
		n = b.Apply(c.Op, x...)
	}
	if b.err != nil {
		return n
	}
	if n.shape.Len() != c.Shape.Len() {
		return b.fail(c.Shape, "import: %v has shape %v, want %v", g.Name(), n.shape, c.Shape)
	}
	return n.Reshape(c.Shape)
}

// imported is the node of a call, nil if this package has no operation for it.
func (b *Builder) imported(c *gorgonia.Call, x []*Node) *Node {
	switch c.Kind {
	case gorgonia.Input:
		if n := b.inputs[c.Name]; n != nil && n.axes == 0 && n.shape.Equal(c.Shape) {
			return n
		}
		return b.Input(c.Name, c.Shape)
	case gorgonia.Constant:
		return b.Constant(c.Values, c.Shape)
	case gorgonia.Unary:
		if f := importedUnary[c.Name]; f != nil {
			return f(x[0])
		}
	case gorgonia.Binary:
		if f := importedBinary[c.Name]; f != nil {
			return f(alike(x[0], x[1], c.Shape))
		}
	case gorgonia.Product, gorgonia.Dot, gorgonia.Outer:
		return importedProduct(c, x[0], x[1])
	case gorgonia.Whole:
		return importedWhole(c.Value, x)
	case gorgonia.Unknown:
	default:
		return importedLayout(c, x)
	}
	return nil
}

// alike gives operands of different shapes and the same number of elements that of the
// result: gorgonia takes (3,1) and (3) for the same.
func alike(x, y *Node, shape Shape) (*Node, *Node) {
	if len(x.shape) > 0 && len(y.shape) > 0 && !x.shape.Equal(y.shape) && x.shape.Len() == y.shape.Len() {
		return x.Reshape(shape), y.Reshape(shape)
	}
	return x, y
}

var importedUnary = map[string]func(x *Node) *Node{
	"abs": (*Node).Abs, "sign": (*Node).Sign, "floor": (*Node).Floor, "neg": (*Node).Neg,
	"sin": (*Node).Sin, "cos": (*Node).Cos, "tanh": (*Node).Tanh,
	"exp": (*Node).Exp, "ln": (*Node).Log, "log1p": (*Node).Log1p, "expm1": (*Node).Expm1,
	"square": (*Node).Square, "cube": (*Node).Cube, "sqrt": (*Node).Sqrt, "inv": (*Node).Inverse,
	"sigmoid": (*Node).Sigmoid, "softplus": (*Node).Softplus,
	"ceil":    func(x *Node) *Node { return x.Neg().Floor().Neg() },
	"log2":    func(x *Node) *Node { return x.Log().Scale(1 / math.Ln2) },
	"invSqrt": func(x *Node) *Node { return x.Sqrt().Inverse() },
}

var importedBinary = map[string]func(x, y *Node) *Node{
	"+": (*Node).Add, "-": (*Node).Sub, "⊙": (*Node).Mul, "÷": (*Node).Div, "^": (*Node).Power,
	"MaxBetween": (*Node).Maximum, "MinBetween": (*Node).Minimum,
	">": (*Node).Greater, ">=": (*Node).AtLeast, "==": (*Node).Equal,
	"<":  func(x, y *Node) *Node { return y.Greater(x) },
	"<=": func(x, y *Node) *Node { return y.AtLeast(x) },
	"!=": func(x, y *Node) *Node { return x.Equal(y).Neg().AddScalar(1) },
}

// importedProduct is a product of matrices and vectors.
func importedProduct(c *gorgonia.Call, x, y *Node) *Node {
	vector := func(n *Node) *Node { return n.Reshape(Shape{n.shape.Len()}) }
	switch c.Kind {
	case gorgonia.Dot:
		return vector(x).Dot(vector(y))
	case gorgonia.Outer:
		return vector(x).Outer(vector(y))
	}
	if c.Transposed[0] {
		x = x.transposeLast()
	}
	if len(c.Shape) == 1 && len(x.shape) == 2 { // the second factor is a vector
		return x.MatVec(vector(y))
	}
	if c.Transposed[1] {
		y = y.transposeLast()
	}
	return x.MatMul(y)
}

// importedLayout is a reduction or a rearrangement.
func importedLayout(c *gorgonia.Call, operands []*Node) *Node {
	x := operands[0]
	switch c.Kind {
	case gorgonia.Transpose:
		return x.Transpose(c.Ints...)
	case gorgonia.Reshape:
		return x.Reshape(c.Shape)
	case gorgonia.Sum:
		return x.Sum(c.Ints...)
	case gorgonia.Max:
		return x.Max(c.Ints...)
	case gorgonia.Repeat:
		axis := c.Ints[0]
		shape := slices.Clone(x.shape)
		for len(shape) <= axis {
			shape = append(shape, 1)
		}
		return x.Reshape(shape).Repeat(axis, c.Shape[axis]/max(shape[axis], 1))
	case gorgonia.Slice:
		return x.rows(c.Ints[0], c.Ints[1:])
	case gorgonia.Unslice:
		at := along(x.shape, c.Ints[0], c.Ints[1:])
		y := operands[1]
		if len(y.shape) == 0 {
			y = y.Expand(Shape{len(at)})
		}
		return y.Reshape(Shape{len(at)}).ScatterAdd(at, x.shape)
	case gorgonia.Concat:
		return Concat(c.Ints[0], x, operands[1:]...)
	case gorgonia.Softmax, gorgonia.LogSoftmax:
		axis := softmaxAxis(c.Ints[0], x.shape)
		if c.Kind == gorgonia.Softmax {
			return x.Softmax(axis)
		}
		return x.Sub(x.LogSumExp(axis).lift(x.shape, []int{axis}))
	case gorgonia.Copy:
		return x.Gather(c.Ints, c.Shape)
	}
	return nil
}

// softmaxAxis is the axis of a gorgonia softmax: without one the last, but for a column.
func softmaxAxis(axis int, shape Shape) int {
	switch {
	case axis >= 0:
		return axis
	case len(shape) == 2 && shape[1] == 1:
		return 0
	}
	return len(shape) - 1
}

// importedWhole is an operation of this package that has been exported. Derivatives other
// than those of the value, see [WithGradient], are not kept.
func importedWhole(v *ir.Value, x []*Node) *Node {
	p, ok := v.Op.Owner.(*Primitive)
	switch {
	case !ok:
		return nil
	case p.view != nil && primitives[p.Name] != p:
		return x[0]
	}
	return p.Apply(v.Attr, x...)
}

// ExprGraph makes a gorgonia graph of the outputs and returns their nodes in it, whose Graph
// it is. Inputs have the names that they have here. Mapped axes become leading dimensions,
// the outermost first. Where gorgonia has an operation that computes the same it is used,
// else an op that calls ours; those have no derivative in gorgonia: differentiate by
// [Builder.Grad] before. Nodes without elements are an error.
//
// A gorgonia.TapeMachine runs the graph. What it reads has to be made by an op: an output
// that is an input is not. [Builder.Import] takes the nodes back.
func (b *Builder) ExprGraph(outputs ...*Node) ([]*G.Node, error) {
	reached := make([]bool, len(b.nodes))
	for _, n := range outputs {
		if n.b != b {
			return nil, fmt.Errorf("autograd: graph %q: output %v belongs to graph %q", b.name, n, n.b.name)
		}
		if n.id >= 0 {
			reached[n.id] = true
		}
	}
	var inputs []*Node
	var names []string
	for id, n := range slices.Backward(b.nodes) {
		if !reached[id] {
			continue
		}
		for _, a := range n.reads() {
			reached[a.id] = true
		}
		if n.isInput() {
			inputs, names = append(inputs, n), append(names, n.name)
		}
	}
	f, err := lower(inputs, outputs)
	if err != nil {
		return nil, err
	}
	return gorgonia.Export(f, append([]string{}, names...))
}
