package gorgonia

import (
	"errors"
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tobac/autograd/internal/ir"
)

// InferShape is the shape of an op's result, from those of its operands.
func InferShape(op G.Op, in []ir.Shape) (s ir.Shape, err error) {
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
	return append(ir.Shape{}, shape...), err
}

// Eval runs an op's Do on copies of the operands.
func Eval(op G.Op, out []float64, in [][]float64, shapes []ir.Shape) (err error) {
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

// Identity spells an op out field by field: neither its text nor its hash need hold
// every parameter.
func Identity(op G.Op) string { return fmt.Sprintf("%T %#v %x", op, op, op.Hashcode()) }
