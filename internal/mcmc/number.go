package mcmc

import (
	"cmp"
	"math"
)

// A number is m·2^e with 1 ≤ m < 2, or zero with m = 0: products of sums over
// sets of parents differ by more than a float64 spans.
type number struct {
	m float64
	e int64
}

var one = number{m: 1}

// times is a·b.
func (a number) times(b number) number {
	p := number{m: a.m * b.m, e: a.e + b.e}
	if p.m >= 2 {
		p.m, p.e = p.m/2, p.e+1
	}
	return p
}

// per is a/b for b > 0.
func (a number) per(b number) number {
	p := number{m: a.m / b.m, e: a.e - b.e}
	if p.m < 1 && p.m > 0 {
		p.m, p.e = 2*p.m, p.e-1
	}
	return p
}

// minus is a − b for a ≥ b, and whether the difference keeps at least seven
// digits: a and b have a relative error of 2^-45.
func (a number) minus(b number) (difference number, precise bool) {
	if b.m == 0 {
		return a, true
	}
	shift := a.e - b.e
	if shift > 60 {
		return a, true
	}
	m := a.m - b.m*math.Float64frombits(uint64(1023-shift)<<52)
	if !(m > 1e-7) {
		return number{}, false
	}
	return normal(m, a.e), true
}

// normal is m·2^e for a positive normal m.
func normal(m float64, e int64) number {
	bits := math.Float64bits(m)
	return number{m: math.Float64frombits(bits&(1<<52-1) | 1023<<52), e: e + int64(bits>>52) - 1023}
}

// exponential is e^x, zero for −Inf.
func exponential(x float64) number {
	if math.IsInf(x, -1) {
		return number{}
	}
	e := math.Floor(x / math.Ln2)
	return normal(math.Exp(x-e*math.Ln2), int64(e))
}

// log is ln a.
func (a number) log() float64 {
	if a.m == 0 {
		return math.Inf(-1)
	}
	return math.Log(a.m) + float64(a.e)*math.Ln2
}

// compare is −1, 0 or 1 as a is less than, equal to or greater than b.
func (a number) compare(b number) int {
	if a.m == 0 || b.m == 0 || a.e == b.e {
		return cmp.Compare(a.m, b.m)
	}
	return cmp.Compare(a.e, b.e)
}

// over is a/b as a float64, for b > 0 and a quotient within its range.
func (a number) over(b number) float64 {
	if a.m == 0 {
		return 0
	}
	return math.Ldexp(a.m/b.m, int(max(min(a.e-b.e, 2000), -2000)))
}

// A packed number has a mantissa of 44 bits under an exponent of 20 bits, 0 for
// zero, which spans e^±180000 and more. Numbers beyond become the first or last.
type packed uint64

const (
	mantissaBits = 44
	exponentBias = 3 << 18
	lastExponent = 1<<20 - 1
)

// pack rounds a to a packed number.
func (a number) pack() packed {
	if a.m == 0 {
		return 0
	}
	bits := math.Float64bits(a.m) + 1<<(51-mantissaBits) // a carry moves into the exponent
	e := a.e + int64(bits>>52) - 1023 + exponentBias
	if e < 1 {
		return 1 << mantissaBits
	}
	if e > lastExponent {
		return lastExponent << mantissaBits
	}
	return packed(uint64(e)<<mantissaBits | bits>>(52-mantissaBits)&(1<<mantissaBits-1))
}

// unpack returns the number that p stands for.
func (p packed) unpack() number {
	if p == 0 {
		return number{}
	}
	return number{
		m: math.Float64frombits(uint64(p&(1<<mantissaBits-1))<<(52-mantissaBits) | 1023<<52),
		e: int64(p>>mantissaBits) - exponentBias,
	}
}

// scaled is p·2^-unit, for p < 2^(unit+1000), zero below 2^(unit-1000).
func (p packed) scaled(unit int64) float64 {
	e := int64(p>>mantissaBits) - exponentBias - unit
	if p == 0 || e < -1000 {
		return 0
	}
	return math.Float64frombits(uint64(e+1023)<<52 |
		uint64(p&(1<<mantissaBits-1))<<(52-mantissaBits))
}
