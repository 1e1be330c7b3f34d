package densities

import "math"

// softplus is ln(1+e^v) and its derivative, the logistic function.
func softplus(v float64) (value, slope float64) {
	if v > 0 {
		e := math.Exp(-v)
		return v + math.Log1p(e), 1 / (1 + e)
	}
	e := math.Exp(v)
	return math.Log1p(e), e / (1 + e)
}

// standardNormals adds the log density of independent parameters N(0, sd) and its
// derivatives.
func standardNormals(grad, x []float64, sd float64) float64 {
	sum, precision := 0.0, 1/(sd*sd)
	for i, v := range x {
		sum += v * v
		grad[i] -= v * precision
	}
	return -0.5 * sum * precision
}

// logSumExp replaces v by its softmax and returns ln Σ e^v.
func logSumExp(v []float64) float64 {
	top := math.Inf(-1)
	for _, a := range v {
		top = math.Max(top, a)
	}
	sum := 0.0
	for i, a := range v {
		v[i] = math.Exp(a - top)
		sum += v[i]
	}
	for i := range v {
		v[i] /= sum
	}
	return top + math.Log(sum)
}

// digamma is the derivative of ln Γ at x > 0: the recurrence up to x ≥ 8, then the
// asymptotic series. gonum's is right to 1e-10 only.
func digamma(x float64) float64 {
	shift := 0.0
	for ; x < 8; x++ {
		shift -= 1 / x
	}
	r := 1 / (x * x)
	series := r * (1./12 - r*(1./120-r*(1./252-r*(1./240-r*(1./132-r*(691./32760-r/12))))))
	return shift + math.Log(x) - 0.5/x - series
}
