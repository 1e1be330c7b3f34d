package gorgonia

import (
	"errors"
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	ad "tobac/autograd"
)

// Apply adds an op of gorgonia's, or of its user's. It runs through the op's own
// Do in every engine. Its derivative is its symbolic one, if it is an SDOp; otherwise
// reverse mode reports an error when it would have to pass through. Operands that carry mapped axes
// are handed to the op one index at a time. There is at least one operand: without any it panics.
func Apply(op G.Op, operands ...*ad.Node) *ad.Node {
	return foreign.Apply(ad.Attr{Any: op, Key: identity(op)}, operands...)
}

// foreign is every op of gorgonia's.
var foreign = &ad.Primitive{
	Name: "foreign",
	Shape: func(at ad.Attr, in []ad.Shape) (ad.Shape, error) {
		s, err := inferShape(at.Any.(G.Op), in)
		if err != nil {
			err = fmt.Errorf("%v: %w", at.Any, err)
		}
		return s, err
	},
	Value: func(at ad.Attr, out []float64, _ ad.Shape, in [][]float64, shapes []ad.Shape) error {
		return evalOp(at.Any.(G.Op), out, in, shapes)
	},
}

// The derivative imports nodes, which may be foreign in their turn.
func init() {
	foreign.VJP = func(y, ct *ad.Node) []*ad.Node {
		parts, err := foreignGradient(y.Attr().Any.(G.Op), y, ct)
		if err != nil {
			y.Builder().Fail(nil, fmt.Errorf("foreign: %w", err))
		}
		return parts
	}
}

// inferShape is the shape of an op's result, from those of its operands.
func inferShape(op G.Op, in []ad.Shape) (s ad.Shape, err error) {
	if op.Arity() >= 0 && op.Arity() != len(in) {
		return nil, fmt.Errorf("got %d operands, want %d", len(in), op.Arity())
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("gorgonia: %v", r)
		}
	}()
	sizes := make([]G.DimSizer, len(in))
	for i, s := range in {
		sizes[i] = tensor.Shape(s)
	}
	shape, err := op.InferShape(sizes...)
	return append(ad.Shape{}, shape...), err
}

// evalOp runs an op's Do on copies of the operands.
func evalOp(op G.Op, out []float64, in [][]float64, shapes []ad.Shape) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("gorgonia: %v", r)
		}
	}()
	values := make([]G.Value, len(in))
	for i := range in {
		values[i] = newValue(shapes[i], append([]float64{}, in[i]...))
	}
	v, err := op.Do(values...)
	if err != nil {
		return err
	}
	data, err := valueData(v)
	if err != nil {
		return err
	}
	if copy(out, data) != len(out) {
		return errors.New("result is shorter than its inferred shape")
	}
	return nil
}

// identity spells an op out field by field: neither its text nor its hash need hold
// every parameter.
func identity(op G.Op) string { return fmt.Sprintf("%T %#v %x", op, op, op.Hashcode()) }
