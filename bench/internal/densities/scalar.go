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
