//go:build !purego

package autograd

import (
	"golang.org/x/sys/cpu"
)

//go:noescape
func addAVX2(dst, a, b *float64, n int)

//go:noescape
func subAVX2(dst, a, b *float64, n int)

//go:noescape
func mulAVX2(dst, a, b *float64, n int)

//go:noescape
func mulAddAVX2(dst, a, b *float64, n int)

//go:noescape
func scaleAVX2(dst, a *float64, n int, s float64)

//go:noescape
func affineAVX2(dst, a *float64, n int, s, t float64)

//go:noescape
func lessAVX2(dst, u *float64, n int, p float64)

//go:noescape
func sigmoidShiftAVX2(dst, u *float64, n int, p, q float64)

//go:noescape
func dotAVX2(dst, m, r *float64, w int, terms *laneTerm, k int)

//go:noescape
func dotPairsAVX2(dst, r *float64, w int, terms *laneTerm, k int)

//go:noescape
func reluAVX2(dst, x *float64, n int)

//go:noescape
func positiveAVX2(dst, x *float64, n int)

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
	name: "avx2",
	add:  addAVX2, sub: subAVX2, mul: mulAVX2, mulAdd: mulAddAVX2,
	scale: scaleAVX2, affine: affineAVX2, less: lessAVX2, shift: sigmoidShiftAVX2,
	relu: reluAVX2, positive: positiveAVX2, dot: dotAVX2, dotPairs: dotPairsAVX2,
	exp: func(dst, a []float64) {
		if !expAVX2(&dst[0], &a[0], len(dst)) {
			expVec(dst, a)
		}
	},
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

// drawUniform is called directly, so that state can stay on the stack.
func drawUniform(dst []float64, state *[32]uint64) {
	if kernels.name == portable.name {
		uniformVec(dst, state)
		return
	}
	uniformAVX2(&dst[0], len(dst), state)
}
