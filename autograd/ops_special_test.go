package autograd_test

import (
	"math"
)

// mills is the Mills ratio Φ(−t)/φ(t) = ∫₀^∞ exp(−ts − s²/2) ds for t ≥ 0, by the
// double exponential rule s = exp(π/2 sinh u), whose error is below rounding with
// this step.
func mills(t float64) float64 {
	sum := 0.0
	for _, n := range millsNodes {
		sum += math.Exp(-t*n.s-n.s*n.s/2) * n.weight
	}
	return sum
}

var millsNodes = func() (nodes []struct{ s, weight float64 }) {
	const step = 1. / 24
	for k := -4 * 24; k <= 2*24; k++ {
		u := step * float64(k)
		if s := math.Exp(math.Pi / 2 * math.Sinh(u)); s < 40 { // else nothing is left of exp(−s²/2)
			nodes = append(nodes,
				struct{ s, weight float64 }{s, s * math.Pi / 2 * math.Cosh(u) * step})
		}
	}
	return nodes
}()

func normalDensity(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// tail is Φ(−t).
func tail(t float64) float64 {
	if t < 0 {
		return 1 - tail(-t)
	}
	return normalDensity(t) * mills(t)
}

func inverseMills(x float64) float64 {
	if x > 0 {
		return normalDensity(x) / tail(-x)
	}
	return 1 / mills(-x)
}

func logNdtr(x float64) float64 {
	if x > 0 {
		return math.Log1p(-tail(x))
	}
	return -x*x/2 - math.Log(2*math.Pi)/2 + math.Log(mills(-x))
}

// scaledI0 and scaledI1 are e^−|x| I_ν(x) = 1/π ∫₀^π cos(νθ) exp(x cos θ − |x|) dθ by the
// trapezoidal rule, which converges exponentially.
func scaledI0(x float64) float64 { return besselIntegral(x, func(float64) float64 { return 1 }) }
func scaledI1(x float64) float64 { return besselIntegral(x, math.Cos) }

func besselIntegral(x float64, weight func(float64) float64) float64 {
	const points = 600
	s := 0.0
	for k := range points {
		angle := 2 * math.Pi * (float64(k) + 0.5) / points
		s += weight(angle) * math.Exp(x*math.Cos(angle)-math.Abs(x))
	}
	return s / points
}
