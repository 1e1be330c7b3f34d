package vector

import "math"

// Pow is dst = x^p, to 4 units in the last place where that is a normal number, with
// the special values of [math.Pow]. A square is x·x and x^−1 is 1/x. dst and x have one
// length; dst may be x.
func (s Set) Pow(dst, x []float64, p float64) {
	dst = dst[:len(x)]
	switch {
	case p == 2:
		s.MulEach(dst, x, x)
	case p == -1:
		s.Inverse(dst, x)
	case s == Portable:
		each(dst, x, func(x float64) float64 { return pow(x, p) })
	default:
		ps := one(p)
		powerKernel(dst, x, ps[:0], s == AVX512)
	}
}

// PowEach is dst = x^y, to 4 units in the last place where that is a normal number, with
// the special values of [math.Pow]. All have one length; dst may be x or y.
func (s Set) PowEach(dst, x, y []float64) {
	if dst, y = dst[:len(x)], y[:len(x)]; s.portablePair(dst, x, y, pow) {
		return
	}
	powerKernel(dst, x, y, s == AVX512)
}

// pow is x^y as e^(y·ln x), with a logarithm of twice the precision. math.Pow, which has
// the special values, multiplies powers of x, so that its error grows with y.
func pow(x, y float64) float64 {
	if x == 0 || x-x != 0 || y-y != 0 || x < 0 && math.Trunc(y) != y {
		return math.Pow(x, y)
	}
	c, k := math.Frexp(math.Abs(x))
	if c < math.Sqrt2/2 {
		c, k = 2*c, k-1
	}
	high, low := logPair(float64(k), c)
	h := y * high
	l := math.FMA(y, high, -h) + y*low
	if h < -800 || h > 800 { // beyond all numbers
		l, h = 0, math.Copysign(800, h)
	}
	n := math.RoundToEven(h * math.Log2E)
	r := math.FMA(n, -ln2Low, math.FMA(n, -ln2Top, h)) + l
	v := math.Ldexp(1+math.Expm1(r), int(n))
	if x < 0 && math.Mod(y, 2) != 0 {
		v = -v
	}
	return v
}

// ln 2 as a sum; the first has 33 bits.
const (
	ln2Top = 0x1.62e42feep-01
	ln2Low = 0x1.a39ef35793c76p-33
)

// artanh has the coefficients 2/(2i+5) of (2 artanh(s)/s − 2)/s² − ⅔, divided by s², for
// i up to where they no longer count at s = (√2−1)/(√2+1).
var artanh = [...]float64{2. / 5, 2. / 7, 2. / 9, 2. / 11, 2. / 13, 2. / 15, 2. / 17, 2. / 19,
	2. / 21, 2. / 23, 2. / 25}

// logPair is k·ln 2 + ln c for c between √½ and √2, as a sum high + low with a relative
// error of some 2⁻⁶⁴: with f = c − 1 and s = f/(2+f), it is k·ln 2 + 2s + s·z·t, where
// z = s² and t = ⅔ + z·Q(z); s, z, t and the products are pairs too.
func logPair(k, c float64) (high, low float64) {
	f := c - 1
	d := f + 2
	s := f / d
	sLow := (math.FMA(-s, d, f) - s*(f-(d-2))) / d
	z := s * s
	zLow := math.FMA(s, s, -z) + 2*s*sLow
	q := 0.0
	for i := len(artanh) - 1; i >= 0; i-- {
		q = q*z + artanh[i]
	}
	const twoThirds, rest = 0.6666666666666666, 3.700743415417188e-17
	t := math.FMA(z, q, twoThirds)
	tLow := math.FMA(z, q, twoThirds-t) + rest
	u := z * t
	uLow := math.FMA(z, t, -u) + z*tLow + zLow*t
	w := s * u
	wLow := math.FMA(s, u, -w) + s*uLow + sLow*u
	top := k * ln2Top
	h := top + 2*s
	high = h + w
	return high, 2*s - (h - top) + (w - (high - h)) + (k*ln2Low + (wLow + 2*sLow))
}
