package vector_test

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// log is math.Log, which is wrong about subnormal numbers on amd64 in Go 1.26.
func log(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p60) - 60*math.Ln2
	}
	return math.Log(x)
}

// exp is math.Exp, which overflows too early on amd64 in Go 1.26.
func exp(x float64) float64 {
	if x > 709 {
		return math.Exp(x-709) * 8.218407461554972e+307 // e^709
	}
	return math.Exp(x)
}

// sigmoid does not overflow for negative x.
func sigmoid(x float64) float64 {
	if x < 0 {
		return math.Exp(x) / (1 + math.Exp(x))
	}
	return 1 / (1 + math.Exp(-x))
}

func softplus(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// logNdtr is ln Φ(x), from x = −30 on down by the first terms of its asymptotic series.
func logNdtr(x float64) float64 {
	switch {
	case x < -30:
		r := 1 / (x * x)
		return -0.5*x*x - math.Log(-x) - math.Log(2*math.Pi)/2 +
			math.Log1p(-r+3*r*r-15*r*r*r+105*r*r*r*r)
	case x > 0:
		return math.Log1p(-math.Erfc(x/math.Sqrt2) / 2)
	}
	return math.Log(math.Erfc(-x/math.Sqrt2) / 2)
}

// ndtrInv is the normal quantile by gonum, and by bisection of ln Φ for subnormal u.
func ndtrInv(u float64) float64 {
	if !(u >= 0 && u <= 1) {
		return math.NaN()
	}
	if u > 0 && u < 0x1p-1022 {
		a, b := -40., -30.
		for range 60 {
			if c := (a + b) / 2; logNdtr(c) < log(u) {
				a = c
			} else {
				b = c
			}
		}
		return a
	}
	return mathext.NormalQuantile(u)
}

// logGamma and digamma have the domain x ≥ 0.
func logGamma(x float64) float64 {
	switch {
	case x < 0:
		return math.NaN()
	case x < 0x1p-1022:
		return -log(x)
	}
	v, _ := math.Lgamma(x)
	return v
}

// digamma is the asymptotic series from x = 40 on, and below by recurrence to there.
func digamma(x float64) float64 {
	switch {
	case x < 0 || x != x:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case x < 40:
		return digamma(x+1) - 1/x
	}
	r := 1 / (x * x)
	return math.Log(x) - 1/(2*x) - r*(1./12-r*(1./120-r*(1./252-r*(1./240-r/132))))
}
