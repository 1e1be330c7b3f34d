package autograd

import (
	"tobac/autograd/internal/ir"
	"tobac/internal/vector"
)

// elementwise1 is the row of an element-wise function of one operand. The
// derivative dy/dx is a node built from the result y and the operand x.
func elementwise1(name string, k ir.Unary, dydx func(y, x *Node) *Node) *Primitive {
	if k.Vec == nil {
		k.Vec = ir.EachOf(k.F)
	}
	p := &Primitive{Name: name, Shape: sameShape, class: ir.Elementwise1, form: k.Form, unary: &k,
		Value: valueOf1(func(Attr) func(dst, x []float64) { return k.Vec })}
	if dydx != nil {
		p.VJP = func(y, ct *Node) []*Node { return []*Node{ct.Mul(dydx(y, y.args[0]))} }
	}
	return p
}

// withVJP sets the vector-Jacobian product.
func (p *Primitive) withVJP(vjp func(y, ct *Node) []*Node) *Primitive {
	p.VJP = vjp
	return p
}

func init() {
	register(
		elementwise1("neg", ir.Unary{Form: ir.Neg, Vec: vector.Neg, Zero: true},
			func(y, x *Node) *Node { return x.b.Scalar(-1) }),
		elementwise1("exp", ir.Unary{Form: ir.Exp, Vec: kernels.Exp},
			func(y, x *Node) *Node { return y }),
		elementwise1("log", ir.Unary{Vec: kernels.Log},
			func(y, x *Node) *Node { return x.Inverse() }),
		elementwise1("log1p", ir.Unary{Vec: kernels.Log1p, Zero: true},
			func(y, x *Node) *Node { return x.AddScalar(1).Inverse() }),
		elementwise1("expm1", ir.Unary{Vec: kernels.Expm1, Zero: true},
			func(y, x *Node) *Node { return x.Exp() }),
		elementwise1("sqrt", ir.Unary{Form: ir.Sqrt, Vec: kernels.Sqrt, Zero: true},
			func(y, x *Node) *Node { return y.Inverse().Scale(0.5) }),
		elementwise1("square", ir.Unary{Form: ir.Square, Vec: squareVec, Zero: true},
			nil).withVJP(func(y, ct *Node) []*Node { return []*Node{ct.Scale(2).Mul(y.args[0])} }),
		elementwise1("cube", ir.Unary{F: func(x float64) float64 { return x * x * x }, Zero: true},
			func(y, x *Node) *Node { return x.Square().Scale(3) }),
		elementwise1("inverse", ir.Unary{Form: ir.Inverse, Vec: kernels.Inverse},
			func(y, x *Node) *Node { return y.Square().Neg() }),
		// gorgonia's Sigmoid is exactly 1 from 19 on, an error of 6e-9.
		elementwise1("sigmoid", ir.Unary{Vec: kernels.Sigmoid, Bound: 1},
			func(y, x *Node) *Node { return y.Sub(y.Square()) }),
		// gorgonia's Softplus is x from 16 on, an error of 1e-7.
		elementwise1("softplus", ir.Unary{Vec: kernels.Softplus},
			func(y, x *Node) *Node { return x.Sigmoid() }),
		elementwise1("tanh", ir.Unary{Vec: kernels.Tanh, Zero: true, Bound: 1},
			func(y, x *Node) *Node { return x.b.Scalar(1).Sub(y.Square()) }),
		elementwise1("sin", ir.Unary{Vec: kernels.Sin, Zero: true, Bound: 1},
			func(y, x *Node) *Node { return x.Cos() }),
		elementwise1("cos", ir.Unary{Vec: kernels.Cos, Bound: 1},
			func(y, x *Node) *Node { return x.Sin().Neg() }),
		elementwise1("abs", ir.Unary{Form: ir.Abs, Vec: kernels.Abs, Zero: true},
			func(y, x *Node) *Node { return x.Sign() }),
		elementwise1("relu", ir.Unary{Form: ir.Relu, Vec: func(dst, x []float64) {
			kernels.MaximumScalar(dst, x, 0)
		}, Zero: true},
			func(y, x *Node) *Node { return x.Positive() }),
		elementwise1("sign", ir.Unary{Vec: kernels.Sign, Zero: true, Bound: 1}, nil),
		elementwise1("positive", ir.Unary{Form: ir.Positive, Vec: kernels.Positive, Zero: true},
			nil),
		(&Primitive{
			Name: "pow",
			each: func(at Attr) func(dst, x []float64) {
				return func(dst, x []float64) { kernels.Pow(dst, x, at.Float) }
			},
			VJP: func(y, ct *Node) []*Node {
				p := y.attr.Float
				return []*Node{ct.Mul(y.args[0].Pow(p - 1).Scale(p))}
			},
		}),
	)
}
