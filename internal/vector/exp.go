package vector

import "math"

// Exp is dst = e^x, to 1 unit in the last place, 2 for [Portable], with the special
// values of [math.Exp] and gradual underflow. dst and x have one length; dst may be x.
func (s Set) Exp(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, exp) {
		return
	}
	expKernel(dst, x, s == AVX512)
}

// exp is math.Exp, which on some processors overflows too early.
func exp(x float64) float64 {
	if x > 709 {
		const top, low = 1024 * 0x1.62e42feep-01, 1024 * 0x1.a39ef35793c76p-33 // of 1024 ln 2
		return math.Exp(x-top-low) * 0x1p1023 * 2
	}
	return math.Exp(x)
}

// Sigmoid is dst = 1/(1+e^−x), to 2 units in the last place, 3 for [Portable], also where
// it is near 0: 1 at +∞, 0 at −∞, NaN of NaN. dst and x have one length; dst may be x.
func (s Set) Sigmoid(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, sigmoid) {
		return
	}
	sigmoidKernel(dst, x, s == AVX512)
}

// sigmoid divides 1, or e^x for negative x, by 1 + e^−|x|.
func sigmoid(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	if math.Signbit(x) {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// least is the smallest exponent of a term of [Set.SumExp].
const least = -708

// SumExp is Σ e^(a−shift), for a − shift up to 708; terms below e^−708 count as that. Terms
// have the bits that [Set.Exp] gives them, wherever they are. Eight interleaved sums
// are added, 4 apart, then 2, then 1, and then the sum of what is behind the last
// eight terms; [Portable] adds from first to last. The result is 0 if a is empty, and
// NaN if shift or a number of a is.
func (s Set) SumExp(a []float64, shift float64) float64 {
	if s == Portable {
		return sumExp(a, shift)
	}
	n := len(a) &^ (block - 1)
	sum, rest := sumExpKernel(a[:n], shift, s == AVX512), 0.0
	if n == len(a) {
		return sum
	}
	var e [block]float64
	last := e[:len(a)-n]
	for i, v := range a[n:] {
		last[i] = max(v-shift, least)
	}
	s.Exp(last, last)
	for _, v := range last {
		rest += v
	}
	return sum + rest
}

func sumExp(a []float64, shift float64) float64 {
	s := 0.0
	for _, v := range a {
		s += exp(max(v-shift, least))
	}
	return s
}

// Max is the largest number of a, with the same bits on all sets: that of [math.NaN] if
// there is a NaN, +0 if it is a zero of either sign, −∞ if a is empty.
func (s Set) Max(a []float64) float64 {
	n := s.blocks(len(a))
	top := maxOf(a[n:])
	if n > 0 {
		top = max(top, maxAVX2(&a[0], n))
	}
	if top != top {
		return math.NaN()
	}
	return top + 0 // −0 + 0 is 0
}

func maxOf(a []float64) float64 {
	top := math.Inf(-1)
	for _, x := range a {
		if !(x <= top) { // larger, or NaN
			top = x
			if x != x {
				return x
			}
		}
	}
	return top
}
