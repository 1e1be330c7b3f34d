package main

import "math"

// elementary are the kernels of logarithms and exponentials.
var elementary = []emitter{
	function("log", "the natural logarithm.", (*machine).log),
	function("log1p", "ln(1+x).", (*machine).log1p),
	function("expm1", "e^x − 1.", (*machine).expm1),
	function("softplus", "ln(1+e^x).", (*machine).softplus),
	function("tanh", "the hyperbolic tangent.", (*machine).tanh),
}

const (
	magnitude = 1<<63 - 1 // all bits but the sign
	sign      = 1 << 63
	one       = 0x3FF << 52 // the bits of 1
	nan       = bits(0x7FF8000000000001)

	normal = 0x1p-1022        // the smallest normal number
	magic  = 0x1.8p52         // rounds to an integer, which the low bits then hold
	ln2Top = 0x1.62e42feep-01 // ln 2 with 33 bits, exact times an exponent
	ln2Low = 0x1.a39ef35793c76p-33
)

var inf = math.Inf(1)

// The coefficients here and in the other files are those of coefficients.py.

// expCoefficients are of (e^r−1−r)/r² for |r| ≤ ½ ln 2, to 2⁻⁵⁹.
var expCoefficients = []float64{
	0.5, 0.1666666666666667, 0.04166666666666667, 0.008333333333326136, 0.0013888888888883748,
	0.00019841269874820627, 2.4801587325547743e-05, 2.7557255400206422e-06, 2.75572736431103e-07,
	2.5105217004720745e-08, 2.0914686968086876e-09,
}

// logCoefficients are of (2 artanh(s)/s − 2)/s² as a polynomial of s², for s up to
// (√2−1)/(√2+1), to 2⁻⁵¹.
var logCoefficients = []float64{
	0.666666666666667, 0.39999999999899444, 0.2857142862600327, 0.22222211130259878,
	0.18182889455674947, 0.15331710618210773, 0.14616585424888623,
}

// log2Coefficients are the same for s up to ⅓, to 2⁻⁵⁸.
var log2Coefficients = []float64{
	0.6666666666666666, 0.3999999999999952, 0.28571428571600266, 0.22222222198216113,
	0.1818181989926796, 0.15384543917753166, 0.13335179661515711, 0.11734265179376593,
	0.10845291032779812, 0.07491639460673266, 0.15631534707431224,
}

// reduce writes x as k·ln 2 + r with |r| ≤ ½ ln 2. The low bits of t hold k.
func (m *machine) reduce(x vector) (t, r vector) {
	t = m.fma(x, math.Log2E, magic)
	k := m.sub(t, magic)
	r = m.copy(x)
	m.subMul(r, k, ln2Top)
	m.subMul(r, k, ln2Low)
	return t, r
}

// expm1Reduced is e^r − 1 for |r| ≤ ½ ln 2.
func (m *machine) expm1Reduced(r vector) vector {
	p := m.poly(r, expCoefficients...)
	return m.mulAdd(p, m.mul(r, r), r)
}

// power2 is 2^k, for k in the low bits of t between −1022 and 1023.
func (m *machine) power2(t vector) vector { return m.addInt(m.left(t, 52), bits(one)) }

// expm1Parts is e^x − 1 = s·p + (s−1), with s = 2^k.
func (m *machine) expm1Parts(x vector) (t, p, s vector) {
	t, r := m.reduce(x)
	return t, m.expm1Reduced(r), m.power2(t)
}

// expm1 keeps the sign of 0, and treats what s cannot hold and what is −1 apart.
func (m *machine) expm1(x vector) vector {
	t, p, s := m.expm1Parts(x)
	v := m.fma(s, p, m.sub(s, 1))
	v = m.or(v, m.and(x, bits(sign)))
	out := m.cmp(m.and(x, bits(magnitude)), nle, 709)
	m.ifAny(out, func() {
		half := m.addInt(m.left(t, 52), bits(one-1<<52))
		m.mulAdd(p, half, half)
		m.set(v, m.cmp(x, gt, 709), m.add(p, p))
		m.set(v, m.cmp(x, ge, 7.09782712893383973096e+02), inf) // as in math.Expm1
		m.set(v, m.cmp(x, lt, -709), -1)
	})
	return v
}

// expNegative is e^x for x ≤ 0 or NaN, with gradual underflow.
func (m *machine) expNegative(x vector) vector {
	x = m.max(-746, x)
	t, r := m.reduce(x)
	p := m.expm1Reduced(r)
	p = m.add(p, 1)
	v := m.addInt(p, m.left(t, 52))
	low := m.cmp(x, lt, -708)
	m.ifAny(low, func() { // 2^(k+64)·e^r, which is normal, times 2^−64
		w := m.addInt(p, m.left(t, 52))
		w = m.addInt(w, bits(64<<52))
		m.set(v, low, m.mul(w, 0x1p-64))
	})
	m.set(v, m.cmp(x, unordered, x), x)
	return v
}

// split writes a positive normal x as 2^k·c with c between √½ and √2. The number k
// comes as an integer with the bias of an exponent, and c as a number.
func (m *machine) split(x vector) (k, c vector) {
	const root = 0x3FE6A09E667F3BCD // the bits of √½
	u := m.addInt(x, bits(one-root))
	k = m.right(u, 52)
	c = m.addInt(m.and(u, bits(1<<52-1)), bits(root))
	return k, c
}

// number turns a biased exponent into a number; bias is 2⁵² + 1023, or more where the
// exponent is to be smaller.
func (m *machine) number(k vector, bias arg) vector {
	return m.sub(m.or(k, bits(0x433<<52)), bias)
}

// exponentBias is the bias of split.
const exponentBias = 0x1p52 + 1023

// logReduced is k·ln 2 + ln(1+f): with s = f/(2+f), ln(1+f) is 2 artanh(s) = f − f²/2 +
// s·(f²/2 + s²·P(s²)).
func (m *machine) logReduced(k, f vector, c []float64) vector {
	s := m.div(f, m.add(f, 2))
	z := m.mul(s, s)
	half := m.mul(m.mul(f, 0.5), f)
	p := m.poly(z, c...)
	m.mulAdd(p, z, half)
	if k == nil {
		m.mulSub(p, s, half)
		return m.add(p, f)
	}
	low := m.mul(k, ln2Low)
	m.mulAdd(p, s, low)
	v := m.add(m.sub(p, half), f)
	m.addMul(v, k, ln2Top)
	return v
}

// log scales subnormal numbers, and sets what has no finite logarithm, apart.
func (m *machine) log(x vector) vector {
	scaled, bias := m.copy(x), m.reg(exponentBias)
	odd := m.either(m.cmp(x, nge, normal), m.cmp(x, eq, inf))
	m.ifAny(odd, func() {
		small := m.cmp(x, lt, normal)
		m.set(scaled, small, m.mul(x, 0x1p54))
		m.set(bias, small, exponentBias+54)
	})
	k, c := m.split(scaled)
	v := m.logReduced(m.number(k, bias), m.sub(c, 1), logCoefficients)
	m.ifAny(odd, func() {
		m.set(v, m.cmp(x, lt, 0), nan)
		m.set(v, m.cmp(x, eq, 0), -inf)
		m.set(v, m.cmp(x, eq, inf), inf)
		m.set(v, m.cmp(x, unordered, x), x)
	})
	return v
}

// log1pOf is ln(high+low), for low much smaller than high, normal and positive. With
// high = 2^k·c, f = (c−1) + 2^−k·low; for k = 0 it is exact if high+low−1 is a number.
func (m *machine) log1pOf(high, low vector) vector {
	k, c := m.split(high)
	inverse := m.mul(m.left(m.subInt(bits(2*1023+1), k), 52), 0.5) // 0 for k = 1024
	f := m.sub(c, 1)
	m.addMul(f, low, inverse)
	return m.logReduced(m.number(k, exponentBias), f, logCoefficients)
}

// twoSum is a + b and its rounding error.
func (m *machine) twoSum(a, b arg) (sum, rest vector) {
	sum = m.add(a, b)
	t := m.sub(sum, a)
	rest = m.add(m.sub(a, m.sub(sum, t)), m.sub(b, t))
	return sum, rest
}

// log1p keeps the sign of 0, and sets what has no finite result apart.
func (m *machine) log1p(x vector) vector {
	v := m.log1pOf(m.twoSum(1, x))
	v = m.or(v, m.and(x, bits(sign)))
	odd := m.either(m.cmp(x, ngt, -1), m.cmp(x, eq, inf))
	m.ifAny(odd, func() {
		m.set(v, m.cmp(x, lt, -1), nan)
		m.set(v, m.cmp(x, eq, -1), -inf)
		m.set(v, m.cmp(x, eq, inf), inf)
		m.set(v, m.cmp(x, unordered, x), x)
	})
	return v
}

// softplus is max(x, 0) + ln(1+e^−|x|).
func (m *machine) softplus(x vector) vector {
	e := m.expNegative(m.or(x, bits(sign)))
	v := m.logReduced(nil, e, log2Coefficients)
	return m.add(v, m.max(0, x))
}

// tanh is q = e/(e+2) with e = e^2|x| − 1, corrected by what the rounding of e has
// left, divided by e+2 = 2/(1−q); it is 1 − 2/(e+2) where that is more accurate.
func (m *machine) tanh(x vector) vector {
	a := m.and(x, bits(magnitude))
	_, p, s := m.expm1Parts(m.min(44, m.add(a, a)))
	below := m.sub(s, 1)
	top, bottom := m.fma(s, p, below), m.fma(s, p, m.add(s, 1))
	large := m.cmp(a, gt, 0.6)
	q := m.div(m.choose(large, 2, top), bottom)
	rest := m.mulAdd(p, s, m.sub(below, top))
	v := m.fma(rest, m.fnma(q, 0.5, m.reg(0.5)), q)
	m.set(v, large, m.sub(1, q))
	return m.or(v, m.and(x, bits(sign)))
}
