package autograd

import (
	"math"

	"tobac/autograd/internal/ir"
)

// The modified Bessel functions of the first kind, as the von Mises distribution
// needs them.
func init() {
	register(
		elementwise1("log_bessel_i0", ir.Unary{F: logBesselI0, Zero: true},
			func(y, x *Node) *Node { return x.BesselRatio() }),
		// Its slope is 1 − A/x − A². Near 0 the quotient is its series, since its own slopes
		// cancel there. For large x the slope is 1/(2x²) with the absolute error 2⁻⁵³.
		elementwise1("bessel_ratio", ir.Unary{F: besselRatio, Zero: true, Bound: 1},
			func(y, x *Node) *Node {
				one, square := x.b.Scalar(1), x.Square()
				near := x.b.Scalar(0.05).Greater(x.Abs())
				small, series := near.Where(square, x.b.Scalar(0)), x.b.Scalar(besselQuotient[0])
				for _, c := range besselQuotient[1:] {
					series = series.Mul(small).AddScalar(c)
				}
				quotient := near.Where(series, y.Div(near.Where(one, x)))
				return one.Sub(quotient).Sub(y.Square())
			}),
	)
}

// besselQuotient are the coefficients of x¹⁰, x⁸, …, 1 in I₁(x)/(x I₀(x)).
var besselQuotient = []float64{-473. / 8847360, 19. / 61440, -11. / 6144, 1. / 96, -1. / 16, 1. / 2}

// LogBesselI0 is ln I₀(x), the logarithm of the modified Bessel function of the
// first kind of order 0, without overflow: about |x| − ln(2π|x|)/2 for large |x|.
// It is even, and its derivative is [Node.BesselRatio].
func (n *Node) LogBesselI0() *Node { return n.op1("log_bessel_i0", Attr{}) }

// BesselRatio is I₁(x)/I₀(x), the mean resultant length of a von Mises distribution
// of concentration x: odd, x/2 near 0, and ±1 at ±∞. Its derivative has an absolute
// error of 2⁻⁵³.
func (n *Node) BesselRatio() *Node { return n.op1("bessel_ratio", Attr{}) }

// besselSeries is where the asymptotic expansion takes over from the power series:
// its smallest term is about e^−2x.
const besselSeries = 20

func logBesselI0(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < besselSeries:
		i0, _ := besselPowers(x)
		return math.Log1p(i0)
	case math.IsInf(x, 1):
		return x
	}
	return x - math.Log(2*math.Pi*x)/2 + math.Log(besselExpansion(0, x))
}

func besselRatio(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a < besselSeries:
		i0, i1 := besselPowers(a)
		a = a / 2 * i1 / (1 + i0)
	case math.IsInf(a, 1):
		a = 1
	default:
		a = besselExpansion(1, a) / besselExpansion(0, a)
	}
	return math.Copysign(a, x)
}

// besselPowers sums the power series I₀ − 1 = Σ_{k≥1} (x²/4)ᵏ/k!² and
// I₁·2/x = Σ_{k≥0} (x²/4)ᵏ/(k! (k+1)!), whose terms are positive.
func besselPowers(x float64) (i0, i1 float64) {
	t := x * x / 4
	term := 1.0
	i1 = 1
	for k := 1.0; term > 0x1p-60*i1; k++ {
		term *= t / (k * k)
		i0 += term
		i1 += term / (k + 1)
	}
	return i0, i1
}

// besselExpansion is I_ν(x)·√(2πx)·e^−x for ν = 0 or 1 and large x: the sum of
// (−1)ᵏ Π_{j≤k} (4ν² − (2j−1)²) / (k! (8x)ᵏ) (Abramowitz and Stegun 9.7.1).
func besselExpansion(order, x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; k < 30 && math.Abs(term) > 0x1p-60; k++ {
		odd := 2*k - 1
		term *= (odd*odd - 4*order*order) / (k * 8 * x)
		sum += term
	}
	return sum
}
