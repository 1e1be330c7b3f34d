package bcd

import (
	"math"

	"tobac/autograd"
)

// closest is how near to 0, in units of its scale, the horseshoe density is
// evaluated: it is infinite at 0.
const closest = 1e-12

// eulerGamma is Euler's constant.
const eulerGamma = 0.57721566490153286061

// horseshoe is the log density of the horseshoe distribution of scale 1, the
// mixture of N(0, λ²) over λ ~ C⁺(0, 1),
//
//	ln p(x) = ln(e^y E₁(y)) − ½ ln(2π³),   y = x²/2.
var horseshoe = &autograd.Primitive{
	Name: "horseshoe",
	Each: func(autograd.Attr) func(float64) float64 { return logHorseshoe },
	VJP: func(y, ct *autograd.Node) []*autograd.Node {
		return []*autograd.Node{ct.Mul(horseshoeScore.Apply(autograd.Attr{}, y.Operands()[0]))}
	},
}

// horseshoeScore is the derivative of horseshoe, x(1 − 1/(y e^y E₁(y))).
var horseshoeScore = &autograd.Primitive{
	Name: "horseshoe-score",
	Each: func(autograd.Attr) func(float64) float64 { return scoreHorseshoe },
}

func logHorseshoe(x float64) float64 {
	x = awayFromZero(x)
	return math.Log(scaledIntegral(x*x/2)) - 0.5*math.Log(2*math.Pi*math.Pi*math.Pi)
}

func scoreHorseshoe(x float64) float64 {
	x = awayFromZero(x)
	y := x * x / 2
	return x * (1 - 1/(y*scaledIntegral(y)))
}

// awayFromZero is x, or the number of its sign nearest to 0 that is allowed.
func awayFromZero(x float64) float64 {
	if math.Abs(x) < closest {
		return math.Copysign(closest, x)
	}
	return x
}

// scaledIntegral is e^y E₁(y), E₁ the exponential integral, for y > 0: its series
// up to 2, the continued fraction 1/(y+1−1²/(y+3−2²/(y+5−…))) above.
func scaledIntegral(y float64) float64 {
	if !(y < 1e17) { // 1/(y+1) to rounding, or NaN
		return 1 / y
	}
	if y <= 2 {
		sum, term := -eulerGamma-math.Log(y), -1.0
		for k := 1.0; ; k++ {
			term *= -y / k
			sum += term / k
			if math.Abs(term) < 1e-17*k {
				return math.Exp(y) * sum
			}
		}
	}
	// Lentz's method, with numerators −k² and denominators y + 2k + 1.
	b := y + 1
	c, d := math.Inf(1), 1/b
	value := d
	for k := 1.0; ; k++ {
		b += 2
		d = 1 / (b - k*k*d)
		c = b - k*k/c
		value *= c * d
		if math.Abs(c*d-1) < 1e-15 {
			return value
		}
	}
}
