package impute

import "math"

// A prior of the covariance matrix on the standardised scale: inverse Wishart with the scale matrix
// ridge·I and df degrees of freedom, which may be negative.
type prior struct {
	ridge, df float64
}

// newPrior is the one of the package comment for d columns of which any two are both observed in at
// least m rows.
func newPrior(m, d int) prior {
	df := func(ridge float64) float64 {
		r := float64(min(d-1, m-1))
		if r <= 0 {
			return ridge
		}
		share := float64(m*d) / r // mean eigenvalue of the scatter that is not 0
		return ridge - r*share/(share+ridge)
	}
	enough := func(ridge float64) bool { return float64(m)-1+df(ridge) >= float64(d+2) }
	const least = 0.01 // leaves residual variances alone, however strongly columns are correlated
	lower, upper := least, least
	for !enough(upper) {
		lower, upper = upper, 2*upper
	}
	for upper-lower > 1e-9*upper { // df grows with the ridge
		if middle := (lower + upper) / 2; enough(middle) {
			upper = middle
		} else {
			lower = middle
		}
	}
	return prior{ridge: upper, df: df(upper)}
}

// chainLength is the number of iterations that bring an autocorrelation of rate per iteration below
// 1/1000.
func chainLength(rate float64) int {
	const fewest, most = 20, 500
	if !(rate < 1) {
		return most
	}
	if rate <= 0 {
		return fewest
	}
	return int(math.Min(most, math.Max(fewest, math.Ceil(math.Log(1e-3)/math.Log(rate)))))
}
