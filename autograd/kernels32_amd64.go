//go:build !purego

package autograd

import "tobac/internal/vector"

//go:noescape
func singleLanesAVX2(x *singleMachine, pc int) int

//go:noescape
func singleLanesAVX512(x *singleMachine, pc int) int

//go:noescape
func roundAVX2(dst *float32, x *float64, n int)

// runSingleLanes is runLanes in float32.
func runSingleLanes(x *singleMachine, pc int) int {
	switch kernels {
	case vector.AVX512:
		return singleLanesAVX512(x, pc)
	case vector.AVX2:
		return singleLanesAVX2(x, pc)
	}
	return pc
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
