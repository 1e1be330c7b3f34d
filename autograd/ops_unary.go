package autograd

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"

	"tobac/internal/vector"
)

// A unaryKernel computes an element-wise function in the compiled engine.
type unaryKernel struct {
	f    func(float64) float64
	vec  func(dst, x []float64) // nil: fill makes a loop over f
	zero bool                   // f(0) = 0: a structural zero stays one
}

// elementwise1 is the row of an element-wise function of one operand. The
// derivative dy/dx is a node built from the result y and the operand x.
func elementwise1(name string, native func(*G.Node) (*G.Node, error), k unaryKernel, dydx func(y, x *Node) *Node) *rule {
	k.fill()
	r := &rule{
		name:   name,
		shape:  sameShape,
		kernel: kernelUnary,
		unary:  &k,
		eval: func(_ attr, out []float64, _ Shape, in [][]float64, _ []Shape) error {
			for i, x := range in[0] {
				out[i] = k.f(x)
			}
			return nil
		},
	}
	if native != nil {
		r.native = func(_ attr, in []*G.Node) (*G.Node, error) { return native(in[0]) }
	}
	if dydx != nil {
		r.vjp = func(y, ct *Node) []*Node { return []*Node{ct.Mul(dydx(y, y.args[0]))} }
	}
	return r
}

// withVJP sets the vector-Jacobian product of a rule.
func (r *rule) withVJP(vjp func(y, ct *Node) []*Node) *rule {
	r.vjp = vjp
	return r
}

func init() {
	register(
		elementwise1("neg", G.Neg, unaryKernel{f: func(x float64) float64 { return -x }, vec: negVec, zero: true},
			func(y, x *Node) *Node { return x.b.Scalar(-1) }),
		elementwise1("exp", G.Exp, unaryKernel{f: math.Exp, vec: vector.Portable.Exp},
			func(y, x *Node) *Node { return y }),
		elementwise1("log", G.Log, unaryKernel{f: math.Log},
			func(y, x *Node) *Node { return x.Inverse() }),
		elementwise1("log1p", G.Log1p, unaryKernel{f: math.Log1p, zero: true},
			func(y, x *Node) *Node { return x.AddScalar(1).Inverse() }),
		elementwise1("expm1", G.Expm1, unaryKernel{f: math.Expm1, zero: true},
			func(y, x *Node) *Node { return x.Exp() }),
		elementwise1("sqrt", G.Sqrt, unaryKernel{f: math.Sqrt, zero: true},
			func(y, x *Node) *Node { return y.Inverse().Scale(0.5) }),
		elementwise1("square", G.Square, unaryKernel{f: func(x float64) float64 { return x * x }, vec: squareVec, zero: true},
			nil).withVJP(func(y, ct *Node) []*Node { return []*Node{ct.Scale(2).Mul(y.args[0])} }),
		elementwise1("cube", G.Cube, unaryKernel{f: func(x float64) float64 { return x * x * x }, zero: true},
			func(y, x *Node) *Node { return x.Square().Scale(3) }),
		elementwise1("inverse", G.Inverse, unaryKernel{f: func(x float64) float64 { return 1 / x }},
			func(y, x *Node) *Node { return y.Square().Neg() }),
		// gorgonia's Sigmoid is exactly 1 from 19 on, an error of 6e-9.
		elementwise1("sigmoid", nil, unaryKernel{f: sigmoid, vec: kernels.Sigmoid},
			func(y, x *Node) *Node { return y.Sub(y.Square()) }),
		// gorgonia's Softplus is x from 16 on, an error of 1e-7.
		elementwise1("softplus", nil, unaryKernel{f: softplus},
			func(y, x *Node) *Node { return x.Sigmoid() }),
		elementwise1("tanh", G.Tanh, unaryKernel{f: math.Tanh, vec: tanhVec, zero: true},
			func(y, x *Node) *Node { return x.b.Scalar(1).Sub(y.Square()) }),
		elementwise1("sin", G.Sin, unaryKernel{f: math.Sin, zero: true},
			func(y, x *Node) *Node { return x.Cos() }),
		elementwise1("cos", G.Cos, unaryKernel{f: math.Cos},
			func(y, x *Node) *Node { return x.Sin().Neg() }),
		elementwise1("abs", G.Abs, unaryKernel{f: math.Abs, zero: true},
			func(y, x *Node) *Node { return x.Sign() }),
		elementwise1("relu", nil, unaryKernel{f: func(x float64) float64 { return max(x, 0) }, zero: true},
			func(y, x *Node) *Node { return x.Positive() }),
		elementwise1("sign", nil, unaryKernel{f: sign, zero: true}, nil),
		elementwise1("positive", nil, unaryKernel{f: positive, zero: true}, nil),
		&rule{
			name:   "power",
			shape:  sameShape,
			kernel: kernelUnary,
			scalar: func(at attr) func(float64) float64 {
				return func(x float64) float64 { return math.Pow(x, at.float) }
			},
			eval: evalScalar("power"),
			vjp: func(y, ct *Node) []*Node {
				p := y.attr.float
				return []*Node{ct.Mul(y.args[0].Pow(p - 1).Scale(p))}
			},
		},
	)
}

// Neg is −x. gorgonia rewrites a few compositions as it builds them (−(−x) and
// the logarithms below); they are written out here, so that a node always
// stands for the operation asked for.
func (n *Node) Neg() *Node {
	if n.is("neg") {
		return n.args[0]
	}
	return n.op1("neg", attr{})
}

// is reports whether n is the result of the named op.
func (n *Node) is(op string) bool { return n.op != nil && n.op.name == op }

// Exp is e^x.
func (n *Node) Exp() *Node { return n.op1("exp", attr{}) }

// Log is the natural logarithm. The logarithm of a sigmoid is built as
// -softplus(-x), which does not lose small values.
func (n *Node) Log() *Node {
	if n.is("sigmoid") {
		return n.args[0].Neg().Softplus().Neg()
	}
	return n.op1("log", attr{})
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
	return n.op1("log1p", attr{})
}

// Expm1 is e^x − 1, accurate near 0.
func (n *Node) Expm1() *Node { return n.op1("expm1", attr{}) }

// Sqrt is the square root; NaN below 0.
func (n *Node) Sqrt() *Node { return n.op1("sqrt", attr{}) }

// Square is x².
func (n *Node) Square() *Node { return n.op1("square", attr{}) }

// Cube is x³.
func (n *Node) Cube() *Node { return n.op1("cube", attr{}) }

// Inverse is 1/x.
func (n *Node) Inverse() *Node { return n.op1("inverse", attr{}) }

// Sigmoid is the logistic function 1/(1+e^−x), without overflow at large |x|.
func (n *Node) Sigmoid() *Node { return n.op1("sigmoid", attr{}) }

// Softplus is ln(1+e^x), without overflow at large |x|.
func (n *Node) Softplus() *Node { return n.op1("softplus", attr{}) }

// LogSigmoid is ln σ(x) = −softplus(−x).
func (n *Node) LogSigmoid() *Node { return n.Neg().Softplus().Neg() }

// Tanh is the hyperbolic tangent.
func (n *Node) Tanh() *Node { return n.op1("tanh", attr{}) }

// Sin is the sine.
func (n *Node) Sin() *Node { return n.op1("sin", attr{}) }

// Cos is the cosine.
func (n *Node) Cos() *Node { return n.op1("cos", attr{}) }

// Abs is |x|; its derivative at 0 is 0.
func (n *Node) Abs() *Node { return n.op1("abs", attr{}) }

// Relu is max(x, 0); its derivative at 0 is 0.
func (n *Node) Relu() *Node { return n.op1("relu", attr{}) }

// Sign is −1, 0 or 1. It has no derivative: nothing flows back through it.
func (n *Node) Sign() *Node { return n.op1("sign", attr{}) }

// Positive is 1 where x > 0, else 0. It has no derivative.
func (n *Node) Positive() *Node { return n.op1("positive", attr{}) }

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
		return n.b.fail(n.shape, "power: exponent %v is not finite", p)
	}
	return n.op1("power", attr{float: p})
}

// LeakyRelu is x for x > 0 and slope·x elsewhere.
func (n *Node) LeakyRelu(slope float64) *Node {
	if slope < 0 || slope >= 1 {
		return n.b.fail(n.shape, "leaky relu: slope %v, want 0 ≤ slope < 1", slope)
	}
	return n.Maximum(n.Scale(slope))
}

// evalScalar evaluates the scalar function of the named row on every element.
func evalScalar(name string) func(at attr, out []float64, _ Shape, in [][]float64, _ []Shape) error {
	return func(at attr, out []float64, _ Shape, in [][]float64, _ []Shape) error {
		f := rules[name].scalar(at)
		for i, x := range in[0] {
			out[i] = f(x)
		}
		return nil
	}
}

func sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	default:
		return x // 0, or NaN
	}
}

func positive(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x <= 0:
		return 0
	default:
		return x // NaN
	}
}

func checkAxis(axis int, s Shape) error {
	if axis < 0 || axis >= len(s) {
		return fmt.Errorf("axis %d of shape %v", axis, s)
	}
	return nil
}
