package main

// gamma are the kernels of the gamma function and its logarithmic derivative.
var gamma = []emitter{
	function("logGamma", "ln Γ(x) for x ≥ 0.", (*machine).logGamma),
	function("digamma", "the derivative of ln Γ(x) for x ≥ 0.", (*machine).digamma),
}

// stirlingFrom is where asymptotic series begin.
const stirlingFrom = 8

// gammaCoefficients are of ln Γ(2+w)/w for |w| ≤ ½, to 2⁻⁶⁰.
var gammaCoefficients = []float64{
	0.42278433509846713, 0.32246703342411326, -0.0673523010531981, 0.02058080842778038,
	-0.0073855510286719986, 0.002890510331034267, -0.0011927539118428156, 0.0005096695154115458,
	-0.00022315475400520507, 9.945767355819498e-05, -4.49263133791557e-05, 2.0505590755833454e-05,
	-9.438715099211532e-06, 4.38470440459836e-06, -2.0439048107029907e-06, 9.200527894968101e-07,
	-4.3252393445604814e-07, 2.78740805211359e-07, -1.3219945666117874e-07,
}

// stirlingCoefficients are of x·(ln Γ(x) − (x−½)·ln x + x − ½·ln 2π) as a polynomial of
// 1/x², for x ≥ 8, to 2⁻⁶⁰.
var stirlingCoefficients = []float64{
	0.08333333333333333, -0.002777777777773988, 0.0007936507897524059, -0.0005952365845057049,
	0.0008414700852503147, -0.001890382993887715, 0.005065905360156132,
}

// digammaCoefficients are of ψ(1.5+w)/(1.5+w−x₀) for |w| ≤ ½, to 2⁻⁵⁸, with the zero
// x₀ = digammaZeroTop + digammaZeroLow.
var digammaCoefficients = []float64{
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

// digammaTail are of x²·(ln x − 1/(2x) − ψ(x)) as a polynomial of 1/x², for x ≥ 8, to
// 2⁻⁵⁶.
var digammaTail = []float64{
	0.08333333333333333, -0.008333333333278636, 0.0039682539119537084, -0.0041666448230497,
	0.007571689620283902, -0.020697987372370493, 0.06362150587634356,
}

// logGamma is, below stirlingFrom, with the integer n next to x and w = x − n, ln Γ(2+w)
// plus the logarithm of x−1, ..., x−(n−2), or less that of x, or x and x+1; above it is
// Stirling's series. Zeros at 1 and 2 lose nothing, for there w and ln x are small.
func (m *machine) logGamma(x vector) vector {
	large := m.cmp(x, ge, stirlingFrom)
	n := m.round(x)
	w := m.sub(x, n)
	product := m.choose(large, x, m.reg(1))
	for j := 1; j <= stirlingFrom-2; j++ {
		factor := m.both(m.cmp(n, ge, j+2), m.cmp(x, lt, stirlingFrom))
		m.set(product, factor, m.mul(product, m.sub(x, j)))
	}
	below := m.cmp(n, le, 1)
	m.set(product, below, x)
	m.set(product, m.cmp(n, eq, 0), m.fma(x, x, x))
	l := m.log(product)

	v := m.mul(m.poly(w, gammaCoefficients...), w)
	m.set(l, below, m.xor(l, bits(sign)))
	v = m.add(v, l)
	m.ifAny(large, func() {
		y := m.div(1, x)
		series := m.mul(m.poly(m.mul(y, y), stirlingCoefficients...), y)
		series = m.add(series, 0.4189385332046727) // ½·ln 2π − ½
		m.addMul(series, m.sub(x, 0.5), m.sub(l, 1))
		m.set(v, large, series)
	})
	m.gammaSpecial(v, x, inf, inf)
	return v
}

// gammaSpecial sets v where x is not positive, infinite or NaN.
func (m *machine) gammaSpecial(v, x vector, atZero, atInfinity float64) {
	odd := m.either(m.cmp(x, ngt, 0), m.cmp(x, eq, inf))
	m.ifAny(odd, func() {
		m.set(v, odd, nan)
		m.set(v, m.cmp(x, eq, 0), atZero)
		m.set(v, m.cmp(x, eq, inf), atInfinity)
	})
}

// digamma is, below 3, (y−x₀)·R(y) for y in [1, 2], with ψ(x) = ψ(x+1) − 1/x or
// ψ(x−1) + 1/(x−1); above, the asymptotic series, from x+5 on by the sum of five
// reciprocals as a quotient.
func (m *machine) digamma(x vector) vector {
	small, middle := m.cmp(x, lt, 1), m.cmp(x, ge, 2)
	y := m.copy(x)
	m.set(y, small, m.add(x, 1))
	m.set(y, middle, m.sub(x, 1))
	w := m.sub(m.sub(y, digammaZeroTop), digammaZeroLow)
	v := m.mul(m.poly(m.sub(y, 1.5), digammaCoefficients...), w)
	beside := m.reg(inf) // whose reciprocal is added
	m.set(beside, small, m.xor(x, bits(sign)))
	m.set(beside, middle, y)
	v = m.add(v, m.div(1, beside))

	large := m.cmp(x, ge, 3)
	m.ifAny(large, func() { m.set(v, large, m.digammaLarge(x)) })
	m.gammaSpecial(v, x, -inf, inf)
	return v
}

// digammaLarge is ψ(x) for x ≥ 3.
func (m *machine) digammaLarge(x vector) vector {
	shifted := m.cmp(x, lt, stirlingFrom)
	top, bottom := m.reg(1), m.copy(x)
	for j := 1; j < 5; j++ {
		factor := m.add(x, j)
		m.mulAdd(top, factor, bottom)
		bottom = m.mul(bottom, factor)
	}
	shift := m.keep(shifted, m.div(top, bottom))
	z := m.copy(x)
	m.set(z, shifted, m.add(x, 5))
	r := m.div(1, z)
	series := m.poly(m.mul(r, r), digammaTail...)
	m.mulAdd(series, r, m.reg(0.5))
	v := m.sub(m.log(z), shift)
	m.subMul(v, series, r)
	return v
}
