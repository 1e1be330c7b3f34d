package figures

import "math"

// meanError is the mean of the numbers that are known, and its standard error: NaN for
// fewer than two.
func meanError(x []float64) (mean, err float64) {
	n, sum := 0.0, 0.0
	for _, v := range x {
		if !missing(v) {
			n++
			sum += v
		}
	}
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	mean = sum / n
	squares := 0.0
	for _, v := range x {
		if !missing(v) {
			squares += (v - mean) * (v - mean)
		}
	}
	return mean, math.Sqrt(squares / (n - 1) / n) // 0/0 is NaN
}

// meanBand is the mean over runs at each of n places, with one standard error below and
// above; where there is one run, the band has no width.
func meanBand(runs [][]float64, n int) (mean, low, high []float64) {
	mean, low, high = make([]float64, n), make([]float64, n), make([]float64, n)
	column := make([]float64, len(runs))
	for k := range n {
		for i, run := range runs {
			column[i] = run[k]
		}
		m, e := meanError(column)
		if math.IsNaN(e) {
			e = 0
		}
		mean[k], low[k], high[k] = m, m-e, m+e
	}
	return mean, low, high
}
