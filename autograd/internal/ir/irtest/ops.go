package irtest

import (
	"errors"
	"math"

	"tobac/autograd/internal/ir"
)

// Element-wise operations.
var (
	Neg = unary("neg", ir.Unary{Form: ir.Neg, F: func(x float64) float64 {
		return -x
	}, Zero: true})
	Exp  = unary("exp", ir.Unary{Form: ir.Exp, F: math.Exp})
	Relu = unary("relu", ir.Unary{Form: ir.Relu, F: func(x float64) float64 {
		return max(x, 0)
	}, Zero: true})
	Positive = unary("positive", ir.Unary{Form: ir.Positive, F: positive, Zero: true})
	Square   = unary("square", ir.Unary{Form: ir.Square, F: func(x float64) float64 {
		return x * x
	}, Zero: true})
	Tanh = unary("tanh", ir.Unary{F: math.Tanh, Zero: true, Bound: 1})
	Sqrt = unary("sqrt", ir.Unary{F: math.Sqrt, Zero: true})

	Add = binary("add", ir.Add, ir.ZeroBoth, func(x, y float64) float64 { return x + y })
	Sub = binary("sub", ir.Sub, ir.ZeroBoth, func(x, y float64) float64 { return x - y })
	Mul = binary("mul", ir.Mul, ir.ZeroEither, func(x, y float64) float64 { return x * y })
	Div = binary("div", ir.Div, ir.ZeroFirst, func(x, y float64) float64 { return x / y })

	Where = &ir.Op{Name: "where", Class: ir.Select, Eval: each(func(x []float64) float64 {
		if x[0] != 0 {
			return x[1]
		}
		return x[2]
	})}
)

// Operations along the last dimension, and of matrices.
var (
	Sum       = reduction(ir.OverSum)
	LogSumExp = reduction(ir.OverLogSumExp)
	Max       = reduction(ir.OverMax)
	Softmax   = &ir.Op{Name: "softmax", Class: ir.Softmax,
		Lists: ir.Lists{Sources: func(_ ir.Attr, shape, _ ir.Shape) [][]int { return rows(shape) }},
		Eval: func(_ ir.Attr, out []float64, shape ir.Shape, in [][]float64, _ []ir.Shape) error {
			ir.Normalise(out, in[0], rows(shape))
			return nil
		}}

	MatMul = &ir.Op{Name: "matmul", Class: ir.MatMul, Form: ir.Product, Eval: multiply}
)

// ErrNegative is the failure of Root.
var ErrNegative = errors.New("negative sum")

// Root is an operation on whole values: x over the root of the sum of its elements. It
// fails with ErrNegative if that is negative.
var Root = &ir.Op{Name: "root",
	Eval: func(_ ir.Attr, out []float64, _ ir.Shape, in [][]float64, _ []ir.Shape) error {
		s := 0.0
		for _, x := range in[0] {
			s += x
		}
		if s < 0 {
			return ErrNegative
		}
		for i, x := range in[0] {
			out[i] = x / math.Sqrt(s)
		}
		return nil
	}}

// Crossing is an operation that crosses a mapped axis. ir.Weight is a form of
// ir.OverSoftmax.
func Crossing(over ir.Over, form ir.Form) *ir.Op {
	return &ir.Op{Name: crossingNames[over], Class: ir.Crossing, Over: over, Form: form}
}

var crossingNames = map[ir.Over]string{
	ir.OverSum: "sum_over", ir.OverLogSumExp: "logsumexp_over", ir.OverSoftmax: "softmax_over",
	ir.OverMax:    "max_over",
	ir.OverExpand: "expand_over", ir.OverStack: "stack", ir.OverUnstack: "unstack",
}

func positive(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x <= 0:
		return 0
	}
	return x
}

func unary(name string, u ir.Unary) *ir.Op {
	u.Vec = ir.EachOf(u.F)
	return &ir.Op{Name: name, Class: ir.Elementwise1, Form: u.Form, Unary: &u,
		Eval: each(func(x []float64) float64 { return u.F(x[0]) })}
}

func binary(name string, form ir.Form, zero ir.Zeros, f func(x, y float64) float64) *ir.Op {
	k := &ir.Binary{Form: form, F: f, Zero: zero,
		VV: func(dst, a, b []float64) {
			for i := range dst {
				dst[i] = f(a[i], b[i])
			}
		},
		VS: func(dst, a []float64, b float64) {
			for i := range dst {
				dst[i] = f(a[i], b)
			}
		},
		SV: func(dst []float64, a float64, b []float64) {
			for i := range dst {
				dst[i] = f(a, b[i])
			}
		},
	}
	return &ir.Op{Name: name, Class: ir.Elementwise2, Form: form, Binary: k,
		Eval: each(func(x []float64) float64 { return f(x[0], x[1]) })}
}

// each evaluates a function of the elements of the operands, of which some are scalars.
func each(f func(x []float64) float64) func(ir.Attr, []float64, ir.Shape, [][]float64,
	[]ir.Shape) error {
	return func(_ ir.Attr, out []float64, _ ir.Shape, in [][]float64, _ []ir.Shape) error {
		x := make([]float64, len(in))
		for e := range out {
			for i, a := range in {
				x[i] = a[min(e, len(a)-1)]
			}
			out[e] = f(x)
		}
		return nil
	}
}

// rows lists the elements along the last dimension.
func rows(shape ir.Shape) [][]int {
	n := shape[len(shape)-1]
	var all [][]int
	for at := 0; at < shape.Len(); at += n {
		row := make([]int, n)
		for i := range row {
			row[i] = at + i
		}
		all = append(all, row)
	}
	return all
}

func reduction(over ir.Over) *ir.Op {
	op := *ir.Reduction(over, nil)
	op.Sources = func(_ ir.Attr, _, in ir.Shape) [][]int { return rows(in) }
	op.Eval = func(at ir.Attr, out []float64, shape ir.Shape, in [][]float64,
		shapes []ir.Shape) error {
		return ir.Reduction(over, rows(shapes[0])).Eval(at, out, shape, in, shapes)
	}
	return &op
}

func multiply(_ ir.Attr, out []float64, shape ir.Shape, in [][]float64, shapes []ir.Shape) error {
	r := len(shape) - 2
	m, k, n := shape[r], shapes[0][r+1], shape[r+1]
	for e := range out {
		g, i, j := e/(m*n), e/n%m, e%n
		out[e] = 0
		for l := range k {
			out[e] += in[0][(g*m+i)*k+l] * in[1][(g*k+l)*n+j]
		}
	}
	return nil
}
