package main

import "math"

// normals are the kernels of the error function and of the normal distribution.
var normals = []emitter{
	function("erf", "the error function.", (*machine).erf),
	function("erfc", "the complementary error function.", (*machine).erfc),
	function("logNdtr", "ln Φ(x).", (*machine).logNdtr),
	kernel{
		name: "ndtrInv", vectors: 1, narrow: true,
		doc:  "the quantile of x of the standard normal distribution.",
		body: func(m *machine, in []vector) vector { return m.ndtrInv(in[0]) },
	},
}

// erfCoefficients are of (erf(x)/x − 2/√π)/x² as a polynomial of x², for |x| ≤ 1, to
// 2⁻⁶⁰; 2/√π = rootTop + rootLow.
var erfCoefficients = []float64{
	-0.37612638903183754, 0.11283791670955111, -0.026866170645123838, 0.005223977625303518,
	-0.0008548327010033328, 0.00012055332214716276, -1.4925622504489842e-05, 1.6461446656928561e-06,
	-1.6355118610877705e-07, 1.4692484859133263e-08, -1.1500357159785296e-09, 6.174097221305255e-11,
}

const (
	rootTop = 1.1283791670955126
	rootLow = 1.533545961316588e-17
)

// erfcxCoefficients are of (1+2a)·e^a²·erfc(a) for a ≥ 0 as a polynomial of (a−4)/(a+4),
// to 2⁻⁵⁶.
var erfcxCoefficients = []float64{
	1.2329951186255526, -0.13962111684056228, 0.015379652102619974, 0.06809705425466839,
	-0.10103906603631811, 0.09373283499911264, -0.06633036581186058, 0.037167515526338006,
	-0.01619773406293477, 0.005031970069102256, -0.0007577732435942576, -0.0001992571524726518,
	0.00015062142608651945, -2.4397731143023292e-05, -1.1221135665965907e-05, 5.70657829924074e-06,
	2.9173425573089733e-07, -8.210647933297337e-07, 7.771943241086912e-08, 1.0631817593818149e-07,
	-2.0725802488181963e-08, -1.2338731403798444e-08, 3.2323973445082033e-09, 9.297625263709659e-10,
	-2.764120233734578e-10,
}

// erfcx is e^a²·erfc(a) for a ≥ 0.
func (m *machine) erfcx(a vector) vector {
	t := m.div(m.sub(a, 4), m.add(a, 4))
	return m.div(m.poly(t, erfcxCoefficients...), m.fma(a, 2, m.reg(1)))
}

// bell is g·e^−scale·a² for 0 ≤ a, scale·a² < 1000 and scale a power of 2; it underflows
// gradually.
func (m *machine) bell(g, a vector, scale float64) vector {
	h := m.mul(a, a)
	l := m.fms(a, a, h)
	t, r := m.reduce(m.mul(h, -scale))
	m.subMul(r, l, scale)
	p := m.mul(m.add(m.expm1Reduced(r), 1), g)
	k := m.left(t, 52)
	v := m.addInt(p, k)
	low := m.cmp(h, gt, 690/scale)
	m.ifAny(low, func() {
		w := m.addInt(m.addInt(p, k), bits(500<<52))
		m.set(v, low, m.mul(w, 0x1p-500))
	})
	return v
}

// erfSmall is erf(x) for |x| ≤ 1.
func (m *machine) erfSmall(x vector) vector {
	z := m.mul(x, x)
	q := m.poly(z, erfCoefficients...)
	m.mulAdd(q, z, rootLow)
	return m.fma(x, m.reg(rootTop), m.mul(x, q))
}

// erf is 1 − erfc(|x|) with the sign of x for |x| > 1.
func (m *machine) erf(x vector) vector {
	a := m.and(x, bits(magnitude))
	b := m.min(7, a)
	c := m.sub(1, m.bell(m.erfcx(b), b, 1))
	v := m.or(c, m.and(x, bits(sign)))
	m.set(v, m.cmp(a, lt, 1), m.erfSmall(x))
	m.ifAny(m.cmp(x, unordered, x), func() { m.set(v, m.cmp(x, unordered, x), x) })
	return v
}

// erfc is 2 − erfc(|x|) for negative x, and 1 − erf(x) near 0.
func (m *machine) erfc(x vector) vector {
	a := m.min(30, m.and(x, bits(magnitude)))
	v := m.bell(m.erfcx(a), a, 1)
	m.set(v, m.cmp(x, lt, 0), m.sub(2, v))
	m.set(v, m.cmp(a, lt, 0.5), m.sub(1, m.erfSmall(x)))
	m.ifAny(m.cmp(x, unordered, x), func() { m.set(v, m.cmp(x, unordered, x), x) })
	return v
}

// logNdtr has e^(x²/2)·Φ(−|x|) = g = erfcx(|x|/√2)/2. It is ln g − x²/2 for negative x
// and ln(1 − g·e^(−x²/2)) for positive; both have the sign of −0.
func (m *machine) logNdtr(x vector) vector {
	a := m.and(m.min(40, x), bits(magnitude))
	g := m.mul(m.erfcx(m.min(1e300, m.mul(a, math.Sqrt2/2))), 0.5)
	q := m.bell(g, m.min(40, a), 0.5)
	high, low := m.twoSum(1, m.xor(q, bits(sign)))
	positive := m.cmp(x, gt, 0)
	v := m.log1pOf(m.choose(positive, high, g), m.keep(positive, low))
	square := m.mul(m.mul(x, 0.5), x)
	v = m.sub(v, m.choose(positive, 0, square))
	return m.or(v, bits(sign))
}

// The rational functions of Wichura, Algorithm AS 241 (Applied Statistics 37, 1988),
// PPND16: numerators and denominators in the middle, and in the tails near and far.
var quantile = [3][2][]float64{
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

// ratio is the quotient of two polynomials of x.
func (m *machine) ratio(x vector, c [2][]float64) vector {
	return m.div(m.poly(x, c[0]...), m.poly(x, c[1]...))
}

// ndtrInv is q·R(0.425² − q²) with q = u − ½ for |q| ≤ 0.425, and in the tails a rational
// function of √(−ln min(u, 1−u)), with the sign of q.
func (m *machine) ndtrInv(u vector) vector {
	q := m.sub(u, 0.5)
	v := m.mul(q, m.ratio(m.fnma(q, q, m.reg(0.180625)), quantile[0]))
	tails := m.cmp(m.and(q, bits(magnitude)), nle, 0.425)
	m.ifAny(tails, func() {
		r := m.sqrt(m.xor(m.log(m.min(u, m.sub(1, u))), bits(sign)))
		w := m.ratio(m.sub(r, 1.6), quantile[1])
		far := m.cmp(r, gt, 5)
		m.ifAny(far, func() { m.set(w, far, m.ratio(m.sub(r, 5), quantile[2])) })
		m.set(v, tails, m.or(w, m.and(q, bits(sign))))
		odd := m.either(m.cmp(u, ngt, 0), m.cmp(u, ge, 1))
		m.ifAny(odd, func() {
			m.set(v, odd, nan)
			m.set(v, m.cmp(u, eq, 0), -inf)
			m.set(v, m.cmp(u, eq, 1), inf)
		})
	})
	return v
}
