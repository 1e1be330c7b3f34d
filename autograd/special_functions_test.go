package autograd_test

import (
	"math"

	ad "tobac/autograd"
)

// functionMeanings are the functions of the normal distribution, the Bessel functions,
// the elementary functions beyond the first ones, and the comparisons. What integrals
// define is integrated where the integrand is tame, and its asymptote elsewhere.
func functionMeanings() []meaning {
	all := append(normalMeanings(), besselMeanings()...)
	all = append(all, elementaryMeanings()...)
	return append(all, comparisonMeanings()...)
}

func normalMeanings() []meaning {
	bell := func(x float64) float64 { return 2 / math.Sqrt(math.Pi) * math.Exp(-x*x) }
	return []meaning{
		single("erf", "erf", (*ad.Node).Erf, rounded(math.Erf), scaledBySquare(bell)),
		single("erfc", "erfc", (*ad.Node).Erfc, rounded(math.Erfc),
			scaledBySquare(func(x float64) float64 { return -bell(x) })),
		single("erfinv", "erfinv", (*ad.Node).ErfInv, rounded(math.Erfinv),
			rounded(func(x float64) float64 {
				y := math.Erfinv(x)
				return math.Sqrt(math.Pi) / 2 * math.Exp(y*y)
			})),
		single("log_ndtr", "log_ndtr", (*ad.Node).LogNdtr, scaledBySquare(logNdtrOfAll),
			scaledBySquare(inverseMillsOfAll)),
		single("inverse_mills", "inverse_mills", (*ad.Node).InverseMills,
			rounded(inverseMillsOfAll), func(x float64) answer {
				y := inverseMillsOfAll(x)
				return answer{numbers: []float64{-y * (x + y)},
					scale: min(y*(math.Abs(x)+y), math.MaxFloat64)}
			}),
		single("ndtr_inv", "ndtr_inv", (*ad.Node).NdtrInv,
			func(p float64) answer {
				return answer{numbers: []float64{quantileOfAll(p)}, scale: 1}
			},
			func(p float64) answer {
				x := quantileOfAll(p)
				return answer{numbers: []float64{math.Sqrt(2*math.Pi) * math.Exp(x*x/2)},
					condition: 1 + x*x}
			}),
	}
}

// scaledBySquare is a function of e^x², whose exponent is rounded.
func scaledBySquare(f func(float64) float64) func(float64) answer {
	return func(x float64) answer {
		return answer{numbers: []float64{f(x)}, condition: 1 + x*x}
	}
}

// inverseMillsOfAll is expanded where the integral is not resolved, far on the left.
func inverseMillsOfAll(x float64) float64 {
	if x < -1e4 {
		return -x - 1/x + 2/(x*x*x)
	}
	return inverseMills(x)
}

// logNdtrOfAll is ln φ − ln λ there, for the ratio λ = φ/Φ.
func logNdtrOfAll(x float64) float64 {
	if x < -1e4 {
		return -x*x/2 - math.Log(2*math.Pi)/2 - math.Log(inverseMillsOfAll(x))
	}
	return logNdtr(x)
}

// quantileOfAll solves ln Φ(x) = ln p by Newton's method, which converges from the left
// as ln Φ is concave.
func quantileOfAll(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0 || p == 1:
		return math.Inf(int(2*p) - 1)
	case p > 0.5:
		return -quantileOfAll(1 - p)
	}
	x := -math.Sqrt(-2 * logarithm(p))
	for range 20 {
		x -= (logNdtr(x) - logarithm(p)) / inverseMills(x)
	}
	return x
}

func besselMeanings() []meaning {
	slope := func(x float64) answer {
		switch a := besselRatioOfAll(x); {
		case math.Abs(x) < 1e-3:
			return answer{numbers: []float64{0.5 - 3*x*x/16}, scale: 1}
		default:
			return answer{numbers: []float64{1 - a/x - a*a}, scale: 1}
		}
	}
	logarithm := func(x float64) answer {
		a := is(logBesselOfAll(x))
		if !(math.Abs(x) <= besselSeries) { // the logarithm and |x| cancel
			a.scale = 1
		}
		return a
	}
	return []meaning{
		single("log_bessel_i0", "log_bessel_i0", (*ad.Node).LogBesselI0, logarithm,
			rounded(besselRatioOfAll)),
		single("bessel_ratio", "bessel_ratio", (*ad.Node).BesselRatio, rounded(besselRatioOfAll),
			slope),
	}
}

// besselSeries is up to where the first terms of the series are all.
const besselSeries = 0.75

// logBesselOfAll is ln I₀: by its series near 0, the integral, and the expansion.
func logBesselOfAll(x float64) float64 {
	switch a := math.Abs(x); {
	case math.IsInf(a, 1):
		return a
	case a < besselSeries: // I₀ − 1 without cancellation
		t := x * x / 4
		return math.Log1p(t * (1 + t/4*(1+t/9*(1+t/16*(1+t/25*(1+t/36*(1+t/49)))))))
	case a > 1e3:
		return a - math.Log(2*math.Pi*a)/2 +
			math.Log1p(1/(8*a)*(1+9/(16*a)*(1+25/(24*a)*(1+49/(32*a)))))
	default:
		return a + math.Log(scaledI0(x))
	}
}

// besselRatioOfAll is I₁/I₀ likewise.
func besselRatioOfAll(x float64) float64 {
	switch a := math.Abs(x); {
	case a < besselSeries:
		t := x * x / 4
		i0 := 1 + t*(1+t/4*(1+t/9*(1+t/16*(1+t/25*(1+t/36*(1+t/49))))))
		return x / 2 * (1 + t/2*(1+t/6*(1+t/12*(1+t/20*(1+t/30*(1+t/42*(1+t/56))))))) / i0
	case a > 1e3:
		return math.Copysign(1-1/(2*a)*(1+1/(4*a)*(1+1/a*(1+25/(16*a)))), x)
	}
	return scaledI1(x) / scaledI0(x)
}

func elementaryMeanings() []meaning {
	hypotSlope := func(of func(y, x float64) float64) func([]float64) answer {
		return func(v []float64) answer {
			q := 1 / (v[1]*v[1] + v[0]*v[0])
			return is(q * of(v[0], v[1]))
		}
	}
	return []meaning{
		single("tan", "tan", (*ad.Node).Tan, rounded(math.Tan), rounded(func(x float64) float64 {
			return 1 + math.Tan(x)*math.Tan(x)
		})),
		single("sinh", "sinh", (*ad.Node).Sinh, rounded(math.Sinh), rounded(math.Cosh)),
		single("asinh", "asinh", (*ad.Node).Asinh, rounded(math.Asinh),
			rounded(func(x float64) float64 { return 1 / math.Hypot(1, x) })),
		single("cosh", "cosh", (*ad.Node).Cosh, rounded(math.Cosh), rounded(math.Sinh)),
		single("floor", "floor", (*ad.Node).Floor, exact(math.Floor), nil),
		single("logit", "logit", (*ad.Node).Logit, func(x float64) answer {
			return answer{numbers: []float64{logarithm(x) - math.Log1p(-x)}, scale: 1}
		}, rounded(func(x float64) float64 { return 1 / (x * (1 - x)) })),
		several("atan2", "angle", 2, func(x []*ad.Node) *ad.Node { return x[0].Atan2(x[1]) },
			func(x []float64) answer { return is(math.Atan2(x[0], x[1])) },
			hypotSlope(func(_, x float64) float64 { return x }),
			hypotSlope(func(y, _ float64) float64 { return -y })),
		several("power", "power", 2, func(x []*ad.Node) *ad.Node { return x[0].Power(x[1]) },
			func(x []float64) answer { return powerOf(x[0], x[1], 1) },
			func(x []float64) answer {
				if x[1] == 0 {
					return is(0)
				}
				return powerOf(x[0], x[1]-1, x[1])
			},
			func(x []float64) answer {
				return powerOf(x[0], x[1], logarithm(chosen(x[0], x[0], 1)))
			}),
		several("logaddexp", "log of a sum of two", 2, func(x []*ad.Node) *ad.Node {
			return x[0].LogAddExp(x[1])
		},
			logSumExpOf,
			func(x []float64) answer { return is(logistic(x[0] - x[1])) },
			func(x []float64) answer { return is(logistic(x[1] - x[0])) }),
	}
}

func comparisonMeanings() []meaning {
	compared := func(op string, build func(x, y *ad.Node) *ad.Node,
		holds func(a, b float64) bool) meaning {
		return several(op, op, 2, func(x []*ad.Node) *ad.Node {
			return build(x[0], x[1])
		}, func(x []float64) answer {
			switch {
			case math.IsNaN(x[0]) || math.IsNaN(x[1]):
				return is(math.NaN())
			case holds(x[0], x[1]):
				return is(1)
			}
			return is(0)
		})
	}
	return []meaning{
		compared("equal", (*ad.Node).Equal, func(a, b float64) bool { return a == b }),
		compared("at_least", (*ad.Node).AtLeast, func(a, b float64) bool { return a >= b }),
		compared("and", (*ad.Node).And, func(a, b float64) bool { return a != 0 && b != 0 }),
		compared("or", (*ad.Node).Or, func(a, b float64) bool { return a != 0 || b != 0 }),
	}
}
