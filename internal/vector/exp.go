package vector

import "math"

// block is the number of float64 that assembly takes at a time.
const block = 8

// Exp is dst = e^a, to 2 units in the last place. dst and a have one length and
// do not overlap. An argument outside ±708 may change the last bits of the other
// results.
func (s Set) Exp(dst, a []float64) {
	dst = dst[:len(a)]
	if s == Portable {
		exp(dst, a)
		return
	}
	n := len(a) &^ (block - 1)
	if n > 0 && !s.expBlocks(&dst[0], &a[0], n) { // arguments outside ±708
		exp(dst[:n], a[:n])
	}
	if n < len(a) {
		var arg, e [block]float64
		copy(arg[:], a[n:])
		if !s.expBlocks(&e[0], &arg[0], block) {
			exp(e[:], arg[:])
		}
		copy(dst[n:], e[:])
	}
}

// expBlocks is [Set.Exp] of n numbers, a multiple of block, in assembly. It is
// false, and dst perhaps incomplete, if an argument is outside ±708.
func (s Set) expBlocks(dst, a *float64, n int) bool {
	if s == AVX512 {
		return expAVX512(dst, a, n)
	}
	return expAVX2(dst, a, n)
}

// Sigmoid is dst = 1/(1+e^−x), to 3 units in the last place. dst and x have one
// length; dst may be x. An argument outside ±708 may change the last bits of the other
// results.
func (s Set) Sigmoid(dst, x []float64) {
	var in, out [8 * block]float64
	dst = dst[:len(x)]
	for len(x) > 0 {
		n := copy(in[:], x)
		whole := (n + block - 1) &^ (block - 1)
		clear(in[n:whole])
		if s == Portable || !s.sigmoidBlocks(&out[0], &in[0], whole) {
			sigmoid(out[:n], in[:n])
		}
		copy(dst, out[:n])
		x, dst = x[n:], dst[n:]
	}
}

// sigmoidBlocks is [Set.Sigmoid] of n numbers, a multiple of block, in assembly. It is
// false, and dst perhaps incomplete, if an argument is outside ±708.
func (s Set) sigmoidBlocks(dst, x *float64, n int) bool {
	if s == AVX512 {
		return sigmoidAVX512(dst, x, n)
	}
	return sigmoidAVX2(dst, x, n)
}

// SumExp is Σ e^(a−shift), for a ≤ shift.
func (s Set) SumExp(a []float64, shift float64) float64 {
	if s == Portable || len(a) < block {
		return sumExp(a, shift)
	}
	n := len(a) &^ (block - 1)
	var sum float64
	if s == AVX512 {
		sum = sumExpAVX512(&a[0], n, shift)
	} else {
		sum = sumExpAVX2(&a[0], n, shift)
	}
	return sum + sumExp(a[n:], shift)
}

// Max is the largest number of a; NaN if there is one, −Inf if a is empty.
func (s Set) Max(a []float64) float64 {
	if s == Portable || len(a) < block {
		return maxOf(a)
	}
	n := len(a) &^ (block - 1)
	var top float64
	if s == AVX512 {
		top = maxAVX512(&a[0], n)
	} else {
		top = maxAVX2(&a[0], n)
	}
	if n < len(a) {
		top = max(top, maxOf(a[n:]))
	}
	return top
}

func exp(dst, a []float64) {
	dst = dst[:len(a)]
	for i, v := range a {
		dst[i] = math.Exp(v)
	}
}

// sigmoid divides 1, or e^x for negative x, by 1 + e^−|x|.
func sigmoid(dst, x []float64) {
	for i, v := range x {
		e := math.Exp(-math.Abs(v))
		top := 1.0
		if math.Signbit(v) {
			top = e
		}
		dst[i] = top / (1 + e)
	}
}

func sumExp(a []float64, shift float64) float64 {
	s := 0.0
	for _, x := range a {
		s += math.Exp(x - shift)
	}
	return s
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
