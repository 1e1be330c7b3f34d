package vector

import "math"

// LogGamma is dst = ln Γ(x) for x ≥ 0, to 8 units in the last place: ∞ of 0 and of ∞,
// NaN of negative x. dst and x have one length; dst may be x.
func (s Set) LogGamma(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, logGamma) {
		return
	}
	logGammaKernel(dst, x, s == AVX512)
}

// gammaNear are the coefficients of ln Γ(2+w)/w for |w| ≤ ½.
var gammaNear = [...]float64{
	0.42278433509846713, 0.32246703342411326, -0.0673523010531981, 0.02058080842778038,
	-0.0073855510286719986, 0.002890510331034267, -0.0011927539118428156, 0.0005096695154115458,
	-0.00022315475400520507, 9.945767355819498e-05, -4.49263133791557e-05, 2.0505590755833454e-05,
	-9.438715099211532e-06, 4.38470440459836e-06, -2.0439048107029907e-06, 9.200527894968101e-07,
	-4.3252393445604814e-07, 2.78740805211359e-07, -1.3219945666117874e-07,
}

// stirling are the coefficients B₂ₖ/(2k(2k−1)) of the asymptotic series of ln Γ in 1/x²,
// times x.
var stirling = [...]float64{1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360,
	1. / 156, -3617. / 122400}

// logGamma is Stirling's series for x ≥ 8; below, with the integer n next to x and w =
// x − n, it is ln Γ(2+w) plus the logarithm of x−1, ..., x−(n−2), or less that of x, or x
// and x+1. Zeros at 1 and 2 lose nothing, for there w and ln x are small, as opposed to
// math.Lgamma.
func logGamma(x float64) float64 {
	switch {
	case x < 0 || x != x:
		return math.NaN()
	case x-x != 0:
		return x
	case x >= 8:
		r := 1 / x
		// ½·ln 2π − ½
		return (x-0.5)*(math.Log(x)-1) + (0.4189385332046727 + r*polynomial(r*r, stirling[:]))
	}
	n := math.RoundToEven(x)
	v := (x - n) * polynomial(x-n, gammaNear[:])
	switch n {
	case 0:
		return v - Log(x*(1+x))
	case 1:
		return v - Log(x)
	}
	product := 1.0
	for j := 1.0; j <= n-2; j++ {
		product *= x - j
	}
	return v + Log(product)
}

// Digamma is dst = ψ(x), the derivative of ln Γ(x), for x ≥ 0, to 8 units in the last
// place: −∞ of 0, ∞ of ∞, NaN of negative x. dst and x have one length; dst may be x.
func (s Set) Digamma(dst, x []float64) {
	if dst = dst[:len(x)]; s.portable(dst, x, digamma) {
		return
	}
	digammaKernel(dst, x, s == AVX512)
}

// digammaNear are the coefficients of ψ(1.5+w)/(1.5+w−x₀) for |w| ≤ ½, with the zero x₀ =
// digammaZeroTop + digammaZeroLow.
var digammaNear = [...]float64{
	0.9510558760318328, -0.4236274212814606, 0.24054248424078697, -0.14840492305388092,
	0.09498872445289039, -0.06192213327548831, 0.040760833940846085, -0.026975796659787055,
	0.017907248317313294, -0.011908220105959716, 0.007927021796868154, -0.005279937255532708,
	0.003518106563802472, -0.0023454947397380833, 0.0015633696313653504, -0.0010364584817312839,
	0.0006909255761282986, -0.00048595039220036254, 0.00032395945401345196, -0.00014480643368061614,
	9.653646261410062e-05, -0.0001782188548855923, 0.00011881232908510335,
}

const (
	digammaZeroTop = 1.4616321449683622
	digammaZeroLow = 9.549995429965697e-17
)

// digammaFar are the coefficients B₂ₖ/2k of the asymptotic series of ln x − 1/(2x) − ψ(x)
// in 1/x², less the first power.
var digammaFar = [...]float64{1. / 12, -1. / 120, 1. / 252, -1. / 240, 1. / 132, -691. / 32760,
	1. / 12, -3617. / 8160}

// digamma reduces x to [1, 2] if it is below 3, and from there on to at least 8.
func digamma(x float64) float64 {
	switch {
	case x < 0 || x != x:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case x < 1:
		return digammaMiddle(x+1) - 1/x
	case x < 2:
		return digammaMiddle(x)
	case x < 3:
		return digammaMiddle(x-1) + 1/(x-1)
	}
	sum := 0.0
	for ; x < 8; x++ {
		sum += 1 / x
	}
	r := 1 / x
	return math.Log(x) - (r*(0.5+r*polynomial(r*r, digammaFar[:])) + sum)
}

// digammaMiddle is ψ(y) for y in [1, 2].
func digammaMiddle(y float64) float64 {
	return (y - digammaZeroTop - digammaZeroLow) * polynomial(y-1.5, digammaNear[:])
}
