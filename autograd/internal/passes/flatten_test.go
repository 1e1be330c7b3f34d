package passes_test

import (
	"math/rand/v2"
	"testing"

	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
	"tobac/autograd/internal/passes"
)

// rearranged are the numbers of v, of a function whose mapped axes lead, as they lie when
// those that are not kept are dimensions: or back.
func rearranged(f *ir.Func, v *ir.Value, keep ir.AxisSet, x []float64, back bool) []float64 {
	kept, flat := v.Axes&keep, v.Axes.Minus(keep)
	outer, inner := ir.Projector(f.Axes, v.Axes, kept), ir.Projector(f.Axes, v.Axes, flat)
	copies, size := flat.Lanes(f.Axes), v.Len()
	y := make([]float64, len(x))
	for l := range v.Axes.Lanes(f.Axes) {
		from, to := l*size, (outer(l)*copies+inner(l))*size
		if back {
			from, to = to, from
		}
		copy(y[to:][:size], x[from:][:size])
	}
	return y
}

// checkFlatten compares a function with what it becomes when any axes are flattened.
func checkFlatten(t *testing.T, f *ir.Func, in [][]float64) {
	t.Helper()
	want := eval(t, f, in)
	for keep := range ir.AxisSet(1) << len(f.Axes) {
		g := passes.Flatten(f, keep)
		var moved [][]float64
		for i, v := range f.Inputs {
			moved = append(moved, rearranged(f, v, keep, in[i], false))
			if w := g.Inputs[i]; w.Axes != v.Axes&keep || w.Flat != v.Axes.Minus(keep) ||
				irtest.Size(g, w) != irtest.Size(f, v) {
				t.Fatalf("kept%s: input %d becomes %s", keep.Names(f.Axes), i, g.Describe(w))
			}
		}
		got := eval(t, g, moved)
		for i, v := range f.Outputs {
			got[i] = rearranged(f, v, keep, got[i], true)
		}
		near(t, "kept"+keep.Names(f.Axes), got, want)
		for _, v := range g.Values {
			if v.Axes.Minus(keep) != 0 || v.Class() == ir.Crossing && !keep.Has(v.Attr.Axis) {
				t.Fatalf("kept%s: %s is left", keep.Names(f.Axes), g.Describe(v))
			}
		}
	}
}

// Flattened, every operation that crosses an axis computes the same, in any order of
// that axis and one that is kept, and so do matrix products of operands that carry it or
// do not.
func TestFlatten(t *testing.T) {
	square := ir.Shape{2, 2}
	for _, axis := range []int{0, 1} {
		for _, tt := range []struct {
			name  string
			build func(b *irtest.Builder) *ir.Value
		}{
			{"sum", over(ir.OverSum, axis)},
			{"log-sum-exp", over(ir.OverLogSumExp, axis)},
			{"softmax", over(ir.OverSoftmax, axis)},
			{"maximum", over(ir.OverMax, axis)},
			{"stack", over(ir.OverStack, axis)},
			{"expand", func(b *irtest.Builder) *ir.Value {
				return b.Over(irtest.Crossing(ir.OverExpand, ir.Other), axis,
					b.Input(ir.Shape{2}, 1-axis))
			}},
			{"unstack", func(b *irtest.Builder) *ir.Value {
				return b.Over(irtest.Crossing(ir.OverUnstack, ir.Other), axis,
					b.Input(ir.Shape{b.Axis(axis).Size(), 2}, 1-axis))
			}},
			{"map", func(b *irtest.Builder) *ir.Value { // unstack, apply, stack
				rows := b.Over(irtest.Crossing(ir.OverUnstack, ir.Other), axis,
					b.Input(ir.Shape{b.Axis(axis).Size(), 2}))
				y := b.Map(irtest.Exp, b.Map(irtest.Add, rows, b.Input(ir.Shape{2}, 1-axis)))
				return b.Over(irtest.Crossing(ir.OverStack, ir.Other), axis, y)
			}},
			{"product of both", func(b *irtest.Builder) *ir.Value {
				return b.MatMul(b.Input(square, 0, 1), b.Input(square, 0, 1))
			}},
			{"product of the first", func(b *irtest.Builder) *ir.Value {
				return b.MatMul(b.Input(square, axis), b.Input(square))
			}},
			{"product of the second", func(b *irtest.Builder) *ir.Value {
				return b.MatMul(b.Input(square), b.Input(square, axis))
			}},
			{"product of a column", func(b *irtest.Builder) *ir.Value {
				return b.MatMul(b.Input(ir.Shape{2, 3}), b.Input(ir.Shape{3, 1}, axis))
			}},
			{"product of columns of both axes", func(b *irtest.Builder) *ir.Value {
				return b.MatMul(b.Input(ir.Shape{2, 3}, 1-axis), b.Input(ir.Shape{3, 1}, 0, 1))
			}},
			{"sum of products", summed(axis, []int{axis}, []int{axis})},
			{"sum of products of the first", summed(axis, []int{axis}, nil)},
			{"sum of products of the second", summed(axis, nil, []int{axis})},
			{"sum of products of both axes", summed(axis, []int{0, 1}, []int{axis})},
			{"sum of products of different axes", summed(axis, []int{1 - axis}, []int{axis})},
			{"product of different axes", func(b *irtest.Builder) *ir.Value {
				return b.MatMul(b.Input(square, axis), b.Input(square, 1-axis))
			}},
			{"products", func(b *irtest.Builder) *ir.Value {
				return b.MatMul(b.Input(ir.Shape{2, 2, 3}, 0, 1), b.Input(ir.Shape{2, 3, 2}, axis))
			}},
			{"reduction", func(b *irtest.Builder) *ir.Value {
				return b.Reduce(irtest.LogSumExp, b.Input(square, 0, 1))
			}},
			{"weights of a dimension", func(b *irtest.Builder) *ir.Value {
				return b.Reduce(irtest.Softmax, b.Input(square, axis))
			}},
			{"whole value", func(b *irtest.Builder) *ir.Value {
				return b.Whole(irtest.Root, b.Map(irtest.Square, b.Input(square, 0, 1)))
			}},
			{"broadcast number", func(b *irtest.Builder) *ir.Value {
				return b.Map(irtest.Mul, b.Input(square, 1-axis), b.Input(ir.Shape{}, axis))
			}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				b := irtest.New(3, 2)
				f := b.Return(tt.build(b))
				checkFlatten(t, f, inputs(rand.New(rand.NewPCG(1, 3)), f))
			})
		}
	}
}

// summed is the sum over an axis of products of matrices that carry some axes.
func summed(axis int, left, right []int) func(b *irtest.Builder) *ir.Value {
	return func(b *irtest.Builder) *ir.Value {
		product := b.MatMul(b.Input(ir.Shape{2, 3}, left...), b.Input(ir.Shape{3, 4}, right...))
		return b.Over(irtest.Crossing(ir.OverSum, ir.Other), axis, product)
	}
}

// over crosses an axis of an input that carries both.
func over(o ir.Over, axis int) func(b *irtest.Builder) *ir.Value {
	return func(b *irtest.Builder) *ir.Value {
		return b.Over(irtest.Crossing(o, ir.Other), axis, b.Input(ir.Shape{2}, 0, 1))
	}
}

func TestFlattenRandomFunctions(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		f := irtest.Random(rng, 15, 3, 2, 4)
		checkFlatten(t, f, inputs(rng, f))
	}
}
