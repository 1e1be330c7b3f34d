package autograd

import (
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"strings"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A rule is one row of the op table: everything there is to know about one
// operation stands here together. Rules describe the operation for one index
// of the mapped axes; the engines repeat it over the axes. Only the rules with
// an over function see several indices at once.
type rule struct {
	name string

	// shape infers the result's shape and refuses operands that do not fit.
	shape func(at attr, in []Shape) (Shape, error)

	// native builds gorgonia's own op, for the ops that gorgonia computes
	// correctly. Without it, or where it returns nil, the node is an own
	// gorgonia op running eval.
	native func(at attr, in []*G.Node) (*G.Node, error)

	// eval computes one value from the operands' values, all dense row-major.
	eval func(at attr, out []float64, shape Shape, in [][]float64, shapes []Shape) error

	// vjp returns, per operand, the vector-Jacobian product of the node y with
	// its cotangent ct: nil where the operand gets none. ct has y's shape and
	// may lack mapped axes of y, along which it is constant.
	vjp func(y, ct *Node) []*Node

	// axes infers the mapped axes of the result when they are not the union of
	// the operands' axes.
	axes func(b *Builder, at attr, union axisSet) (axisSet, error)

	// over evaluates a rule that crosses mapped axes (kind says how).
	over overKind

	// kernel names the instruction of the compiled engine. Its zero value
	// gathers the operands of each lane and calls eval.
	kernel kernelKind

	// scalar is the element-wise function of a rule with parameters.
	scalar func(at attr) func(float64) float64

	unary  *unaryKernel
	binary *binaryKernel

	// view lists, for every element of the result, the operand's element that
	// it is, or -1 for a zero. Such a node costs nothing when compiled.
	view func(at attr, shape Shape, in Shape) []int

	// sources lists, for every element of the result, the operand's elements
	// that are reduced into it.
	sources func(at attr, shape Shape, in Shape) [][]int
}

// overKind says how a rule crosses a mapped axis.
type overKind int

const (
	within        overKind = iota // does not cross: one index at a time
	overSum                       // sum over the axis
	overLogSumExp                 // log-sum-exp over the axis
	overExpand                    // repeat along the axis
	overStack                     // axis becomes the leading dimension
	overUnstack                   // leading dimension becomes the axis
)

// attr holds the parameters of an operation.
type attr struct {
	ints  []int   // axes, indices, dimensions
	float float64 // exponent, bound, factor
	axis  *Axis
	shape Shape
	op    G.Op // foreign ops only
}

// key spells the parameters exactly: floats as bits.
func (at attr) key() string {
	var s strings.Builder
	if at.ints != nil {
		fmt.Fprintf(&s, "%v", at.ints)
	}
	fmt.Fprintf(&s, "|%x", math.Float64bits(at.float))
	if at.axis != nil {
		fmt.Fprintf(&s, "|axis %s", at.axis.name)
	}
	if at.shape != nil {
		fmt.Fprintf(&s, "|%v", at.shape)
	}
	if at.op != nil {
		// Spelled out field by field: neither its text nor its hash need hold
		// every parameter.
		fmt.Fprintf(&s, "|%T %#v %x", at.op, at.op, at.op.Hashcode())
	}
	return s.String()
}

// ownOp is the gorgonia op of a rule without a native one. The same fields
// serve a stacked operation of the TapeMachine graph, whose run function then
// loops over the lanes.
type ownOp struct {
	label string // name and every parameter: gorgonia's identity of the op
	in    []Shape
	out   Shape
	run   func(out []float64, in [][]float64) error
}

var (
	_ G.Op              = (*ownOp)(nil)
	_ G.UsePreallocDoer = (*ownOp)(nil)
)

func newOwnOp(n *Node, key string) *ownOp {
	shapes := argShapes(n)
	r, at, shape := n.op, n.attr, n.shape
	return &ownOp{label: key, in: shapes, out: shape, run: func(out []float64, in [][]float64) error {
		if r.eval == nil {
			return fmt.Errorf("%s crosses a mapped axis: it has no value at one index", r.name)
		}
		return r.eval(at, out, shape, in, shapes)
	}}
}

func argShapes(n *Node) []Shape {
	shapes := make([]Shape, len(n.args))
	for i, a := range n.args {
		shapes[i] = a.shape
	}
	return shapes
}

func (o *ownOp) Arity() int { return len(o.in) }

func (o *ownOp) Type() hm.Type {
	ts := make([]hm.Type, 0, len(o.in)+1)
	for _, s := range o.in {
		ts = append(ts, hmType(s))
	}
	return hm.NewFnType(append(ts, hmType(o.out))...)
}

func hmType(s Shape) hm.Type {
	if len(s) == 0 {
		return hm.TypeVariable('a')
	}
	return G.TensorType{Dims: len(s), Of: hm.TypeVariable('a')}
}

func (o *ownOp) InferShape(...G.DimSizer) (tensor.Shape, error) {
	return tensor.Shape(o.out).Clone(), nil
}

// Do allocates the result and evaluates into it.
func (o *ownOp) Do(in ...G.Value) (G.Value, error) {
	var out G.Value
	if len(o.out) == 0 {
		out = G.NewF64(0)
	} else {
		out = tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(o.out...))
	}
	return o.UsePreallocDo(out, in...)
}

// UsePreallocDo overwrites prealloc; operands are read only and not kept.
func (o *ownOp) UsePreallocDo(prealloc G.Value, in ...G.Value) (G.Value, error) {
	data := make([][]float64, len(in))
	for i, v := range in {
		var err error
		if data[i], err = valueData(v); err != nil {
			return nil, fmt.Errorf("%s: operand %d: %w", o.label, i, err)
		}
	}
	out, err := valueData(prealloc)
	if err != nil {
		return nil, fmt.Errorf("%s: result: %w", o.label, err)
	}
	if err := o.run(out, data); err != nil {
		return nil, err
	}
	if s, ok := prealloc.(*G.F64); ok {
		*s = G.F64(out[0])
	}
	return prealloc, nil
}

func (o *ownOp) ReturnsPtr() bool      { return true }
func (o *ownOp) CallsExtern() bool     { return true }
func (o *ownOp) OverwritesInput() int  { return -1 }
func (o *ownOp) WriteHash(h hash.Hash) { fmt.Fprintf(h, "%s %v %v", o.label, o.in, o.out) }
func (o *ownOp) String() string        { return o.label }

func (o *ownOp) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// valueData is the dense row-major content of a gorgonia value. The slice of a
// tensor shares its memory; that of a scalar is a copy.
func valueData(v G.Value) ([]float64, error) {
	switch v := v.(type) {
	case *G.F64:
		return []float64{float64(*v)}, nil
	case *tensor.Dense:
		if v.RequiresIterator() {
			v = v.Clone().(*tensor.Dense)
		}
		if v.Dtype() != tensor.Float64 {
			return nil, fmt.Errorf("tensor of %v, want float64", v.Dtype())
		}
		return v.Float64s(), nil
	default:
		return nil, fmt.Errorf("value %T, want a float64 scalar or tensor", v)
	}
}

// newValue wraps data of the given shape without copying it.
func newValue(shape Shape, data []float64) G.Value {
	if len(shape) == 0 {
		return G.NewF64(data[0])
	}
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
}
