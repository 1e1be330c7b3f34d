package main

// power is the kernel of powers.
var power = []emitter{
	kernel{
		name: "power", vectors: 2, repeat: "y", doc: "x^y.",
		body: func(m *machine, in []vector) vector { return m.pow(in[0], in[1]) },
	},
}

// powCoefficients are of ((2 artanh(s)/s − 2)/s² − ⅔)/s² as a polynomial of s², for s
// up to (√2−1)/(√2+1), to 2⁻⁵⁸; the constant term is 2/3 = thirdsTop + thirdsLow.
var powCoefficients = []float64{
	0.4, 0.28571428571429364, 0.22222222221655885, 0.18181818335392802, 0.1538459496251843,
	0.1333480469384731, 0.11706236339491206, 0.11723178623876518,
}

const (
	thirdsTop = 0.6666666666666666
	thirdsLow = 3.700743415417188e-17
)

// logPair is k·ln 2 + ln c for c between √½ and √2, as a sum high + low with a relative
// error of some 2⁻⁶⁴. With f = c − 1 and s = f/(2+f) it is k·ln 2 + 2s + s·z·t, where
// z = s² and t = ⅔ + z·Q(z); s, z, t and the products are pairs too.
func (m *machine) logPair(k, c vector) (high, low vector) {
	f := m.sub(c, 1)
	d := m.add(f, 2)
	inverse := m.div(1, d)
	s := m.mul(f, inverse)
	sLow := m.fnma(s, d, f)
	m.subMul(sLow, s, m.sub(f, m.sub(d, 2)))
	sLow = m.mul(sLow, inverse)
	s2 := m.add(s, s)

	z := m.mul(s, s)
	zLow := m.fms(s, s, z)
	m.addMul(zLow, s2, sLow)
	q := m.poly(z, powCoefficients...)
	t := m.fma(z, q, m.reg(thirdsTop))
	tLow := m.mulAdd(q, z, m.sub(thirdsTop, t))
	tLow = m.add(tLow, thirdsLow)

	u := m.mul(z, t)
	uLow := m.fms(z, t, u)
	m.addMul(uLow, z, tLow)
	m.addMul(uLow, zLow, t)
	w := m.mul(s, u)
	wLow := m.fms(s, u, w)
	m.addMul(wLow, s, uLow)
	m.addMul(wLow, sLow, u)

	top := m.mul(k, ln2Top)
	h := m.add(top, s2)
	low = m.sub(s2, m.sub(h, top))
	high = m.add(h, w)
	low = m.add(low, m.sub(w, m.sub(high, h)))
	m.addMul(low, k, ln2Low)
	wLow = m.add(wLow, m.add(sLow, sLow))
	return high, m.add(low, wLow)
}

// pow is e^(y·ln|x|), negated where x is negative and y an odd integer. Beside the
// operands of every day it computes what has no logarithm, or no power that is a
// normal number, apart.
func (m *machine) pow(x, y vector) vector {
	a := m.and(x, bits(magnitude))
	scaled, bias := m.copy(a), m.reg(exponentBias)
	small := m.cmp(a, lt, normal)
	m.ifAny(small, func() {
		m.set(scaled, small, m.mul(a, 0x1p54))
		m.set(bias, small, exponentBias+54)
	})
	k, c := m.split(scaled)
	high, low := m.logPair(m.number(k, bias), c)

	h := m.mul(y, high)
	l := m.fms(y, high, h)
	m.addMul(l, y, low)
	t, r := m.reduce(h)
	p := m.expm1Reduced(m.add(r, l))
	p = m.add(p, 1)
	v := m.addInt(p, m.left(t, 52))

	odd := m.either(m.cmp(m.and(h, bits(magnitude)), nle, 708), m.cmp(x, ngt, 0))
	odd = m.either(odd, m.either(small, m.cmp(x, eq, inf)))
	m.ifAny(odd, func() {
		m.powRange(v, h, l)
		m.powSpecial(v, x, y)
	})
	return v
}

// powRange sets v to e^(h+l) where that may not be a normal number.
func (m *machine) powRange(v, h, l vector) {
	for _, side := range []struct {
		predicate    uint8
		limit, bound float64
		shift        uint64 // of the exponent, so that it is in the range
		scale        float64
	}{{lt, -708, -760, 128 << 52, 0x1p-128}, {gt, 708, 760, -128 << 52 & (1<<64 - 1), 0x1p128}} {
		out := m.cmp(h, side.predicate, side.limit)
		far := m.cmp(h, side.predicate, side.bound)
		rest := m.copy(l)
		m.set(rest, far, 0)
		t, r := m.reduce(m.choose(far, side.bound, h))
		p := m.add(m.expm1Reduced(m.add(r, rest)), 1)
		p = m.addInt(m.addInt(p, m.left(t, 52)), bits(side.shift))
		m.set(v, out, m.mul(p, side.scale))
	}
}

// powSpecial sets v to the values that math.Pow has for infinities, zeros, negative x
// and NaN; it follows on |x|^y.
func (m *machine) powSpecial(v, x, y vector) {
	a := m.and(x, bits(magnitude))
	// 0 and ∞ to a power: those to a positive one stay, those to a negative one change.
	down := m.cmp(y, lt, 0)
	zero, infinite := m.cmp(x, eq, 0), m.cmp(a, eq, inf)
	m.set(v, zero, m.choose(down, inf, m.reg(0)))
	m.set(v, infinite, m.choose(down, 0, m.reg(inf)))
	// Powers of ±∞: as of a huge exponent.
	far := m.cmp(m.and(y, bits(magnitude)), eq, inf)
	grown := m.choose(m.cmp(a, lt, 1), m.xor(y, bits(sign)), y) // ∞ where |x|^y is
	m.set(v, far, m.max(0, grown))
	m.set(v, m.both(far, m.cmp(a, eq, 1)), 1)
	// The sign, and NaN where there is none.
	whole := m.cmp(m.round(y), eq, y)
	half := m.mul(y, 0.5)
	uneven := m.cmp(m.round(half), neq, half)
	m.set(v, m.both(whole, uneven), m.or(v, m.and(x, bits(sign))))
	m.set(v, m.both(m.cmp(x, lt, 0), m.both(m.cmp(m.round(y), neq, y), m.cmp(a, neq, inf))), nan)
	m.set(v, m.cmp(x, unordered, y), nan)
	m.set(v, m.cmp(x, eq, 1), 1)
	m.set(v, m.cmp(y, eq, 0), 1)
}
