package vector

import "math"

// hyperbolicBlock is the number of elements that are in work at once.
const hyperbolicBlock = 128

// Sinh is the hyperbolic sine of x, to 4 units in the last place, with the special values of
// [math.Sinh]. dst and x have one length; dst may be x.
func (s Set) Sinh(dst, x []float64) {
	s.ofMagnitude(dst, x, Set.Expm1, func(e float64) float64 {
		return (e + e/(e+1)) / 2
	}, math.Sinh, true)
}

// Cosh is the hyperbolic cosine of x, to 4 units in the last place, with the special values of
// [math.Cosh]. dst and x have one length; dst may be x.
func (s Set) Cosh(dst, x []float64) {
	s.ofMagnitude(dst, x, Set.Exp, func(e float64) float64 { return (e + 1/e) / 2 }, math.Cosh,
		false)
}

// ofMagnitude is g(f(|x|)), with the sign of x of an odd function; of large numbers, and of those
// that are none, it is exact(x), as it is of all without kernels for f.
func (s Set) ofMagnitude(dst, x []float64, f func(s Set, dst, x []float64),
	g, exact func(float64) float64, odd bool) {
	if dst = dst[:len(x)]; s.portable(dst, x, exact) {
		return
	}
	var work [hyperbolicBlock]float64
	for len(x) > 0 {
		n := min(len(x), hyperbolicBlock)
		t := work[:n]
		s.Abs(t, x[:n])
		f(s, t, t)
		for i, v := range x[:n] {
			switch {
			case !(math.Abs(v) < 700):
				dst[i] = exact(v)
			case odd:
				dst[i] = math.Copysign(g(t[i]), v)
			default:
				dst[i] = g(t[i])
			}
		}
		dst, x = dst[n:], x[n:]
	}
}

// Asinh is the inverse hyperbolic sine of x, to 4 units in the last place, with the special values
// of [math.Asinh]. dst and x have one length; dst may be x.
func (s Set) Asinh(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, math.Asinh) {
		return
	}
	const large = 1e150 // whose squares overflow nearly
	var work [hyperbolicBlock]float64
	for len(x) > 0 {
		n := min(len(x), hyperbolicBlock)
		t := work[:n]
		for i, v := range x[:n] {
			a := math.Abs(v)
			square := a * a
			t[i] = a + square/(1+math.Sqrt(square+1))
		}
		s.Log1p(t, t)
		for i, v := range x[:n] {
			if math.Abs(v) < large {
				dst[i] = math.Copysign(t[i], v)
			} else {
				dst[i] = math.Asinh(v)
			}
		}
		dst, x = dst[n:], x[n:]
	}
}
