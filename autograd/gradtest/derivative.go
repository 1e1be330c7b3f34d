package gradtest

import "math"

// levels is the number of step sizes, each half of the one before: a step of
// 0.01 goes down to 8e-5, where rounding is still below 1e-11 of the value.
const levels = 8

// Derivative estimates the derivative at 0 of a function of one number from
// central differences at step, step/2, step/4, … (eight of them, the function
// is called sixteen times). The second result is how far the estimate is from
// its neighbours in Richardson's table: a measure of its error, not a bound. If
// the function is not finite at the larger steps they are ignored; if no two
// differences are finite the results are NaN and +Inf. The step must be
// positive.
func Derivative(f func(h float64) float64, step float64) (derivative, uncertainty float64) {
	if !(step > 0) {
		panic("gradtest: step must be positive")
	}
	var d [levels]float64
	for k := range d {
		h := math.Ldexp(step, -k)
		d[k] = (f(h) - f(-h)) / (2 * h)
	}
	return extrapolate(d)
}

// extrapolate is Neville's scheme on central differences at halved steps:
//
//	a(0,k) = D(h/2^k),  a(j,k) = a(j−1,k) + (a(j−1,k) − a(j−1,k−1)) / (4^j − 1).
func extrapolate(d [levels]float64) (best, uncertainty float64) {
	best, uncertainty = math.NaN(), math.Inf(1)
	column := d
	for j := 1; j < levels; j++ {
		next := column
		for k := j; k < levels; k++ {
			next[k] = column[k] + (column[k]-column[k-1])/(math.Ldexp(1, 2*j)-1)
			if e := max(math.Abs(next[k]-column[k]),
				math.Abs(next[k]-column[k-1])); e < uncertainty {
				best, uncertainty = next[k], e
			}
		}
		column = next
	}
	return best, uncertainty
}
