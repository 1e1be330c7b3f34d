package vector

import "math"

// waveLimit is the largest |x| of which assembly computes sines and cosines.
const waveLimit = 0x1p29

// Sin is dst = sin x, to 2 units in the last place, with the special values of
// [math.Sin]; beyond |x| = 2²⁹ it is math.Sin. dst and x have one length; dst may be x.
func (s Set) Sin(dst, x []float64) {
	dst = dst[:len(x)]
	if s == Portable {
		each(dst, x, math.Sin)
	} else if sinKernel(dst, x, s == AVX512) {
		eachOutside(dst, x, math.Sin)
	}
}

// Cos is dst = cos x, to 2 units in the last place, with the special values of
// [math.Cos]; beyond |x| = 2²⁹ it is math.Cos. dst and x have one length; dst may be x.
func (s Set) Cos(dst, x []float64) {
	dst = dst[:len(x)]
	if s == Portable {
		each(dst, x, math.Cos)
	} else if cosKernel(dst, x, s == AVX512) {
		eachOutside(dst, x, math.Cos)
	}
}

// eachOutside is dst = f(x) where |x| is not at most waveLimit. Elsewhere dst has sines
// or cosines, which x has too if they are one.
func eachOutside(dst, x []float64, f func(float64) float64) {
	for i, v := range x {
		if !(math.Abs(v) <= waveLimit) {
			dst[i] = f(v)
		}
	}
}
