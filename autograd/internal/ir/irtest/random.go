package irtest

import (
	"math/rand/v2"

	"tobac/autograd/internal/ir"
)

// Random adds operations of all classes to a function of the mapped axes: on scalars and
// vectors of four elements, of which constants and views make some zero whatever the
// inputs. Its outputs are moderate numbers.
func Random(rng *rand.Rand, operations int, sizes ...int) *ir.Func {
	r := random{Builder: New(sizes...), rng: rng}
	for range 3 {
		var axes []int
		for i := range sizes {
			if rng.IntN(3) > 0 {
				axes = append(axes, i)
			}
		}
		r.pool = append(r.pool, r.Input(ir.Shape{side}, axes...))
	}
	r.pool = append(r.pool, r.Const(ir.Shape{side}, 0, 1, 0, -0.5), r.Const(ir.Shape{}, 0.5))
	kinds := []func(){r.unary, r.binary, r.binary, r.choose, r.reduce, r.show, r.pick, r.multiply,
		r.whole, r.cross, r.cross, r.cross}
	for range operations {
		kinds[rng.IntN(len(kinds))]()
	}
	outputs := r.pool[max(len(r.pool)-3, 5):]
	return r.Return(append(outputs, r.any(0))...)
}

const side = 4

type random struct {
	*Builder
	rng  *rand.Rand
	pool []*ir.Value // of shape (side) or ()
}

// any value; of rank 1 if asked for.
func (r *random) any(rank int) *ir.Value {
	for {
		if v := r.pool[r.rng.IntN(len(r.pool))]; len(v.Shape) >= rank {
			return v
		}
	}
}

// push keeps numbers moderate.
func (r *random) push(v *ir.Value) { r.pool = append(r.pool, r.Map(Tanh, v)) }

func (r *random) unary() {
	ops := []*ir.Op{Neg, Exp, Relu, Positive, Square, Tanh}
	r.push(r.Map(ops[r.rng.IntN(len(ops))], r.any(0)))
}

func (r *random) binary() {
	ops := []*ir.Op{Add, Sub, Mul, Mul}
	v := r.Map(ops[r.rng.IntN(len(ops))], r.any(0), r.any(0))
	if r.rng.IntN(2) == 0 {
		r.push(v)
	} else {
		r.pool = append(r.pool, v)
	}
}

func (r *random) choose() { r.push(r.Map(Where, r.Map(Relu, r.any(0)), r.any(0), r.any(0))) }

func (r *random) reduce() {
	ops := []*ir.Op{Sum, LogSumExp, Max, Softmax}
	r.push(r.Reduce(ops[r.rng.IntN(len(ops))], r.any(1)))
}

// index draws elements of a value of some size, some of them zeros.
func (r *random) index(n, of int) []int {
	index := make([]int, n)
	for e := range index {
		index[e] = r.rng.IntN(of+1) - 1
	}
	return index
}

func (r *random) show() {
	r.pool = append(r.pool, r.View(r.any(1), ir.Shape{side}, r.index(side, side)...))
}

func (r *random) pick() {
	x, y := r.any(0), r.any(1)
	picks := make([]ir.Pick, side)
	for e := range picks {
		v, arg := x, int32(r.rng.IntN(2))
		if arg == 1 {
			v = y
		}
		picks[e] = ir.Pick{Arg: arg, At: int32(r.rng.IntN(v.Len()+1) - 1)}
	}
	r.pool = append(r.pool, r.add(ir.PickOp(picks), ir.Attr{}, ir.Shape{side}, x, y))
}

func (r *random) multiply() {
	square := ir.Shape{2, side / 2}
	x := r.View(r.any(1), square, r.index(side, side)...)
	y := r.View(r.any(1), square, ir.Identity(side)...)
	r.push(r.View(r.MatMul(x, y), ir.Shape{side}, ir.Identity(side)...))
}

func (r *random) whole() { r.push(r.Whole(Root, r.Map(Exp, r.any(1)))) }

func (r *random) cross() {
	if len(r.F.Axes) == 0 {
		return
	}
	x, i := r.any(1), r.rng.IntN(len(r.F.Axes))
	// crossings of each other, with zeros
	if last := r.pool[len(r.pool)-1]; r.rng.IntN(2) == 0 && len(last.Shape) > 0 {
		x = r.View(last, ir.Shape{side}, r.index(side, side)...)
	}
	size := r.Axis(i).Size()
	if !x.Axes.Has(r.Axis(i)) {
		if r.rng.IntN(2) == 0 {
			r.pool = append(r.pool, r.Over(Crossing(ir.OverExpand, ir.Other), i, x))
			return
		}
		rows := r.View(x, ir.Shape{size, side}, r.index(size*side, side)...)
		r.pool = append(r.pool, r.Over(Crossing(ir.OverUnstack, ir.Other), i, rows))
		return
	}
	switch over := []ir.Over{ir.OverSum, ir.OverLogSumExp, ir.OverSoftmax, ir.OverMax,
		ir.OverStack}[r.rng.IntN(5)]; over {
	case ir.OverStack:
		rows := r.Over(Crossing(over, ir.Other), i, x)
		r.pool = append(r.pool, r.View(rows, ir.Shape{side}, r.index(side, size*side)...))
	default:
		r.push(r.Over(Crossing(over, ir.Other), i, x))
	}
}
