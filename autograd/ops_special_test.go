package autograd_test

import (
	"math"
	"math/rand/v2"

	ad "tobac/autograd"
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
			nodes = append(nodes, struct{ s, weight float64 }{s, s * math.Pi / 2 * math.Cosh(u) * step})
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

func erfc(x float64) float64 {
	return 2 * tail(math.Sqrt2*x)
}

func logNdtr(x float64) float64 {
	if x > 0 {
		return math.Log1p(-tail(x))
	}
	return -x*x/2 - math.Log(2*math.Pi)/2 + math.Log(mills(-x))
}

// quantile is the normal one, by Newton's method.
func quantile(p float64) float64 {
	x := 0.0
	for range 8 {
		x -= (tail(-x) - p) / normalDensity(x)
	}
	return x
}

// each adds points at which every element is compared for itself.
func (r row) each(name string, x, want []float64) row {
	r.spots = append(r.spots, spot{name: name, shapes: []ad.Shape{{len(x)}}, at: [][]float64{x}, want: want, each: true})
	return r
}

func normalRows() []row {
	erf := func(x float64) float64 { return 1 - erfc(x) }
	slope := 2 / math.Sqrt(math.Pi)

	// Φ⁻¹ in the left tail, by its values: p = Φ(−t) at t = 1, …, 37.
	var p, t []float64
	for k := 1.; k < 38; k++ {
		p, t = append(p, tail(k)), append(t, -k)
	}
	return []row{
		unary("erf", (*ad.Node).Erf, erf, nil).
			at("zero and infinite", []float64{0, inf, -inf}, []float64{0, 1, -1}, []float64{slope, 0, 0}).
			each("small", []float64{1e-10, -1e-300}, []float64{1e-10 * slope, -1e-300 * slope}).
			wide(0.5, 7, erf),
		unary("erfc", (*ad.Node).Erfc, erfc, nil).
			at("zero and infinite", []float64{0, inf, -inf}, []float64{1, 0, 2}, []float64{-slope, 0, 0}).
			wide(-7, 25, erfc),
		unary("erfinv", (*ad.Node).ErfInv, func(x float64) float64 { return quantile((1+x)/2) / math.Sqrt2 }, within(-0.9, 0.9)).
			at("zero", []float64{0}, []float64{0}, []float64{1 / slope}).
			at("the ends", []float64{1, -1}, []float64{inf, -inf}, []float64{inf, inf}).
			at("outside", []float64{1.5, -2, inf, nan}, []float64{nan, nan, nan, nan}, nil).
			each("small", []float64{1e-300, -1e-10}, []float64{1e-300 / slope, -1e-10 / slope}),
		unary("log_ndtr", (*ad.Node).LogNdtr, logNdtr, within(-9, 4)).
			at("zero", []float64{0}, []float64{-math.Ln2}, []float64{2 / math.Sqrt(2*math.Pi)}).
			at("infinite", []float64{inf, -inf}, []float64{0, -inf}, []float64{0, inf}).
			at("far left", []float64{-1e100}, []float64{-0.5e200}, []float64{1e100}).
			wide(-60, 12, logNdtr),
		unary("inverse_mills", (*ad.Node).InverseMills, inverseMills, within(-9, 4)).
			at("zero", []float64{0}, []float64{2 / math.Sqrt(2*math.Pi)}, []float64{-2 / math.Pi}).
			at("infinite", []float64{inf, -inf}, []float64{0, inf}, nil).
			each("far left", []float64{-1e8, -1e300}, []float64{1e8, 1e300}).
			wide(-60, 12, inverseMills),
		unary("ndtr_inv", (*ad.Node).NdtrInv, quantile, within(0.02, 0.98)).
			at("one half", []float64{0.5}, []float64{0}, []float64{math.Sqrt(2 * math.Pi)}).
			at("the ends", []float64{1, 0}, []float64{inf, -inf}, []float64{inf, inf}).
			at("outside", []float64{1.5, -0.1, inf, nan}, []float64{nan, nan, nan, nan}, nil).
			each("left tail", p, t),
	}
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

func besselRows() []row {
	ratio := func(x float64) float64 { return scaledI1(x) / scaledI0(x) }
	logI0 := func(x float64) float64 { return math.Abs(x) + math.Log(scaledI0(x)) }
	return []row{
		unary("log_bessel_i0", (*ad.Node).LogBesselI0, logI0, within(-25, 25)).
			at("zero", []float64{0}, []float64{0}, []float64{0}).
			at("large", []float64{1e300, -1e300, inf}, []float64{1e300, 1e300, inf}, []float64{1, -1, 1}).
			each("small", []float64{1e-8, -1e-150}, []float64{0.25e-16, 0.25e-300}).
			wide(1, 60, logI0),
		unary("bessel_ratio", (*ad.Node).BesselRatio, ratio, within(-25, 25)).
			at("zero", []float64{0}, []float64{0}, []float64{0.5}).
			at("infinite", []float64{inf, -inf}, []float64{1, -1}, []float64{0, 0}).
			each("small", []float64{1e-300, -1e-10}, []float64{0.5e-300, -0.5e-10}).
			wide(1, 60, ratio),
	}
}

func elementaryRows() []row {
	asinh := func(x float64) float64 {
		return math.Copysign(math.Log(math.Abs(x)+math.Sqrt(x*x+1)), x)
	}
	sinh := func(x float64) float64 { return (math.Exp(x) - math.Exp(-x)) / 2 }
	cosh := func(x float64) float64 { return (math.Exp(x) + math.Exp(-x)) / 2 }
	floor := unary("floor", (*ad.Node).Floor, func(x float64) float64 { return math.RoundToEven(x - 0.5) }, apart).
		at("whole and infinite", []float64{2, -2, 0, inf, -inf, nan}, []float64{2, -2, 0, inf, -inf, nan}, nil)
	floor.constant = true
	for i := range floor.cases { // off the whole numbers
		floor.cases[i].sample = func(rng *rand.Rand, _, size int) []float64 { return apart(rng, 1, size) }
	}

	angle := binary("atan2", (*ad.Node).Atan2, func(y, x float64) float64 { return 2 * math.Atan(y/(math.Hypot(x, y)+x)) }, offZero).
		pairs("the axes", []float64{0, 1, 0, -1}, []float64{1, 0, -2, 0}, []float64{0, math.Pi / 2, math.Pi, -math.Pi / 2},
			[]float64{1, 0, -0.5, 0}, []float64{0, -1, 0, 1}).
		pairs("the origin", []float64{0}, []float64{0}, []float64{0}, []float64{nan}, []float64{nan})
	power := binary("power", (*ad.Node).Power, func(x, y float64) float64 { return math.Exp(y * math.Log(x)) },
		func(rng *rand.Rand, i, size int) []float64 {
			if i == 0 {
				return within(0.3, 3)(rng, i, size)
			}
			return normals(rng, size)
		}).
		pairs("base zero", []float64{0, 0, 0, 0}, []float64{0, 1, 2, 0.5}, []float64{1, 0, 0, 0}, []float64{0, 1, 0, inf}, []float64{0, 0, 0, 0}).
		pairs("base zero, negative exponent", []float64{0}, []float64{-1}, []float64{inf}, []float64{-inf}, []float64{nan}).
		pairs("negative base", []float64{-2, -2, -2}, []float64{3, 0, 0.5}, []float64{-8, 1, nan}, []float64{12, 0, nan}, []float64{nan, nan, nan}).
		pairs("exponent zero", []float64{1e300, 3}, []float64{0, 0}, []float64{1, 1}, []float64{0, 0}, []float64{300 * math.Ln10, math.Log(3)})
	plus := binary("logaddexp", (*ad.Node).LogAddExp, func(x, y float64) float64 { return math.Log(math.Exp(x) + math.Exp(y)) }, nil).
		pairs("large", []float64{1000, -1000, 800}, []float64{1000, -1000, -800}, []float64{1000 + math.Ln2, -1000 + math.Ln2, 800}, []float64{0.5, 0.5, 1}, []float64{0.5, 0.5, 0}).
		pairs("an operand at -Inf", []float64{-inf, 3}, []float64{2, -inf}, []float64{2, 3}, []float64{0, 1}, []float64{1, 0}).
		pairs("both at -Inf", []float64{-inf}, []float64{-inf}, []float64{-inf}, []float64{nan}, []float64{nan}).
		pairs("an operand at +Inf", []float64{inf, inf}, []float64{1, inf}, []float64{inf, inf}, []float64{1, nan}, []float64{0, nan}).
		pairs("NaN", []float64{nan, inf}, []float64{1, nan}, []float64{nan, nan}, nil, nil)
	return []row{
		floor, angle, power, plus,
		unary("tan", (*ad.Node).Tan, func(x float64) float64 { return math.Sin(x) / math.Cos(x) }, within(-1.2, 1.2)).
			at("zero", []float64{0, inf}, []float64{0, nan}, []float64{1, nan}).
			wide(-1.5, 1.5, func(x float64) float64 { return math.Sin(x) / math.Cos(x) }),
		unary("sinh", (*ad.Node).Sinh, sinh, nil).
			at("zero and large", []float64{0, 1000, -1000}, []float64{0, inf, -inf}, []float64{1, inf, inf}).
			each("small", []float64{1e-10, -1e-300}, []float64{1e-10, -1e-300}).
			wide(1, 700, sinh),
		unary("asinh", (*ad.Node).Asinh, asinh, nil).
			at("zero and large", []float64{0, inf, -inf}, []float64{0, inf, -inf}, []float64{1, 0, 0}).
			each("small", []float64{1e-10, -1e-300}, []float64{1e-10, -1e-300}).
			wide(-700, 700, asinh),
		unary("cosh", (*ad.Node).Cosh, cosh, nil).
			at("zero and large", []float64{0, 1000, -1000}, []float64{1, inf, inf}, []float64{0, inf, -inf}).
			wide(-700, 700, cosh),
		unary("logit", (*ad.Node).Logit, func(x float64) float64 { return math.Log(x) - math.Log(1-x) }, within(0.05, 0.95)).
			at("one half", []float64{0.5}, []float64{0}, []float64{4}).
			at("the ends", []float64{0, 1}, []float64{-inf, inf}, []float64{inf, inf}).
			at("outside", []float64{-0.5, 1.5, nan}, []float64{nan, nan, nan}, nil).
			each("small, and near one half", []float64{1e-300, 0.5 + 0x1p-40}, []float64{-300 * math.Ln10, 0x1p-38}).
			wide(0.01, 0.45, func(x float64) float64 { return math.Log(x) - math.Log1p(-x) }),
	}
}

func comparisonRows() []row {
	truth := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	// whole draws from few numbers, so that operands tie and are zero often.
	whole := func(rng *rand.Rand, _, size int) []float64 {
		x := make([]float64, size)
		for e := range x {
			x[e] = float64(rng.IntN(3) - 1)
		}
		return x
	}
	x, y := []float64{2, inf, inf, 0, nan, 1}, []float64{2, inf, -inf, math.Copysign(0, -1), 0, nan}
	rows := []row{
		binary("equal", (*ad.Node).Equal, func(x, y float64) float64 { return 1 - math.Min(1, math.Abs(x-y)) }, whole).
			pairs("ties and NaN", x, y, []float64{1, 1, 0, 1, nan, nan}, nil, nil),
		binary("at_least", (*ad.Node).AtLeast, func(x, y float64) float64 { return truth(math.Max(x, y) == x) }, whole).
			pairs("ties and NaN", x, y, []float64{1, 1, 1, 1, nan, nan}, nil, nil),
		binary("and", (*ad.Node).And, func(x, y float64) float64 { return truth(x*y != 0) }, whole).
			pairs("infinite and NaN", x, y, []float64{1, 1, 1, 0, nan, nan}, nil, nil),
		binary("or", (*ad.Node).Or, func(x, y float64) float64 { return truth(math.Abs(x)+math.Abs(y) != 0) }, whole).
			pairs("infinite and NaN", x, y, []float64{1, 1, 1, 0, nan, nan}, nil, nil),
	}
	for i := range rows {
		rows[i].constant = true
	}
	return rows
}
