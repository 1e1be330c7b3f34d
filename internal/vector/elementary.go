package vector

import "math"

// Log is dst = ln x, to 2 units in the last place also of subnormal numbers, with the
// special values of [math.Log]. dst and x have one length; dst may be x.
func (s Set) Log(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, Log) {
		return
	}
	logKernel(dst, x, s == AVX512)
}

// Log is math.Log, which is wrong for subnormal numbers on some processors.
func Log(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// Log1p is dst = ln(1+x), to 2 units in the last place, with the special values of
// [math.Log1p]. dst and x have one length; dst may be x.
func (s Set) Log1p(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, math.Log1p) {
		return
	}
	log1pKernel(dst, x, s == AVX512)
}

// Expm1 is dst = e^x − 1, to 2 units in the last place, with the special values of
// [math.Expm1]. dst and x have one length; dst may be x.
func (s Set) Expm1(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, math.Expm1) {
		return
	}
	expm1Kernel(dst, x, s == AVX512)
}

// Softplus is dst = ln(1+e^x), to 2 units in the last place where it is a normal
// number: x at +∞, 0 at −∞, NaN of NaN. dst and x have one length; dst may be x.
func (s Set) Softplus(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, softplus) {
		return
	}
	softplusKernel(dst, x, s == AVX512)
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// Tanh is the hyperbolic tangent of x, to 2 units in the last place, with the special
// values of [math.Tanh]. dst and x have one length; dst may be x.
func (s Set) Tanh(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, math.Tanh) {
		return
	}
	tanhKernel(dst, x, s == AVX512)
}

// Sqrt is dst = √x, rounded once, with the special values of [math.Sqrt]. dst and x
// have one length; dst may be x.
func (s Set) Sqrt(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, math.Sqrt) {
		return
	}
	sqrtKernel(dst, x)
}

// Abs is dst = |x|. dst and x have one length; dst may be x.
func (s Set) Abs(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, math.Abs) {
		return
	}
	absKernel(dst, x)
}

// Inverse is dst = 1/x, rounded once. dst and x have one length; dst may be x.
func (s Set) Inverse(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, func(x float64) float64 { return 1 / x }) {
		return
	}
	inverseKernel(dst, x)
}

// Maximum is dst = max(x, y), as [math.Max] has it: an infinity is larger than NaN,
// and 0 larger than −0. All have one length; dst may be x or y.
func (s Set) Maximum(dst, x, y []float64) {
	if dst, y = dst[:len(x)], y[:len(x)]; s.portablePair(dst, x, y, math.Max) {
		return
	}
	maximumKernel(dst, x, y)
}

// Minimum is dst = min(x, y), as [math.Min] has it: −∞ is smaller than NaN, and −0
// smaller than 0. All have one length; dst may be x or y.
func (s Set) Minimum(dst, x, y []float64) {
	if dst, y = dst[:len(x)], y[:len(x)]; s.portablePair(dst, x, y, math.Min) {
		return
	}
	minimumKernel(dst, x, y)
}

// MaximumScalar is [Set.Maximum] of x and a number p. dst and x have one length; dst
// may be x.
func (s Set) MaximumScalar(dst, x []float64, p float64) {
	dst = dst[:len(x)]
	ps := one(p)
	if s == Portable {
		each(dst, x, func(x float64) float64 { return math.Max(x, p) })
		return
	}
	maximumKernel(dst, x, ps[:0])
}

// MinimumScalar is [Set.Minimum] of x and a number p. dst and x have one length; dst
// may be x.
func (s Set) MinimumScalar(dst, x []float64, p float64) {
	dst = dst[:len(x)]
	ps := one(p)
	if s == Portable {
		each(dst, x, func(x float64) float64 { return math.Min(x, p) })
		return
	}
	minimumKernel(dst, x, ps[:0])
}
