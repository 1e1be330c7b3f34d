package gorgonia

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	G "gorgonia.org/gorgonia"

	ad "tobac/autograd"
	"tobac/autograd/internal/ir"
)

// A Graph is what gorgonia nodes have become.
type Graph struct {
	// Outputs are the nodes of what was asked for.
	Outputs []*ad.Node

	// Inputs are the nodes of the leaves that were not bound, and Leaves those leaves,
	// in the order in which they are needed.
	Inputs []*ad.Node
	Leaves []*G.Node

	// Notes say what is not as in gorgonia: types that were converted, noise that became an
	// input, and where gorgonia computes something else than its documentation says.
	Notes []string
}

// Import adds what gorgonia nodes compute to the graph of b. The leaves in bind are the
// nodes that they are bound to, which have the shape of the leaf and may carry mapped axes:
// a block of particles, data, noise. Other leaves become inputs of their names: one
// that the builder has already, if it has the same shape. Constants become constants, with
// the values that they have now. Leaves and constants of float32, of whole numbers and of
// truth values become float64.
//
// The operations of gorgonia become operations of package autograd, with its derivatives
// and accuracy: a tie for a maximum, for example, is shared. Random nodes are inputs, and so
// is the noise of a dropout, uniform between 0 and 1; either may be bound by its node. Batch
// normalisation takes the moments of the batch while its op is in training, and the running
// ones, as constants, otherwise. An op of the user's runs through its own Do and has its
// own symbolic derivative: see [Apply]. What cannot be imported is an error that names the
// node and the reason: YOLOv3, division and powers of whole numbers, statements, and
// gorgonia's own derivatives of layers.
//
// The first error of the builder is returned, and stays in it.
func Import(b *ad.Builder, outputs []*G.Node, bind map[*G.Node]*ad.Node) (*Graph, error) {
	if b == nil || len(outputs) == 0 || slices.Contains(outputs, nil) {
		return nil, errors.New("import: the builder or an output is nil, or there is no output")
	}
	for g, n := range bind {
		switch {
		case g == nil || n == nil:
			return nil, errors.New("import: a leaf or what is bound to it is nil")
		case n.Builder() != b:
			return nil, fmt.Errorf("import: node %v is bound to %v of graph %q", g.Name(), n,
				n.Builder().Name())
		case g.Graph() != outputs[0].Graph():
			return nil, fmt.Errorf("import: node %v is bound to %v, and belongs to another graph",
				g.Name(), n)
		}
	}
	m := &importer{b: b, bind: bind, made: map[*G.Node]*ad.Node{},
		reads: map[*G.Node]int{}}
	for _, g := range ordered(outputs) {
		if b.Err() != nil {
			break
		}
		m.made[g] = m.node(g)
	}
	for _, g := range outputs {
		n := m.made[g]
		if b.Err() != nil {
			n = b.Fail(append(ad.Shape{}, g.Shape()...), b.Err())
		}
		m.Outputs = append(m.Outputs, n)
	}
	return &m.Graph, b.Err()
}

// An importer is one call of [Import].
type importer struct {
	Graph
	b    *ad.Builder
	bind map[*G.Node]*ad.Node
	made map[*G.Node]*ad.Node

	reads map[*G.Node]int // of softmaxes
}

// fail records an error of a node of gorgonia's.
func (m *importer) fail(shape ad.Shape, format string, args ...any) *ad.Node {
	return m.b.Fail(shape, fmt.Errorf("import: "+format, args...))
}

// node adds one node, whose operands have been added.
func (m *importer) node(g *G.Node) *ad.Node {
	if n := m.bind[g]; n != nil && fmt.Sprintf("%T", g.Op()) != "*gorgonia.dropoutOp" {
		if shape := append(ad.Shape{}, g.Shape()...); !n.Shape().Equal(shape) {
			return m.fail(shape, "node %v has shape %v, and %v is bound to it", g.Name(), shape, n)
		}
		m.convert(g)
		return n
	}
	c, err := decode(g)
	if err != nil {
		return m.fail(nil, "%w", err)
	}
	x := make([]*ad.Node, len(c.Operands))
	for i, a := range c.Operands {
		x[i] = m.made[a]
		if fmt.Sprintf("%T", a.Op()) == "*gorgonia.softmaxOp" {
			if m.reads[a]++; m.reads[a] == 2 {
				m.note("node %v is read several times: gorgonia makes one node of SoftMax and "+
					"LogSoftMax, or Log of SoftMax, of one operand", a.Name())
			}
		}
	}
	n := m.call(&c, x)
	if m.b.Err() != nil {
		return n
	}
	if n.Shape().Len() != c.Shape.Len() {
		return m.fail(c.Shape, "%v has shape %v, want %v", g.Name(), n.Shape(), c.Shape)
	}
	return n.Reshape(c.Shape)
}

// call adds what a node computes.
func (m *importer) call(c *call, x []*ad.Node) *ad.Node {
	name := c.Node.Name()
	whole := !strings.HasPrefix(fmt.Sprint(c.Node.Dtype()), "float") && len(x) > 0 && x[0] != nil
	switch {
	case c.Kind == isInput:
		return m.input(c.Node, c.Shape)
	case whole && (c.Kind == isUnary || c.Kind == isBinary && (c.Name == "÷" || c.Name == "^")):
		return m.fail(c.Shape,
			"node %v: %v of %v: whole numbers are not divided, and have no functions", name, c.Op,
			c.Node.Dtype())
	case (c.Kind == isSoftmax || c.Kind == isLogSoftmax) && max(c.Ints[0], 0) >= len(x[0].Shape()):
		return m.fail(c.Shape, "node %v: softmax along axis %d of shape %v, which gorgonia builds "+
			"and cannot run", name, max(c.Ints[0], 0), x[0].Shape())
	}
	if n := imported(m.b, c, x); n != nil {
		return n
	}
	op := fmt.Sprintf("%T", c.Op)
	switch reason := refused[op]; {
	case op == "gorgonia.randomOp":
		n := m.input(c.Node, c.Shape)
		m.note("node %v: random numbers are input %q", name, n.Name())
		return n
	case layers[op] != nil:
		return layers[op](m, c, x)
	case reason != "":
		return m.fail(c.Shape, "node %v: %s", name, reason)
	case len(x) == 0:
		return m.fail(c.Shape, "node %v: op %v without operands", name, c.Op)
	}
	return Apply(c.Op, x...)
}

// input is an input for a leaf, a random node or the noise of a node.
func (m *importer) input(g *G.Node, shape ad.Shape) *ad.Node {
	name := g.Name()
	if g.Op() != nil || name == "" {
		name = fmt.Sprintf("node %d", g.ID())
	}
	n := m.b.InputNamed(name)
	if n == nil || len(n.Axes()) > 0 || !n.Shape().Equal(shape) {
		n = m.b.Input(name, shape)
	}
	m.convert(g)
	m.Inputs, m.Leaves = append(m.Inputs, n), append(m.Leaves, g)
	return n
}

// convert notes that a leaf of another type is computed in float64.
func (m *importer) convert(g *G.Node) {
	if t := g.Dtype(); t != G.Float64 {
		m.note("node %v of %v is computed in float64", g.Name(), t)
	}
}

func (m *importer) note(format string, args ...any) {
	m.Notes = append(m.Notes, fmt.Sprintf(format, args...))
}

// imported is the node of a call, nil if this package has no operation for it.
func imported(b *ad.Builder, c *call, x []*ad.Node) *ad.Node {
	switch c.Kind {
	case isConstant:
		return b.Constant(c.Values, c.Shape)
	case isUnary:
		if f := importedUnary[c.Name]; f != nil {
			return f(x[0])
		}
	case isBinary:
		if f := importedBinary[c.Name]; f != nil {
			return f(alike(x[0], x[1], c.Shape))
		}
	case isProduct, isDot, isOuter:
		return importedProduct(c, x[0], x[1])
	case isWhole:
		return importedWhole(c.Value, x)
	case isUnknown:
	default:
		return importedLayout(c, x)
	}
	return nil
}

// alike gives operands of different shapes and the same number of elements that of the
// result: gorgonia takes (3,1) and (3) for the same.
func alike(x, y *ad.Node, shape ad.Shape) (*ad.Node, *ad.Node) {
	if len(x.Shape()) > 0 && len(y.Shape()) > 0 && !x.Shape().Equal(y.Shape()) &&
		x.Shape().Len() == y.Shape().Len() {
		return x.Reshape(shape), y.Reshape(shape)
	}
	return x, y
}

var importedUnary = map[string]func(x *ad.Node) *ad.Node{
	"abs": (*ad.Node).Abs, "sign": (*ad.Node).Sign, "floor": (*ad.Node).Floor,
	"neg": (*ad.Node).Neg,
	"sin": (*ad.Node).Sin, "cos": (*ad.Node).Cos, "tanh": (*ad.Node).Tanh,
	"exp": (*ad.Node).Exp, "ln": (*ad.Node).Log, "log1p": (*ad.Node).Log1p,
	"expm1":  (*ad.Node).Expm1,
	"square": (*ad.Node).Square, "cube": (*ad.Node).Cube, "sqrt": (*ad.Node).Sqrt,
	"inv":     (*ad.Node).Inverse,
	"sigmoid": (*ad.Node).Sigmoid, "softplus": (*ad.Node).Softplus,
	"ceil":    func(x *ad.Node) *ad.Node { return x.Neg().Floor().Neg() },
	"log2":    func(x *ad.Node) *ad.Node { return x.Log().Scale(1 / math.Ln2) },
	"invSqrt": func(x *ad.Node) *ad.Node { return x.Sqrt().Inverse() },
}

var importedBinary = map[string]func(x, y *ad.Node) *ad.Node{
	"+": (*ad.Node).Add, "-": (*ad.Node).Sub, "⊙": (*ad.Node).Mul, "÷": (*ad.Node).Div,
	"^":          (*ad.Node).Power,
	"MaxBetween": (*ad.Node).Maximum, "MinBetween": (*ad.Node).Minimum,
	">": (*ad.Node).Greater, ">=": (*ad.Node).AtLeast, "==": (*ad.Node).Equal,
	"<":  func(x, y *ad.Node) *ad.Node { return y.Greater(x) },
	"<=": func(x, y *ad.Node) *ad.Node { return y.AtLeast(x) },
	"!=": func(x, y *ad.Node) *ad.Node { return x.Equal(y).Neg().AddScalar(1) },
}

// importedProduct is a product of matrices and vectors.
func importedProduct(c *call, x, y *ad.Node) *ad.Node {
	vector := func(n *ad.Node) *ad.Node { return n.Reshape(ad.Shape{n.Shape().Len()}) }
	switch c.Kind {
	case isDot:
		return vector(x).Dot(vector(y))
	case isOuter:
		return vector(x).Outer(vector(y))
	}
	if c.Transposed[0] {
		x = transposeLast(x)
	}
	if len(c.Shape) == 1 && len(x.Shape()) == 2 { // the second factor is a vector
		return x.MatVec(vector(y))
	}
	if c.Transposed[1] {
		y = transposeLast(y)
	}
	return x.MatMul(y)
}

// importedLayout is a reduction or a rearrangement.
func importedLayout(c *call, operands []*ad.Node) *ad.Node {
	x := operands[0]
	switch c.Kind {
	case isTranspose:
		return x.Transpose(c.Ints...)
	case isReshape:
		return x.Reshape(c.Shape)
	case isSum:
		return x.Sum(c.Ints...)
	case isMax:
		return x.Max(c.Ints...)
	case isRepeat:
		axis := c.Ints[0]
		shape := slices.Clone(x.Shape())
		for len(shape) <= axis {
			shape = append(shape, 1)
		}
		return x.Reshape(shape).Repeat(axis, c.Shape[axis]/max(shape[axis], 1))
	case isSlice:
		axis, shape := c.Ints[0], slices.Clone(x.Shape())
		shape[axis] = len(c.Ints) - 1
		return x.Gather(ir.Along(x.Shape(), axis, c.Ints[1:]), shape)
	case isUnslice:
		at := ir.Along(x.Shape(), c.Ints[0], c.Ints[1:])
		y := operands[1]
		if len(y.Shape()) == 0 {
			y = y.Expand(ad.Shape{len(at)})
		}
		return y.Reshape(ad.Shape{len(at)}).ScatterAdd(at, x.Shape())
	case isConcat:
		return ad.Concat(c.Ints[0], x, operands[1:]...)
	case isSoftmax, isLogSoftmax:
		axis := softmaxAxis(c.Ints[0], x.Shape())
		if c.Kind == isSoftmax {
			return x.Softmax(axis)
		}
		kept := slices.Clone(x.Shape())
		kept[axis] = 1
		return x.Sub(x.LogSumExp(axis).Reshape(kept))
	case isCopy:
		return x.Gather(c.Ints, c.Shape)
	case isScatter:
		return x.ScatterAdd(c.Ints, c.Shape)
	}
	return nil
}

// softmaxAxis is the axis of a gorgonia softmax: without one the last, but for a column.
func softmaxAxis(axis int, shape ad.Shape) int {
	switch {
	case axis >= 0:
		return axis
	case len(shape) == 2 && shape[1] == 1:
		return 0
	}
	return len(shape) - 1
}

// importedWhole is an operation of package autograd that has been exported. Derivatives
// other than those of the value, see [ad.WithGradient], are not kept.
func importedWhole(v *ir.Value, x []*ad.Node) *ad.Node {
	p, ok := v.Op.Owner.(*ad.Primitive)
	switch {
	case !ok:
		return nil
	case v.Op.View != nil && !slices.Contains(ad.Ops(), p.Name):
		return x[0]
	}
	at := v.Attr // of an operation that sees one index at a time: without an axis
	own := ad.Attr{Ints: at.Ints, Float: at.Float}
	if m := at.More; m != nil {
		own.Floats, own.Shape, own.Any, own.Key = m.Floats, ad.Shape(m.Shape), m.Any, m.Key
	}
	return p.Apply(own, x...)
}

// transposeLast exchanges the last two dimensions.
func transposeLast(x *ad.Node) *ad.Node {
	order := ir.Identity(len(x.Shape()))
	r := len(order) - 2
	order[r], order[r+1] = r+1, r
	return x.Transpose(order...)
}
