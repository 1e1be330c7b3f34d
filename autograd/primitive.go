package autograd

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"tobac/autograd/internal/ir"
)

// Shape lists the dimensions of one value, outermost first (row-major). The
// empty shape is a scalar. Mapped axes are not part of it; see [Axis].
type Shape []int

// Len is the number of elements.
func (s Shape) Len() int { return ir.Shape(s).Len() }

// Equal reports whether both shapes have the same dimensions.
func (s Shape) Equal(t Shape) bool { return slices.Equal(s, t) }

// String is the dimensions in parentheses.
func (s Shape) String() string { return ir.Shape(s).String() }

// Strides are the distances of neighbours along each dimension, in row-major order.
func (s Shape) Strides() []int { return ir.Shape(s).Strides() }

// Drop is the shape without the given dimensions.
func (s Shape) Drop(dims []int) Shape { return Shape(ir.Shape(s).Drop(dims)) }

// ExpandsTo reports whether the shape broadcasts to t.
func (s Shape) ExpandsTo(t Shape) bool { return ir.Shape(s).ExpandsTo(ir.Shape(t)) }

// An Axis is a mapped axis: every node that carries it stands for Size
// independent values, one for each index. Expressions are written for one
// index; a node carries every axis that one of its operands carries, and only
// the reductions named …Over remove one. Axes are ordered as they were
// declared, outermost first. [Builder.Axis] declares them.
//
// [Node.Stack] and [Node.Unstack] exchange it with a dimension.
type Axis struct {
	b  *Builder
	ir *ir.Axis
}

// Name of the axis, unique within its builder.
func (a *Axis) Name() string { return a.ir.Name() }

// Size is the number of indices.
func (a *Axis) Size() int { return a.ir.Size() }

// ID is the place of the axis among those of its builder, 0 for the outermost.
func (a *Axis) ID() int { return a.ir.ID() }

// Builder that declared the axis.
func (a *Axis) Builder() *Builder { return a.b }

// Attr holds the parameters of an operation: those that its [Primitive] reads.
// Nodes of one primitive are equal if operands and parameters are, bit by bit.
type Attr struct {
	Ints   []int     // dimensions, indices, orders
	Float  float64   // an exponent, a bound, a factor
	Floats []float64 // where one number is not enough
	Axis   *Axis     // the mapped axis that the operation crosses
	Shape  Shape     // of the result
	Any    any       // of a custom primitive, which Key spells out
	Key    string    // the identity of Any
}

// none are no parameters.
var none Attr

// stored is where the parameters of a node are kept.
func (at Attr) stored() *Attr {
	if at.Ints == nil && math.Float64bits(at.Float) == 0 && at.Floats == nil && at.Axis == nil &&
		at.Shape == nil && at.Any == nil && at.Key == "" {
		return &none
	}
	kept := at
	return &kept
}

// lowered is what the compiler reads of the parameters.
func (at Attr) lowered() ir.Attr {
	low := ir.Attr{Ints: at.Ints, Float: at.Float}
	if at.Axis != nil {
		low.Axis = at.Axis.ir
	}
	if at.Floats != nil || at.Shape != nil || at.Any != nil || at.Key != "" {
		low.More = &ir.More{Floats: at.Floats, Shape: ir.Shape(at.Shape), Any: at.Any, Key: at.Key}
	}
	return low
}

// attrOf are the parameters that were lowered, for an operation that sees one index at a
// time: without an axis.
func attrOf(at ir.Attr) Attr {
	out := Attr{Ints: at.Ints, Float: at.Float}
	if m := at.More; m != nil {
		out.Floats, out.Shape, out.Any, out.Key = m.Floats, Shape(m.Shape), m.Any, m.Key
	}
	return out
}

// A Primitive is an operation: its shape rule, its value and its derivative,
// side by side. The operations of this package are rows of a table of them; a
// primitive of your own, applied by [Primitive.Apply], is their equal: it runs in
// every engine, over mapped axes, and is differentiated as often as its VJP allows.
//
// A primitive is written for one index of the mapped axes. Its functions are pure,
// may be called concurrently, and keep nothing of their arguments. Either Each or Each2
// is set, or Shape and Value; VJP reads [Node.Operands] and [Node.Attr].
type Primitive struct {
	// Name in error texts and listings. Primitives are told apart by identity.
	Name string

	// Shape infers the result's shape from those of the operands and refuses operands
	// that do not fit. nil means that of an element-wise operation, whose operands
	// [Primitive.Apply] broadcasts by the usual rule.
	Shape func(at Attr, in []Shape) (Shape, error)

	// Value computes the result from the operands' values, all dense and row-major. It
	// overwrites all of out and leaves its operands alone. nil means from Each or Each2.
	Value func(at Attr, out []float64, shape Shape, in [][]float64, shapes []Shape) error

	// Each is the function of an element-wise operation of one operand, Each2 that of
	// one of two. Such an operation is compiled element by element.
	Each  func(at Attr) func(x float64) float64
	Each2 func(at Attr) func(x, y float64) float64

	// VJP returns, per operand, the vector-Jacobian product of the node y with its
	// cotangent ct, as nodes: nil where the operand gets none. ct has y's shape, and may
	// lack mapped axes of y, along which it is constant; each result has the shape of
	// the operand. For an element-wise operation it may have the shape of y where the
	// operand is a scalar, and is summed. nil means nothing flows back.
	VJP func(y, ct *Node) []*Node

	// axes infers the mapped axes of the result when they are not the union of
	// the operands' axes.
	axes func(b *Builder, at Attr, union ir.AxisSet) (ir.AxisSet, error)

	// What the compiler may know; see [ir.Op].
	class   ir.Class
	form    ir.Form
	over    ir.Over
	unary   *ir.Unary
	each    func(at Attr) func(dst, x []float64) // of a whole vector: takes the place of Each
	binary  *ir.Binary
	view    func(at Attr, shape, in Shape) []int
	sources func(at Attr, shape, in Shape) [][]int
	picks   func(at Attr, shape Shape, in []Shape) []ir.Pick

	joint *joint // the function that it is a result of; see [Recompute]

	once sync.Once
	op   *ir.Op
}

// Apply adds the operation to the graph of its operands, of which there is at least one:
// without any it panics. A primitive that lacks its value or its shape, or operands that
// do not fit, are an error of the builder that names the primitive.
func (p *Primitive) Apply(at Attr, operands ...*Node) *Node {
	if len(operands) == 0 {
		panic(fmt.Sprintf("autograd: primitive %q without operands", p.Name))
	}
	n := operands[0]
	if p.Each2 != nil && len(operands) == 2 {
		return n.pointwise(p, at, operands[1])
	}
	return n.b.apply(p, at, operands...)
}

// Op is the name of the node's primitive, empty for an input and a constant.
func (n *Node) Op() string {
	if n.op == nil {
		return ""
	}
	return n.op.Name
}

// Operands that the node is computed from, in the order of its primitive; none of an
// input or a constant. The caller must not modify the slice.
func (n *Node) Operands() []*Node { return n.args }

// Attr holds the parameters that the node's primitive was applied with. The caller must
// not modify them.
func (n *Node) Attr() Attr { return *n.attr }

// shapesOf are the same shapes, without a copy.
func shapesOf(in []ir.Shape) []Shape {
	return unsafe.Slice((*Shape)(unsafe.SliceData(in)), len(in))
}

// irOp is what the compiler knows about the primitive.
func (p *Primitive) irOp() *ir.Op {
	p.once.Do(func() {
		op := &ir.Op{Name: p.Name, Owner: p, Class: p.class, Form: p.form, Over: p.over,
			Unary: p.unary, Binary: p.binary}
		value := p.Value
		if each := p.vectorised(); each != nil {
			op.Class = ir.Elementwise1
			op.UnaryWith = func(at ir.Attr) *ir.Unary { return &ir.Unary{Vec: each(attrOf(at))} }
			if value == nil {
				value = valueOf1(each)
			}
		}
		if p.Each2 != nil {
			op.Class = ir.Elementwise2
			binary := func(at Attr) *ir.Binary {
				k := &ir.Binary{F: p.Each2(at)}
				completeBinary(k)
				return k
			}
			op.BinaryWith = func(at ir.Attr) *ir.Binary { return binary(attrOf(at)) }
			if value == nil {
				value = func(at Attr, out []float64, shape Shape, in [][]float64,
					shapes []Shape) error {
					return valueOf2(binary(at))(at, out, shape, in, shapes)
				}
			}
		}
		if value == nil {
			value = p.listed()
		}
		if value != nil {
			op.Eval = func(at ir.Attr, out []float64, shape ir.Shape, in [][]float64,
				shapes []ir.Shape) error {
				return value(attrOf(at), out, Shape(shape), in, shapesOf(shapes))
			}
		}
		if p.view != nil {
			op.View = func(at ir.Attr, shape, in ir.Shape) []int {
				return p.view(attrOf(at), Shape(shape), Shape(in))
			}
		}
		if p.sources != nil {
			op.Sources = func(at ir.Attr, shape, in ir.Shape) [][]int {
				return p.sources(attrOf(at), Shape(shape), Shape(in))
			}
		}
		if p.picks != nil {
			op.Picks = func(at ir.Attr, shape ir.Shape, in []ir.Shape) []ir.Pick {
				return p.picks(attrOf(at), Shape(shape), shapesOf(in))
			}
		}
		p.op = op
	})
	return p.op
}

// listed computes an operation that shows elements or reduces them as its lists say; nil is that of
// others.
func (p *Primitive) listed() func(Attr, []float64, Shape, [][]float64, []Shape) error {
	switch reduce := reductions[p.class]; {
	case reduce != nil:
		return func(at Attr, out []float64, shape Shape, in [][]float64, shapes []Shape) error {
			ir.Reduce(out, in[0], p.sources(at, shape, shapes[0]), reduce)
			return nil
		}
	case p.view != nil:
		return func(at Attr, out []float64, shape Shape, in [][]float64, shapes []Shape) error {
			for e, k := range p.view(at, shape, shapes[0]) {
				out[e] = in[0][k]
			}
			return nil
		}
	}
	return nil
}

// reductions are the functions of the elements that one of the result is made of.
var reductions = map[ir.Class]func(x []float64) float64{
	ir.Sum: ir.SumOf, ir.LogSumExp: ir.LogSumExpOf,
}

// vectorised is the function of an element-wise operation of one operand on vectors, nil of
// other operations.
func (p *Primitive) vectorised() func(at Attr) func(dst, x []float64) {
	if p.each != nil || p.Each == nil {
		return p.each
	}
	return func(at Attr) func(dst, x []float64) { return ir.EachOf(p.Each(at)) }
}

// infer is the shape of the result.
func (p *Primitive) infer(at Attr, in []Shape) (Shape, error) {
	if err := p.complete(); err != nil {
		return nil, err
	}
	if at.Any != nil && at.Key == "" {
		return nil, errors.New("the parameter Any has no Key, by which nodes are told apart")
	}
	if p.Shape != nil {
		return p.Shape(at, in)
	}
	want := 1
	if p.Each2 != nil {
		want = 2
	}
	if len(in) != want {
		return nil, fmt.Errorf("got %d operands, want %d", len(in), want)
	}
	return sameShape(at, in)
}

// complete reports what the primitive lacks.
func (p *Primitive) complete() error {
	elementwise := p.vectorised() != nil || p.Each2 != nil
	switch {
	case p.Name == "":
		return errors.New("a primitive without a name")
	case p.Each != nil && p.Each2 != nil:
		return errors.New("the primitive has Each and Each2, want one of them")
	case elementwise || p.over != ir.Within:
	case p.Shape == nil:
		return errors.New(
			"the primitive has no Shape, and is not element-wise: neither Each nor Each2 is set")
	case p.Value == nil && p.view == nil && p.sources == nil:
		return errors.New(
			"the primitive has no Value, and is not element-wise: neither Each nor Each2 is set")
	}
	return nil
}

// A joint is a function of several results that are differentiated together.
type joint struct {
	f       func(x []*Node) []*Node
	x       []*Node
	outputs []*Node // distinct results, the earliest first
	which   []int   // of them each result of f is
}
