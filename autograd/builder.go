package autograd

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"tobac/autograd/internal/ir"
)

// A Builder grows one expression graph. It owns the names in it, checks shapes
// as nodes are added, and keeps the first error: after a failure every further
// node is inert, and the error surfaces from [Builder.Err], [Builder.Grad] and
// [Compile]. Model code therefore reads like its equations.
//
// A Builder is not safe for concurrent use; different builders are.
type Builder struct {
	name   string
	nodes  []*Node
	axes   []*Axis
	shapes []Shape    // of the operands of the node that is being made
	irAxes []*ir.Axis // of axes
	inputs map[string]*Node
	alike  map[digest]*Node // the last node of each digest
	err    error
}

// NewBuilder returns an empty graph. The name appears in error texts and in
// exported pictures.
func NewBuilder(name string) *Builder {
	return &Builder{
		name:   name,
		inputs: map[string]*Node{},
		alike:  map[digest]*Node{},
	}
}

// Name is the name that the builder was made with.
func (b *Builder) Name() string { return b.name }

// Err is the first error of the graph, nil while it is sound.
func (b *Builder) Err() error { return b.err }

// A Node is one expression: an input, a constant, or an operation on other
// nodes of the same builder. Its methods add further nodes. Nodes are values
// of the graph, not of a run: they hold no numbers.
type Node struct {
	b       *Builder
	id      int // position in b.nodes
	op      *Primitive
	attr    *Attr
	args    []*Node
	shape   Shape
	axes    ir.AxisSet
	uniform bool      // an input of uniform numbers
	name    string    // inputs only
	value   []float64 // constants only
	alike   *Node     // the node before it with the same digest
}

// Shape of the value at one index of the mapped axes. The caller must not
// modify it.
func (n *Node) Shape() Shape { return n.shape }

// Axes that the node carries, outermost first.
func (n *Node) Axes() []*Axis { return n.b.axesOf(n.axes) }

// Builder that the node belongs to.
func (n *Node) Builder() *Builder { return n.b }

// Name of an input; operations and constants have none.
func (n *Node) Name() string { return n.name }

// String names the node for error texts: its op or name, shape and axes.
func (n *Node) String() string {
	var text [64]byte
	b := ir.Shape(n.shape).Append(n.appendLabel(text[:0]))
	if n.axes != 0 {
		b = append(b, n.axes.Names(n.b.irAxes)...)
	}
	return string(b)
}

func (n *Node) appendLabel(text []byte) []byte {
	switch {
	case n.op != nil:
		text = append(append(text, n.op.Name...), '#')
	case n.value != nil:
		text = append(text, "constant#"...)
	default:
		return append(text, n.name...)
	}
	return strconv.AppendInt(text, int64(n.id), 10)
}

func (n *Node) isInput() bool    { return n.op == nil && n.value == nil }
func (n *Node) isConstant() bool { return n.op == nil && n.value != nil }

// isScalarConstant reports whether n is the constant v of any rank-0 shape.
func (n *Node) isScalarConstant(v float64) bool {
	return n.isConstant() && len(n.shape) == 0 && n.value[0] == v
}

// fail records the first error and returns an inert node of a plausible shape.
func (b *Builder) fail(shape Shape, format string, args ...any) *Node {
	if b.err == nil {
		b.err = fmt.Errorf("autograd: graph %q: "+format, append([]any{b.name}, args...)...)
	}
	return &Node{b: b, id: -1, attr: &none, shape: shape}
}

// Fail records an error, as an operation does whose operands do not fit, and returns an inert
// node of the given shape: for packages that make expressions of something else. The first
// error of a builder stays.
func (b *Builder) Fail(shape Shape, err error) *Node { return b.fail(shape, "%w", err) }

// Axis declares a mapped axis of the given size. Declare outer axes first:
// particles before samples.
func (b *Builder) Axis(name string, size int) *Axis {
	switch {
	case name == "" || slices.ContainsFunc(b.axes, func(o *Axis) bool { return o.Name() == name }):
		b.fail(nil, "axis name %q is empty or already used", name)
	case size < 1:
		b.fail(nil, "axis %q: size %d, want at least 1", name, size)
	case len(b.axes) == ir.MaxAxes:
		b.fail(nil, "axis %q: more than %d mapped axes", name, ir.MaxAxes)
	default:
		a := &Axis{b, ir.NewAxis(name, size, len(b.axes))}
		b.axes, b.irAxes = append(b.axes, a), append(b.irAxes, a.ir)
		return a
	}
	return &Axis{b, ir.NewAxis(name, size, ir.MaxAxes-1)}
}

// axesOf lists the axes in a set, outermost first.
func (b *Builder) axesOf(s ir.AxisSet) (as []*Axis) {
	for _, a := range b.axes {
		if s.Has(a.ir) {
			as = append(as, a)
		}
	}
	return as
}

// Input declares an input of the given shape that carries the given mapped
// axes. The name must be new.
func (b *Builder) Input(name string, shape Shape, over ...*Axis) *Node {
	if b.err != nil {
		return b.fail(shape, "")
	}
	if name == "" {
		return b.fail(shape, "an input needs a name")
	}
	if b.inputs[name] != nil {
		return b.fail(shape, "input name %q is already used", name)
	}
	if err := checkShape(shape); err != nil {
		return b.fail(shape, "input %q: %v", name, err)
	}
	n := &Node{b: b, attr: &none, shape: slices.Clone(shape), name: name}
	for _, a := range over {
		if a.b != b || n.axes.Has(a.ir) {
			return b.fail(shape, "input %q: axis %q is foreign or repeated", name, a.Name())
		}
		n.axes = n.axes.With(a.ir)
	}
	b.inputs[name] = n
	return b.add(n)
}

// Uniform adds an input of independent numbers, uniform in (0, 1), which the
// engines draw themselves from the streams that [Feed.Seed] names. It needs at
// least one mapped axis. The compiled engine draws them where they are used and
// need not store them. Numbers of the caller's, for example recorded ones, may be
// fed as to any input.
func (b *Builder) Uniform(name string, shape Shape, over ...*Axis) *Node {
	n := b.Input(name, shape, over...)
	if b.err == nil && n.axes == 0 {
		return b.fail(shape, "input %q of uniform numbers needs a mapped axis", name)
	}
	n.uniform = true
	return n
}

// Constant adds a constant of the given shape; the values are copied. Equal
// constants of one shape are one node.
func (b *Builder) Constant(values []float64, shape Shape) *Node {
	if b.err != nil {
		return b.fail(shape, "")
	}
	if err := checkShape(shape); err != nil {
		return b.fail(shape, "constant: %v", err)
	}
	if len(values) != shape.Len() {
		return b.fail(shape, "constant of shape %v: got %d values, want %d", shape, len(values),
			shape.Len())
	}
	n := &Node{b: b, attr: &none, shape: shape, value: values}
	if n.value == nil {
		n.value = []float64{}
	}
	d := digestOf(n)
	if o := b.known(n, d); o != nil {
		return o
	}
	n.shape, n.value = slices.Clone(shape), slices.Clone(n.value)
	b.remember(n, d)
	return b.add(n)
}

// Scalar adds a scalar constant.
func (b *Builder) Scalar(v float64) *Node { return b.Constant([]float64{v}, Shape{}) }

func checkShape(s Shape) error {
	n := 1
	for _, d := range s {
		if d < 0 {
			return fmt.Errorf("shape %v has a dimension below 0", s)
		}
		if d > 1 && n > math.MaxInt32/d { // places of numbers are of 32 bits
			n = 0
		}
		n *= d
	}
	if n == 0 && !slices.Contains(s, 0) {
		return fmt.Errorf("shape %v has more than %d elements", s, math.MaxInt32)
	}
	return nil
}

// add registers a finished node.
func (b *Builder) add(n *Node) *Node {
	n.id = len(b.nodes)
	b.nodes = append(b.nodes, n)
	return n
}

// apply adds operation p of args, or returns the node that already is it.
func (b *Builder) apply(p *Primitive, at Attr, args ...*Node) *Node {
	if b.err != nil {
		return b.fail(args[0].shape, "")
	}
	shapes := slices.Grow(b.shapes[:0], len(args))[:len(args)]
	b.shapes = shapes
	var axes ir.AxisSet
	for i, a := range args {
		if a.b != b {
			return b.fail(a.shape, "%s: operand %v belongs to graph %q", p.Name, a, a.b.name)
		}
		shapes[i] = a.shape
		axes |= a.axes
	}
	shape, err := p.infer(at, shapes)
	if err == nil {
		err = checkShape(shape)
	}
	if err != nil {
		return b.fail(shapes[0], "%s: %w", p.Name, err)
	}
	if p.axes != nil {
		if axes, err = p.axes(b, at, axes); err != nil {
			return b.fail(shape, "%s: %w", p.Name, err)
		}
	}
	n := &Node{b: b, op: p, attr: at.stored(), args: args, shape: shape, axes: axes}
	d := digestOf(n)
	if o := b.known(n, d); o != nil {
		return o
	}
	b.remember(n, d)
	return b.add(n)
}

// A digest mixes numbers into one that equal nodes share. Others may too: nodes are compared
// by what they are, never by a digest or by printed values.
type digest uint64

func (d *digest) add(x uint64) {
	h := (uint64(*d) ^ x) * 0x9E3779B97F4A7C15
	*d = digest(h ^ h>>29)
}

func (d *digest) ints(xs []int) {
	d.add(uint64(len(xs)))
	for _, x := range xs {
		d.add(uint64(x))
	}
}

func (d *digest) floats(xs []float64) {
	d.add(uint64(len(xs)))
	for _, x := range xs {
		d.add(math.Float64bits(x))
	}
}

func (d *digest) text(s string) {
	d.add(uint64(len(s)))
	for i := range len(s) {
		d.add(uint64(s[i]))
	}
}

// digestOf an operation, or of a constant that has neither primitive nor operands.
func digestOf(n *Node) digest {
	var d digest
	if n.op != nil {
		d.text(n.op.Name)
	}
	d.ints(n.attr.Ints)
	d.add(math.Float64bits(n.attr.Float))
	d.floats(n.attr.Floats)
	d.text(n.attr.Key)
	d.ints(n.shape)
	d.floats(n.value)
	for _, a := range n.args {
		d.add(uint64(a.id))
	}
	return d
}

// known is the node of the graph that is the operation or the constant n, bit by bit; nil if
// there is none.
func (b *Builder) known(n *Node, d digest) *Node {
	for o := b.alike[d]; o != nil; o = o.alike {
		if o.op == n.op && o.shape.Equal(n.shape) && (o.value == nil) == (n.value == nil) &&
			slices.Equal(o.args, n.args) && sameBits(o.value, n.value) && sameAttr(o.attr, n.attr) {
			return o
		}
	}
	return nil
}

// remember lets later nodes be found equal to n.
func (b *Builder) remember(n *Node, d digest) {
	n.alike = b.alike[d]
	b.alike[d] = n
}

func sameAttr(x, y *Attr) bool {
	return x == y || x.Axis == y.Axis && x.Key == y.Key &&
		math.Float64bits(x.Float) == math.Float64bits(y.Float) &&
		(x.Ints == nil) == (y.Ints == nil) && slices.Equal(x.Ints, y.Ints) &&
		sameBits(x.Floats, y.Floats) &&
		(x.Shape == nil) == (y.Shape == nil) && slices.Equal(x.Shape, y.Shape)
}

func sameBits(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b)
	})
}
