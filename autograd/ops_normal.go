package autograd

import (
	"math"

	"tobac/autograd/internal/ir"
)

// The error function and what belongs to the standard normal distribution, with
// density φ and distribution function Φ.
func init() {
	register(
		elementwise1("erf", ir.Unary{Vec: kernels.Erf, Zero: true, Bound: 1},
			func(y, x *Node) *Node { return x.Square().Neg().Exp().Scale(2 / math.SqrtPi) }),
		elementwise1("erfc", ir.Unary{Vec: kernels.Erfc, Bound: 2},
			func(y, x *Node) *Node { return x.Square().Neg().Exp().Scale(-2 / math.SqrtPi) }),
		elementwise1("erfinv", ir.Unary{F: math.Erfinv, Zero: true},
			func(y, x *Node) *Node { return y.Square().Exp().Scale(math.SqrtPi / 2) }),
		elementwise1("log_ndtr", ir.Unary{Vec: kernels.LogNdtr},
			func(y, x *Node) *Node { return x.InverseMills() }),
		// φ(x)/Φ(x), the slope of ln Φ. Its own slope −λ(x + λ) cancels far on the
		// left, where it is −1 + O(1/x²): it has the relative error x²·2⁻⁵³ there.
		elementwise1("inverse_mills", ir.Unary{Vec: inverseMills},
			func(y, x *Node) *Node { return y.Mul(x.Add(y)).Neg() }),
		elementwise1("ndtr_inv", ir.Unary{Vec: kernels.NdtrInv},
			func(y, x *Node) *Node {
				return y.Square().Scale(0.5).Exp().Scale(math.Sqrt2 * math.SqrtPi)
			}),
	)
}

// Erf is the error function 2/√π ∫₀ˣ e^−t² dt.
func (n *Node) Erf() *Node { return n.op1("erf", Attr{}) }

// Erfc is 1 − erf(x), accurate where it is small.
func (n *Node) Erfc() *Node { return n.op1("erfc", Attr{}) }

// ErfInv is the inverse of the error function on [−1, 1], infinite at the ends, as
// is its derivative; NaN outside.
func (n *Node) ErfInv() *Node { return n.op1("erfinv", Attr{}) }

// Ndtr is the standard normal distribution function Φ(x) = erfc(−x/√2)/2, accurate
// where it is small.
func (n *Node) Ndtr() *Node { return n.Scale(-1 / math.Sqrt2).Erfc().Scale(0.5) }

// LogNdtr is ln Φ(x), the logarithm of the standard normal distribution function,
// accurate in both tails, and so is its derivative φ/Φ, which approaches −x on
// the left. The second derivative has the relative error x²·2⁻⁵³ far on the left.
func (n *Node) LogNdtr() *Node { return n.op1("log_ndtr", Attr{}) }

// InverseMills is φ(x)/Φ(x), the inverse Mills ratio of −x: the derivative of
// [Node.LogNdtr].
func (n *Node) InverseMills() *Node { return n.op1("inverse_mills", Attr{}) }

// NdtrInv is the standard normal quantile function Φ⁻¹ on [0, 1], infinite at the
// ends, as is its derivative; NaN outside.
func (n *Node) NdtrInv() *Node { return n.op1("ndtr_inv", Attr{}) }

// Gelu is the Gaussian error linear unit x·Φ(x); at −∞ it is NaN.
func (n *Node) Gelu() *Node { return n.Mul(n.Ndtr()) }

// leftTail is where the continued fraction takes over from the error function:
// there its terms give full precision, while Φ is far from the smallest number.
const leftTail = -5

// inverseMills is φ(x)/Φ(x) = √(2/π) e^(−x²/2)/erfc(−x/√2), and far on the left a continued
// fraction.
func inverseMills(dst, x []float64) {
	var room [2][stretch]float64
	for len(x) > 0 {
		n := min(len(x), stretch)
		density, tail := room[0][:n], room[1][:n]
		kernels.MulEach(density, x[:n], x[:n])
		kernels.Scale(density, density, -0.5)
		kernels.Exp(density, density)
		kernels.Scale(density, density, math.Sqrt2/math.SqrtPi)
		kernels.DivScalar(tail, x[:n], -math.Sqrt2)
		kernels.Erfc(tail, tail)
		kernels.Div(density, density, tail)
		left := false
		for i, v := range x[:n] {
			tail[i] = max(-v, -leftTail)
			left = left || v < leftTail
		}
		if left {
			millsFraction(tail)
		}
		for i, v := range x[:n] {
			dst[i] = density[i]
			if v < leftTail {
				dst[i] = tail[i]
			}
		}
		dst, x = dst[n:], x[n:]
	}
}

// millsFraction replaces t by φ(t)/Φ(−t) = t + 1/(t + 2/(t + 3/(t + …))) for t ≥ 5
// (Abramowitz and Stegun 26.2.14), at most [stretch] numbers.
func millsFraction(t []float64) {
	const terms = 60
	var room [stretch]float64
	f := room[:len(t)]
	copy(f, t)
	for k := terms; k > 0; k-- {
		kernels.ScalarDiv(f, float64(k), f)
		kernels.Add(f, f, t)
	}
	copy(t, f)
}
