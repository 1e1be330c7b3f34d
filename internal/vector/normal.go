package vector

import "math"

// Erf is the error function of x, to 4 units in the last place, with the special values
// of [math.Erf]. dst and x have one length; dst may be x.
func (s Set) Erf(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, math.Erf) {
		return
	}
	erfKernel(dst, x, s == AVX512)
}

// Erfc is the complementary error function of x, to 4 units in the last place where it
// is a normal number, with the special values of [math.Erfc]. dst and x have one length;
// dst may be x.
func (s Set) Erfc(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, math.Erfc) {
		return
	}
	erfcKernel(dst, x, s == AVX512)
}

// LogNdtr is dst = ln Φ(x), the logarithm of the standard normal distribution function,
// with a relative error of 1e-14 at most wherever it is a normal number. It is −0 at ∞ and
// −∞ at −∞. dst and x have one length; dst may be x.
func (s Set) LogNdtr(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, logNdtr) {
		return
	}
	logNdtrKernel(dst, x, s == AVX512)
}

// logNdtr is ln ½erfc(−x/√2), by an asymptotic series where that underflows.
func logNdtr(x float64) float64 {
	if x < -37 {
		r := 1 / (x * x)
		series := -r * (1 - 3*r*(1-5*r*(1-7*r*(1-9*r))))
		return math.Log1p(series) - math.Log(-x) - 0.9189385332046728 - 0.5*x*x // ½·ln 2π
	}
	if x > 40 {
		return math.Copysign(0, -1)
	}
	const top, low = 0.7071067811865476, -4.833646656726457e-17 // √½
	a := math.Abs(x) * top
	rest := math.FMA(math.Abs(x), top, -a) + math.Abs(x)*low
	// erfc has a large derivative, so that the rounding of its argument counts.
	tail := 0.5 * (math.Erfc(a) - rest*(2/math.SqrtPi)*math.Exp(-a*a))
	if x > 0 {
		return math.Log1p(-tail)
	}
	return math.Log(tail)
}

// NdtrInv is the quantile of u of the standard normal distribution, with a relative error
// of 1e-14 at most: −∞ of 0, ∞ of 1, NaN outside [0, 1]. Of uniform numbers it is normal
// ones. dst and u have one length; dst may be u.
func (s Set) NdtrInv(dst, u []float64) {
	dst = dst[:len(u)]
	if s == Portable {
		each(dst, u, ndtrInv)
		return
	}
	ndtrInvKernel(dst, u)
}

// The rational functions of Wichura, Algorithm AS 241 (Applied Statistics 37, 1988),
// PPND16: numerators and denominators in the middle, and in the tails near and far.
var quantile = [3][2][8]float64{
	{
		{3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
			1.3731693765509461125e+4,
			4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4,
			2.5090809287301226727e+3},
		{1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
			2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
			5.2264952788528545610e+3},
	},
	{
		{1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
			3.64784832476320460504e0,
			1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2,
			7.74545014278341407640e-4},
		{1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
			1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
			1.05075007164441684324e-9},
	},
	{
		{6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
			2.96560571828504891230e-1,
			2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5,
			2.01033439929228813265e-7},
		{1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
			7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
			2.04426310338993978564e-15},
	},
}

// ndtrInv is q·R(0.425² − q²) with q = u − ½ for |q| ≤ 0.425, and in the tails a rational
// function of √(−ln min(u, 1−u)), with the sign of q.
func ndtrInv(u float64) float64 {
	q := u - 0.5
	switch {
	case math.Abs(q) <= 0.425:
		r := 0.180625 - q*q
		return q * polynomial(r, quantile[0][0][:]) / polynomial(r, quantile[0][1][:])
	case u == 0 || u == 1:
		return math.Inf(int(u) - 1 | 1)
	case !(u > 0 && u < 1):
		return math.NaN()
	}
	r, c, from := math.Sqrt(-Log(min(u, 1-u))), &quantile[1], 1.6
	if r > 5 {
		c, from = &quantile[2], 5
	}
	return math.Copysign(polynomial(r-from, c[0][:])/polynomial(r-from, c[1][:]), q)
}

// polynomial is Σ c[i]·x^i by Horner's rule.
func polynomial(x float64, c []float64) float64 {
	p := 0.0
	for i := len(c) - 1; i >= 0; i-- {
		p = p*x + c[i]
	}
	return p
}
