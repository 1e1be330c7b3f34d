package irtest

import (
	"math"
	"math/rand/v2"
	"slices"

	"tobac/autograd/internal/ir"
)

// A Builder adds values to a function. Its methods panic if shapes do not fit: tests are
// wrong then.
type Builder struct{ F *ir.Func }

// New starts a function of the mapped axes, outermost first, with the given sizes. They
// are named a, b, c, ….
func New(sizes ...int) *Builder {
	b := &Builder{F: &ir.Func{Name: "test"}}
	for i, n := range sizes {
		b.F.Axes = append(b.F.Axes, ir.NewAxis(string(rune('a'+i)), n, i))
	}
	return b
}

// Axis is number i of the mapped axes.
func (b *Builder) Axis(i int) *ir.Axis { return b.F.Axes[i] }

// Input adds an input that carries the mapped axes of the given numbers.
func (b *Builder) Input(shape ir.Shape, axes ...int) *ir.Value {
	v := &ir.Value{Shape: shape, Input: len(b.F.Inputs)}
	for _, i := range axes {
		v.Axes = v.Axes.With(b.F.Axes[i])
	}
	b.F.Inputs = append(b.F.Inputs, v)
	return b.F.Add(v)
}

// Const adds a constant.
func (b *Builder) Const(shape ir.Shape, c ...float64) *ir.Value {
	if len(c) != shape.Len() {
		panic("irtest: constants do not fit their shape")
	}
	return b.F.Constant(append([]float64{}, c...), shape)
}

// Return makes values the outputs, and returns the function.
func (b *Builder) Return(v ...*ir.Value) *ir.Func {
	b.F.Outputs = v
	return b.F
}

// add appends the result of an operation that carries the axes of all operands.
func (b *Builder) add(op *ir.Op, at ir.Attr, shape ir.Shape, args ...*ir.Value) *ir.Value {
	v := &ir.Value{Op: op, Attr: at, Args: args, Shape: shape, Input: -1}
	for _, a := range args {
		v.Axes |= a.Axes
	}
	return b.F.Add(v)
}

// Map applies an element-wise operation: one of the variables of this package of class
// Elementwise1, Elementwise2 or Select. Operands have one shape or are scalars.
func (b *Builder) Map(op *ir.Op, args ...*ir.Value) *ir.Value {
	shape := ir.Shape{}
	for _, a := range args {
		if len(a.Shape) > 0 {
			if len(shape) > 0 && !shape.Equal(a.Shape) {
				panic("irtest: shapes differ")
			}
			shape = a.Shape
		}
	}
	return b.add(op, ir.Attr{}, shape, args...)
}

// Reduce applies Sum, LogSumExp or Max, which reduce the last dimension of x, or Softmax,
// which normalises along it.
func (b *Builder) Reduce(op *ir.Op, x *ir.Value) *ir.Value {
	shape := x.Shape
	if op.Class != ir.Softmax {
		shape = slices.Clone(shape[:len(shape)-1])
	}
	return b.add(op, ir.Attr{Ints: []int{len(x.Shape) - 1}}, shape, x)
}

// MatMul multiplies (…,m,k) with (…,k,n).
func (b *Builder) MatMul(x, y *ir.Value) *ir.Value {
	shape := slices.Clone(x.Shape)
	shape[len(shape)-1] = y.Shape[len(y.Shape)-1]
	return b.add(MatMul, ir.Attr{}, shape, x, y)
}

// Whole applies an operation of class Opaque that keeps the shape of its first operand.
func (b *Builder) Whole(op *ir.Op, args ...*ir.Value) *ir.Value {
	return b.add(op, ir.Attr{}, args[0].Shape, args...)
}

// View shows elements of x, zeros for those below 0.
func (b *Builder) View(x *ir.Value, shape ir.Shape, index ...int) *ir.Value {
	return b.F.View(x, index, shape)
}

// Over applies an operation that crosses the mapped axis of number i: one made by
// [Crossing].
func (b *Builder) Over(op *ir.Op, i int, x *ir.Value) *ir.Value {
	a := b.Axis(i)
	shape := x.Shape
	switch op.Over {
	case ir.OverStack:
		shape = append(ir.Shape{a.Size()}, shape...)
	case ir.OverUnstack:
		shape = shape[1:]
	}
	v := b.add(op, ir.Attr{Axis: a}, shape, x)
	switch op.Over {
	case ir.OverExpand, ir.OverUnstack:
		v.Axes = v.Axes.With(a)
	case ir.OverSoftmax:
	default:
		v.Axes = v.Axes.Without(a)
	}
	return v
}

// Numbers draws normal numbers for all values of v over its mapped axes.
func Numbers(rng *rand.Rand, f *ir.Func, v *ir.Value) []float64 {
	x := make([]float64, Size(f, v))
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// Size is the number of values of v over its mapped axes.
func Size(f *ir.Func, v *ir.Value) int { return v.Axes.Lanes(f.Axes) * v.Len() }

// Near reports whether numbers agree to rounding, NaN and infinities included.
func Near(x, y float64) bool {
	return x == y || math.IsNaN(x) && math.IsNaN(y) ||
		math.Abs(x-y) <= 1e-12*max(1, math.Abs(x), math.Abs(y))
}
