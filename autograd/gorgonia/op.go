package gorgonia

import (
	"fmt"
	"hash"
	"hash/fnv"
	"reflect"
	"slices"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	ad "tobac/autograd"
	"tobac/autograd/internal/ir"
)

// An operation is a gorgonia op that runs a function of ours.
type operation struct {
	label string // unique: gorgonia's identity of the op
	in    []ad.Shape
	out   ad.Shape
	run   func(out []float64, in [][]float64) error

	// What it computes, where that is known to whoever imports or differentiates it.
	constant []float64 // these numbers, whatever its operand
	index    []int     // it copies these elements of its operand
	scatter  []int     // it adds its operand's elements to these
	value    *ir.Value // it is the operation of this value,
	node     *ad.Node  // of this node,
	whole    bool      // without stacked axes

	exporter *exporter // of a graph for others
}

var (
	_ G.SDOp            = (*operation)(nil)
	_ G.UsePreallocDoer = (*operation)(nil)
)

// Arity implements [G.Op].
func (o *operation) Arity() int { return len(o.in) }

// Type implements [G.Op].
func (o *operation) Type() hm.Type {
	ts := make([]hm.Type, 0, len(o.in)+1)
	for _, s := range o.in {
		ts = append(ts, hmType(s))
	}
	return hm.NewFnType(append(ts, hmType(o.out))...)
}

func hmType(s ad.Shape) hm.Type {
	if len(s) == 0 {
		return hm.TypeVariable('a')
	}
	return G.TensorType{Dims: len(s), Of: hm.TypeVariable('a')}
}

// InferShape implements [G.Op].
func (o *operation) InferShape(...G.DimSizer) (tensor.Shape, error) {
	return tensor.Shape(standIn(o.out)), nil
}

// standIn is the shape that gorgonia knows a value of shape s by: it has no empty ones.
func standIn(s ad.Shape) ad.Shape {
	s = slices.Clone(s)
	for i, d := range s {
		s[i] = max(d, 1)
	}
	return s
}

// Do allocates the result and evaluates into it.
func (o *operation) Do(in ...G.Value) (G.Value, error) {
	var out G.Value
	if len(o.out) == 0 {
		out = G.NewF64(0)
	} else {
		out = tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(standIn(o.out)...))
	}
	return o.UsePreallocDo(out, in...)
}

// UsePreallocDo overwrites prealloc; operands are read only and not kept.
func (o *operation) UsePreallocDo(prealloc G.Value, in ...G.Value) (G.Value, error) {
	data := make([][]float64, len(in))
	for i, v := range in {
		var err error
		if data[i], err = valueData(v); err != nil {
			return nil, fmt.Errorf("%s: operand %d: %w", o.label, i, err)
		}
		data[i] = data[i][:o.in[i].Len()]
	}
	out, err := valueData(prealloc)
	if err != nil {
		return nil, fmt.Errorf("%s: result: %w", o.label, err)
	}
	if err := o.run(out[:o.out.Len()], data); err != nil {
		return nil, err
	}
	if s, ok := prealloc.(*G.F64); ok {
		*s = G.F64(out[0])
	}
	return prealloc, nil
}

// ReturnsPtr implements [G.Op].
func (o *operation) ReturnsPtr() bool { return true }

// CallsExtern implements [G.Op].
func (o *operation) CallsExtern() bool { return true }

// OverwritesInput implements [G.Op].
func (o *operation) OverwritesInput() int { return -1 }

// WriteHash implements [G.Op].
func (o *operation) WriteHash(h hash.Hash) { fmt.Fprintf(h, "%s %v %v", o.label, o.in, o.out) }

// String implements [G.Op].
func (o *operation) String() string { return o.label }

// Hashcode implements [G.Op].
func (o *operation) Hashcode() uint32 {
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

// converted is the content of a value of any type of number, and of truth values.
func converted(v G.Value) ([]float64, error) {
	if v.Dtype() == tensor.Float64 {
		return valueData(v)
	}
	data := reflect.ValueOf(v.Data())
	if data.Kind() != reflect.Slice {
		one := reflect.MakeSlice(reflect.SliceOf(data.Type()), 1, 1)
		one.Index(0).Set(data)
		data = one
	}
	x := make([]float64, data.Len())
	for i := range x {
		switch e := data.Index(i); {
		case e.CanFloat():
			x[i] = e.Float()
		case e.CanInt():
			x[i] = float64(e.Int())
		case e.CanUint():
			x[i] = float64(e.Uint())
		case e.Kind() == reflect.Bool && e.Bool():
			x[i] = 1
		case e.Kind() != reflect.Bool:
			return nil, fmt.Errorf("value of %v, want numbers", v.Dtype())
		}
	}
	return x, nil
}

// newValue wraps data of the given shape without copying it.
func newValue(shape ad.Shape, data []float64) G.Value {
	if len(shape) == 0 {
		return G.NewF64(data[0])
	}
	if len(data) == 0 {
		data = make([]float64, 1)
	}
	return tensor.New(tensor.WithShape(standIn(shape)...), tensor.WithBacking(data))
}

// newLeaf is an input of a gorgonia graph.
func newLeaf(g *G.ExprGraph, name string, shape ad.Shape) *G.Node {
	if len(shape) == 0 {
		return G.NewScalar(g, G.Float64, G.WithName(name))
	}
	return G.NewTensor(g, G.Float64, len(shape), G.WithName(name), G.WithShape(standIn(shape)...))
}
