//go:build !purego

package autograd

import (
	"golang.org/x/sys/cpu"
)

//go:noescape
func lanesAVX2(x *laneMachine, pc int) int

//go:noescape
func expAVX2(dst, a *float64, n int) (ok bool)

//go:noescape
func sumExpAVX2(a *float64, n int, shift float64) float64

//go:noescape
func maxAVX2(a *float64, n int) float64

//go:noescape
func uniformAVX2(dst *float64, n int, state *[32]uint64)

// vectorKernels lists the sets that this processor can run, best last.
func vectorKernels() []kernelSet {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		return []kernelSet{avx2}
	}
	return nil
}

var avx2 = kernelSet{
	name:  "avx2",
	lanes: lanesAVX2, rows: maxTileRows,
	exp: expOrScalar,
	sumExp: func(a []float64, shift float64) float64 {
		n := len(a) &^ (vectorLen - 1)
		s := 0.0
		if n > 0 {
			s = sumExpAVX2(&a[0], n, shift)
		}
		return s + sumExp(a[n:], shift)
	},
	max: func(a []float64) float64 {
		n := len(a) &^ (vectorLen - 1)
		if n == 0 {
			return maxOf(a)
		}
		top := maxAVX2(&a[0], n)
		if n < len(a) {
			top = max(top, maxOf(a[n:]))
		}
		return top
	},
}

// expOrScalar leaves arguments outside ±708 to Go. dst does not overlap a.
func expOrScalar(dst, a []float64) {
	if !expAVX2(&dst[0], &a[0], len(dst)) {
		expVec(dst, a)
	}
}

// vectorExp and drawUniform are called directly, so that their operands can stay
// on the stack.

func vectorExp(dst, a []float64) {
	if kernels.lanes == nil {
		expVec(dst, a)
		return
	}
	expOrScalar(dst, a)
}

func drawUniform(dst []float64, state *[32]uint64) {
	if kernels.name == portable.name {
		uniformVec(dst, state)
		return
	}
	uniformAVX2(&dst[0], len(dst), state)
}
