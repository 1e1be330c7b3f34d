package autograd

import (
	"math"

	"tobac/autograd/internal/ir"
	"tobac/internal/vector"
)

func init() {
	register(
		elementwise1("tan", ir.Unary{F: math.Tan, Zero: true},
			func(y, x *Node) *Node { return y.Square().AddScalar(1) }),
		elementwise1("sinh", ir.Unary{Vec: kernels.Sinh, Zero: true},
			func(y, x *Node) *Node { return x.Cosh() }),
		elementwise1("cosh", ir.Unary{Vec: kernels.Cosh},
			func(y, x *Node) *Node { return x.Sinh() }),
		elementwise1("asinh", ir.Unary{Vec: kernels.Asinh, Zero: true},
			// 1/√(x²+1), divided by a number that keeps x² from overflowing
			func(y, x *Node) *Node {
				scale := x.Abs().Clamp(1, math.MaxFloat64).Inverse().StopGradient()
				return x.Mul(scale).Square().Add(scale.Square()).Sqrt().Inverse().Mul(scale)
			}),
		elementwise1("floor", ir.Unary{F: math.Floor, Zero: true}, nil),
		elementwise1("logit", ir.Unary{F: logit},
			func(y, x *Node) *Node { return x.Mul(x.b.Scalar(1).Sub(x)).Inverse() }),
		elementwise2("atan2", ir.Binary{F: math.Atan2},
			func(z, ct *Node) []*Node {
				y, x := z.args[0], z.args[1]
				q := ct.Div(x.Square().Add(y.Square()))
				return []*Node{q.Mul(x), q.Mul(y).Neg()}
			}),
		elementwise2("power", ir.Binary{VV: kernels.PowEach},
			func(z, ct *Node) []*Node {
				x, y := z.args[0], z.args[1]
				one := z.b.Scalar(1)
				// The slope of x⁰ is 0, but depends on the exponent, where 1/x is a finite number.
				tiny := z.b.Scalar(0x1p-1022).AtLeast(x.Abs())
				base := y.Where(x, tiny.Where(one, x))
				byBase := y.Mul(base.Power(y.AddScalar(-1)))
				byExponent := z.Mul(x.Where(x, one).Log()) // x = 0: the factor 0
				return []*Node{ct.Mul(byBase), ct.Mul(byExponent)}
			}),
		elementwise2("logaddexp", ir.Binary{VV: logAddExp},
			func(y, ct *Node) []*Node {
				d := y.args[0].Sub(y.args[1])
				return []*Node{ct.Mul(d.Sigmoid()), ct.Mul(d.Neg().Sigmoid())}
			}),
	)
}

// Tan is the tangent.
func (n *Node) Tan() *Node { return n.op1("tan", Attr{}) }

// Sinh is the hyperbolic sine.
func (n *Node) Sinh() *Node { return n.op1("sinh", Attr{}) }

// Cosh is the hyperbolic cosine.
func (n *Node) Cosh() *Node { return n.op1("cosh", Attr{}) }

// Asinh is the inverse hyperbolic sine, ln(x + √(x²+1)).
func (n *Node) Asinh() *Node { return n.op1("asinh", Attr{}) }

// Floor is the largest integer not above x. It has no derivative: nothing flows
// back through it.
func (n *Node) Floor() *Node { return n.op1("floor", Attr{}) }

// Logit is ln(x/(1−x)), the inverse of [Node.Sigmoid]: −∞ at 0 and +∞ at 1, with
// the derivative +∞ at both, and NaN outside [0, 1]. Of a sigmoid it is the
// sigmoid's operand itself.
func (n *Node) Logit() *Node {
	if n.is("sigmoid") {
		return n.args[0]
	}
	return n.op1("logit", Attr{})
}

// Atan2 is the angle of the point (x, n), of abscissa x and ordinate n, in
// [−π, π]. The derivative is NaN at the origin, and needs that the squares of the
// coordinates neither overflow nor vanish.
func (n *Node) Atan2(x *Node) *Node { return n.elementwise("atan2", x) }

// Power is n^m, element by element, for n ≥ 0 and any m; a negative n has a power
// for whole m only, and NaN otherwise. 0⁰ is 1. The derivative by the base is 0
// where m is 0. The derivative by the exponent is nᵐ ln n, with 0 where n = 0 and
// m ≥ 0 (0 ln 0 = 0), and NaN for other n ≤ 0. See [Node.Pow] for a constant
// exponent.
func (n *Node) Power(m *Node) *Node { return n.elementwise("power", m) }

// LogAddExp is ln(eⁿ + eᵐ), element by element, shifted by the larger operand. Like
// that of [Node.LogSumExp], the derivative is NaN where both are −∞, or both +∞.
func (n *Node) LogAddExp(m *Node) *Node { return n.elementwise("logaddexp", m) }

// logit goes through the logarithm of 1+t near its zero, where that of a quotient
// near 1 would not be accurate.
func logit(x float64) float64 {
	if x > 0.25 && x < 0.75 {
		return math.Log1p((2*x - 1) / (1 - x))
	}
	return vector.Log(x / (1 - x))
}

// logAddExp is max(x, y) + ln(1 + e^−|x−y|), and the larger one itself if that is
// infinite or NaN.
func logAddExp(dst, x, y []float64) {
	var rest [stretch]float64
	for len(dst) > 0 {
		n := min(len(dst), len(rest))
		r := rest[:n]
		kernels.Sub(r, x[:n], y[:n])
		kernels.Abs(r, r)
		kernels.Scale(r, r, -1)
		kernels.Softplus(r, r)
		for i := range r {
			top := max(x[i], y[i])
			if top-top != 0 { // infinite, or NaN
				r[i] = 0
			}
			dst[i] = top + r[i]
		}
		dst, x, y = dst[n:], x[n:], y[n:]
	}
}
