package autograd

import (
	"fmt"
	"math"

	"tobac/autograd/internal/ir"
)

// elementwise1 is the row of an element-wise function of one operand. The
// derivative dy/dx is a node built from the result y and the operand x.
func elementwise1(name string, k ir.Unary, dydx func(y, x *Node) *Node) *Primitive {
	if k.Vec == nil {
		k.Vec = ir.EachOf(k.F)
	}
	p := &Primitive{Name: name, Shape: sameShape, class: ir.Elementwise1, form: k.Form, unary: &k, Value: valueOf1(func(Attr) func(dst, x []float64) { return k.Vec })}
	if dydx != nil {
		p.VJP = func(y, ct *Node) []*Node { return []*Node{ct.Mul(dydx(y, y.args[0]))} }
	}
	return p
}

// valueOf1 evaluates a function of the parameters on all elements.
func valueOf1(f func(at Attr) func(dst, x []float64)) func(Attr, []float64, Shape, [][]float64, []Shape) error {
	return func(at Attr, out []float64, _ Shape, in [][]float64, _ []Shape) error {
		f(at)(out, in[0])
		return nil
	}
}

// withVJP sets the vector-Jacobian product.
func (p *Primitive) withVJP(vjp func(y, ct *Node) []*Node) *Primitive {
	p.VJP = vjp
	return p
}

func init() {
	register(
		elementwise1("neg", ir.Unary{Form: ir.Neg, Vec: negVec, Zero: true},
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
		elementwise1("relu", ir.Unary{Form: ir.Relu, Vec: func(dst, x []float64) { kernels.MaximumScalar(dst, x, 0) }, Zero: true},
			func(y, x *Node) *Node { return x.Positive() }),
		elementwise1("sign", ir.Unary{Vec: kernels.Sign, Zero: true, Bound: 1}, nil),
		elementwise1("positive", ir.Unary{Form: ir.Positive, Vec: kernels.Positive, Zero: true}, nil),
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

// Neg is −x. Of −x it is x.
func (n *Node) Neg() *Node {
	if n.is("neg") {
		return n.args[0]
	}
	return n.op1("neg", Attr{})
}

// is reports whether n is the result of the named row of the op table.
func (n *Node) is(op string) bool { return n.op != nil && n.op == primitives[op] }

// Exp is e^x.
func (n *Node) Exp() *Node { return n.op1("exp", Attr{}) }

// Log is the natural logarithm. The logarithm of a sigmoid is built as
// -softplus(-x), which does not lose small values.
func (n *Node) Log() *Node {
	if n.is("sigmoid") {
		return n.args[0].Neg().Softplus().Neg()
	}
	return n.op1("log", Attr{})
}

// Log1p is ln(1+x), accurate near 0. Of e^x it is built as softplus(x), and of
// −σ(x) as −softplus(x).
func (n *Node) Log1p() *Node {
	switch {
	case n.is("exp"):
		return n.args[0].Softplus()
	case n.is("neg") && n.args[0].is("sigmoid"):
		return n.args[0].args[0].Softplus().Neg()
	}
	return n.op1("log1p", Attr{})
}

// Expm1 is e^x − 1, accurate near 0.
func (n *Node) Expm1() *Node { return n.op1("expm1", Attr{}) }

// Sqrt is the square root; NaN below 0.
func (n *Node) Sqrt() *Node { return n.op1("sqrt", Attr{}) }

// Square is x².
func (n *Node) Square() *Node { return n.op1("square", Attr{}) }

// Cube is x³.
func (n *Node) Cube() *Node { return n.op1("cube", Attr{}) }

// Inverse is 1/x.
func (n *Node) Inverse() *Node { return n.op1("inverse", Attr{}) }

// Sigmoid is the logistic function 1/(1+e^−x), without overflow at large |x|.
func (n *Node) Sigmoid() *Node { return n.op1("sigmoid", Attr{}) }

// Softplus is ln(1+e^x), without overflow at large |x|.
func (n *Node) Softplus() *Node { return n.op1("softplus", Attr{}) }

// LogSigmoid is ln σ(x) = −softplus(−x).
func (n *Node) LogSigmoid() *Node { return n.Neg().Softplus().Neg() }

// Tanh is the hyperbolic tangent.
func (n *Node) Tanh() *Node { return n.op1("tanh", Attr{}) }

// Sin is the sine.
func (n *Node) Sin() *Node { return n.op1("sin", Attr{}) }

// Cos is the cosine.
func (n *Node) Cos() *Node { return n.op1("cos", Attr{}) }

// Abs is |x|; its derivative at 0 is 0.
func (n *Node) Abs() *Node { return n.op1("abs", Attr{}) }

// Relu is max(x, 0); its derivative at 0 is 0.
func (n *Node) Relu() *Node { return n.op1("relu", Attr{}) }

// Sign is −1, 0 or 1. It has no derivative: nothing flows back through it.
func (n *Node) Sign() *Node { return n.op1("sign", Attr{}) }

// Positive is 1 where x > 0, else 0. It has no derivative.
func (n *Node) Positive() *Node { return n.op1("positive", Attr{}) }

// Pow is x^p for a fixed exponent p.
func (n *Node) Pow(p float64) *Node {
	switch p {
	case 0:
		return n.b.Scalar(1).Expand(n.shape)
	case 1:
		return n
	case 2:
		return n.Square()
	}
	if math.IsNaN(p) || math.IsInf(p, 0) {
		return n.b.fail(n.shape, "pow: exponent %v is not finite", p)
	}
	return n.op1("pow", Attr{Float: p})
}

// LeakyRelu is x for x > 0 and slope·x elsewhere.
func (n *Node) LeakyRelu(slope float64) *Node {
	if slope < 0 || slope >= 1 {
		return n.b.fail(n.shape, "leaky relu: slope %v, want 0 ≤ slope < 1", slope)
	}
	return n.Maximum(n.Scale(slope))
}

func checkAxis(axis int, s Shape) error {
	if axis < 0 || axis >= len(s) {
		return fmt.Errorf("axis %d of shape %v", axis, s)
	}
	return nil
}
