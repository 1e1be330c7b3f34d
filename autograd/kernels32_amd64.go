//go:build !purego

package autograd

import "tobac/internal/vector"

//go:noescape
func singleLanesAVX2(x *singleMachine, pc int) int

//go:noescape
func roundAVX2(dst *float32, x *float64, n int)

// runSingleLanes runs operations of a group in float32, from number pc on, up to
// the first one that is left to Go, and returns that one's number.
func runSingleLanes(x *singleMachine, pc int) int {
	if kernels == vector.Portable {
		return pc
	}
	return singleLanesAVX2(x, pc)
}

// round is dst = x, rounded to the nearest, but below 1 where x is.
func round(dst []float32, x []float64) {
	n := 0
	if kernels != vector.Portable {
		if n = len(dst) &^ 7; n > 0 {
			x = x[:len(dst)]
			roundAVX2(&dst[0], &x[0], n)
		}
	}
	roundGo(dst[n:], x[n:])
}
