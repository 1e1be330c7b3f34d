package autograd

import (
	"math"
)

// Add is n + m, element by element; shapes broadcast by the usual rule.
func (n *Node) Add(m *Node) *Node { return n.elementwise("add", m) }

// Sub is n − m, element by element; shapes broadcast by the usual rule.
func (n *Node) Sub(m *Node) *Node { return n.elementwise("sub", m) }

// Mul is the element-wise (Hadamard) product; shapes broadcast by the usual
// rule. See [Node.MatMul] for the matrix product.
func (n *Node) Mul(m *Node) *Node {
	switch {
	case m.b != n.b: // refused below
	case m.isScalarConstant(1):
		return n
	case n.isScalarConstant(1):
		return m
	case m.isScalarConstant(-1):
		return n.Neg()
	case n.isScalarConstant(-1):
		return m.Neg()
	}
	return n.elementwise("mul", m)
}

// Div is n / m, element by element; shapes broadcast by the usual rule.
func (n *Node) Div(m *Node) *Node { return n.elementwise("div", m) }

// Maximum is the larger of both, element by element. At a tie each operand
// receives half of the derivative.
func (n *Node) Maximum(m *Node) *Node { return n.elementwise("maximum", m) }

// Minimum is the smaller of both, element by element. At a tie each operand
// receives half of the derivative.
func (n *Node) Minimum(m *Node) *Node { return n.elementwise("minimum", m) }

// Scale is c·n.
func (n *Node) Scale(c float64) *Node { return n.Mul(n.b.Scalar(c)) }

// AddScalar is n + c.
func (n *Node) AddScalar(c float64) *Node { return n.Add(n.b.Scalar(c)) }

// Neg is −x. Of −x it is x.
func (n *Node) Neg() *Node {
	if n.is("neg") {
		return n.args[0]
	}
	return n.op1("neg", Attr{})
}

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

// Pow is x^p for a fixed exponent p; see [Node.Power] for one that is a node.
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

// LeakyRelu is x for x > 0 and slope·x elsewhere.
func (n *Node) LeakyRelu(slope float64) *Node {
	if slope < 0 || slope >= 1 {
		return n.b.fail(n.shape, "leaky relu: slope %v, want 0 ≤ slope < 1", slope)
	}
	return n.Maximum(n.Scale(slope))
}

// Sign is −1, 0 or 1. It has no derivative: nothing flows back through it.
func (n *Node) Sign() *Node { return n.op1("sign", Attr{}) }

// Positive is 1 where x > 0, else 0. It has no derivative.
func (n *Node) Positive() *Node { return n.op1("positive", Attr{}) }

// Greater is 1 where n > m, else 0. It has no derivative.
func (n *Node) Greater(m *Node) *Node { return n.elementwise("greater", m) }

// AtLeast is 1 where n ≥ m, else 0; NaN where one of them is. It has no derivative.
func (n *Node) AtLeast(m *Node) *Node { return n.elementwise("at_least", m) }

// Equal is 1 where n = m, else 0; NaN where one of them is. It has no derivative.
func (n *Node) Equal(m *Node) *Node { return n.elementwise("equal", m) }

// And is 1 where neither n nor m is 0, else 0; NaN where one of them is. It has no
// derivative.
func (n *Node) And(m *Node) *Node { return n.elementwise("and", m) }

// Or is 1 where n or m is not 0, else 0; NaN where one of them is. It has no
// derivative.
func (n *Node) Or(m *Node) *Node { return n.elementwise("or", m) }

// StraightThrough has the value of n and the derivative of soft: the
// straight-through estimator for a hard n.
func (n *Node) StraightThrough(soft *Node) *Node { return n.elementwise("straight_through", soft) }

// SigmoidShift is σ(n + logit(u)) = u/(u + (1−u)e^−n) for u strictly inside
// (0, 1): the quantile-shifted logistic function, which draws a relaxed
// Bernoulli variable from a uniform u without a logarithm. u receives no
// derivative.
func (n *Node) SigmoidShift(u *Node) *Node { return n.elementwise("sigmoid_shift", u) }
