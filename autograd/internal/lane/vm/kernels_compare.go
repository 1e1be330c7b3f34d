package vm

import "math"

// Quotients, extrema and comparisons in portable Go. dst and operands have one length; dst
// may be an operand.

//go:noinline
func div(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] / b[i]
	}
}

//go:noinline
func divideBy(dst, a []float64, b float64) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] = a[i] / b
	}
}

// divideInto is dst = b/a for a number b.
//
//go:noinline
func divideInto(dst, a []float64, b float64) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] = b / a[i]
	}
}

//go:noinline
func larger(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = max(a[i], b[i])
	}
}

//go:noinline
func smaller(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = min(a[i], b[i])
	}
}

//go:noinline
func greater(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i, x := range a {
		dst[i] = indicator(x > b[i], x, b[i])
	}
}

//go:noinline
func atLeast(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i, x := range a {
		dst[i] = indicator(x >= b[i], x, b[i])
	}
}

//go:noinline
func equal(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i, x := range a {
		dst[i] = indicator(x == b[i], x, b[i])
	}
}

// indicator is 1 if a comparison of x with y holds, else 0, NaN if either is.
func indicator(holds bool, x, y float64) float64 {
	switch {
	case holds:
		return 1
	case x != x || y != y:
		return math.NaN()
	}
	return 0
}
