package main

import "math"

// trigonometric are the kernels of sine and cosine.
var trigonometric = []emitter{
	kernel{
		name: "sin", vectors: 1, partial: true,
		doc:  "the sine of |x| ≤ 2²⁹; other x stay, and the result is true.",
		body: func(m *machine, in []vector) vector { return m.wave(in[0], false) },
	},
	kernel{
		name: "cos", vectors: 1, partial: true,
		doc:  "the cosine of |x| ≤ 2²⁹; other x stay, and the result is true.",
		body: func(m *machine, in []vector) vector { return m.wave(in[0], true) },
	},
}

// sinCoefficients are of (sin r − r)/r³ as a polynomial of r², for |r| ≤ π/4, to 2⁻⁶⁶.
var sinCoefficients = []float64{
	-0.16666666666666666, 0.008333333333333331, -0.00019841269841265017, 2.755731921930192e-06,
	-2.5052106219521895e-08, 1.6058529572267877e-10, -7.586576588171073e-13,
}

// cosCoefficients are of (cos r − 1 + r²/2)/r⁴, likewise, to 2⁻⁵⁹.
var cosCoefficients = []float64{
	0.041666666666666664, -0.0013888888888887382, 2.480158729874307e-05, -2.7557317260008837e-07,
	2.0876143827993133e-09, -1.1382456778061306e-11,
}

// π/2 as a sum of three numbers.
const (
	quarter1 = 0x1.921fb54442d18p+0
	quarter2 = 0x1.1a62633145c07p-54
	quarter3 = -0x1.f1976b7ed8fbcp-110
)

// waveLimit is the largest |x| of which sines and cosines are computed here.
const waveLimit = 0x1p29

// wave is the sine or the cosine of x = k·π/2 + r + rest: with the multiples exact in
// fused operations, r + rest has a relative error of 2⁻⁵³ of the rest.
func (m *machine) wave(x vector, cosine bool) vector {
	t := m.fma(x, 2/math.Pi, magic)
	k := m.sub(t, magic)
	first := m.fnma(k, m.reg(quarter1), x)
	r := m.fnma(k, m.reg(quarter2), first)
	rest := m.sub(first, r)
	m.subMul(rest, k, quarter2)
	m.subMul(rest, k, quarter3)
	z := m.mul(r, r)

	s := m.poly(z, sinCoefficients...)
	m.mulAdd(s, m.mul(z, r), rest)
	s = m.add(s, r)
	c := m.poly(z, cosCoefficients...)
	half := m.mul(z, 0.5)
	w := m.sub(1, half)
	tail := m.sub(m.sub(1, w), half)
	m.subMul(tail, r, rest)
	m.mulAdd(c, m.mul(z, z), tail)
	c = m.add(c, w)

	if cosine {
		t = m.addInt(t, bits(1))
	}
	v := m.choose(m.signs(m.left(t, 63)), c, s)
	v = m.xor(v, m.and(m.left(t, 62), bits(sign)))
	a := m.and(x, bits(magnitude))
	if !cosine { // the sign of 0, and what is too small for a square
		m.set(v, m.cmp(a, lt, 0x1p-27), x)
	}
	m.leave(v, m.cmp(a, nle, waveLimit), x)
	return v
}
