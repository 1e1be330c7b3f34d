package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// exponentials are the kernels of the exponential, of the logistic function and of sums
// of exponentials. Their terms have the same bits for the same argument.
var exponentials = []emitter{
	function("exp", "e^x.", (*machine).exp),
	function("sigmoid", "1/(1+e^−x).", (*machine).sigmoid),
	sumExp{},
}

// taylor are 1/0! to 1/13!, of e^r to 2⁻⁵⁷ for |r| ≤ ½ ln 2.
var taylor = []float64{
	1, 1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320, 1. / 362880,
	1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800,
}

// ordinaryExp is the size up to which an argument has an exponential whose exponent
// can be added to that of e^r.
const ordinaryExp = 708

// expReduced is e^(x−k·ln 2) for an integer k next to x/ln 2. Horner's rule, unlike
// [machine.poly], leaves an error below 1 unit in the last place.
func (m *machine) expReduced(x, k vector) vector {
	r := m.copy(x)
	m.subMul(r, k, ln2Top)
	m.subMul(r, k, ln2Low)
	return m.horner(r, taylor)
}

// expNear is e^x in the lanes in which the exponent of the result is in range.
func (m *machine) expNear(x vector) vector {
	t := m.add(m.mul(x, math.Log2E), magic)
	p := m.expReduced(x, m.sub(t, magic))
	return m.addInt(p, m.left(t, 52))
}

// expFar sets v, which is [machine.expNear] of x, in the lanes of the mask: by way of a
// number that is normal for |x| ≤ 746, and what is 0 or an infinity beyond.
func (m *machine) expFar(v, x vector, far mask) {
	const shift = 64
	m.ifAny(far, func() {
		negative := m.signs(x)
		exponent := uint64(shift << 52)
		w := m.addInt(v, m.choose(negative, bits(exponent), bits(-exponent)))
		m.set(v, far, m.mul(w, m.choose(negative, math.Ldexp(1, -shift), math.Ldexp(1, shift))))
		m.set(v, m.cmp(x, lt, -746), 0)
		m.set(v, m.cmp(x, gt, 746), inf)
		m.set(v, m.cmp(x, unordered, x), x)
	})
}

// exp is e^x, with gradual underflow.
func (m *machine) exp(x vector) vector {
	v := m.expNear(x)
	m.expFar(v, x, m.cmp(m.and(x, bits(magnitude)), nle, ordinaryExp))
	return v
}

// sigmoid is 1/(1+e) with e = e^−|x|, and for negative x e − e·q with q = e/(1+e), where
// the rounding of 1+e matters less than in q.
func (m *machine) sigmoid(x vector) vector {
	a := m.or(x, bits(sign))
	e := m.expNear(a)
	m.expFar(e, a, m.cmp(a, nge, -ordinaryExp))
	negative := m.signs(x)
	q := m.div(m.choose(negative, e, 1), m.add(e, 1))
	m.set(q, negative, m.fnma(q, e, e))
	return q
}

// sumExp is the kernel of Σ e^(a−shift).
type sumExp struct{}

// sumBlock is the number of terms that sumExp takes at a time. It is that of a vector of
// AVX-512, of which each lane sums on its own.
const sumBlock = 8

// emit writes a loop over blocks of terms; those below e^−708 count as that.
func (sumExp) emit(m *machine) {
	m.begin("sumExp", "func(a []float64, shift float64"+wideParam+") float64",
		"Σ e^(a−shift) of a multiple of 8 numbers.")
	a := m.Load(m.Param("a").Base(), m.GP64())
	left := m.Load(m.Param("a").Len(), m.GP64())
	shift, least := m.reg(address(m.Param("shift"))), m.reg(-ordinaryExp)
	sums := make([]vector, sumBlock/m.lanes())
	for i := range sums {
		sums[i] = m.reg(0)
	}
	m.JMP(operand.LabelRef("enter"))
	m.Label("loop")
	for i, sum := range sums {
		x := m.vec()
		m.VMOVUPD(operand.Mem{Base: a, Disp: 8 * m.lanes() * i}, x)
		x = m.max(least, m.sub(x, shift)) // NaN of NaN
		k := m.round(m.mul(x, math.Log2E))
		p := m.expReduced(x, k)
		m.VADDPD(m.addInt(p, m.left(m.integer(k), 52)), sum, sum)
	}
	m.ADDQ(operand.I32(8*sumBlock), a)
	m.Label("enter")
	m.SUBQ(operand.I32(sumBlock), left)
	m.JGE(operand.LabelRef("loop"))
	m.VMOVSD(m.sumBlockLanes(sums), address(m.ReturnIndex(0)))
	m.end()
}

// integer is a, which is an integer below 2³¹ in size, as such; its low bits are 0 for NaN,
// so that an exponent added to NaN leaves NaN.
func (m *machine) integer(a vector) vector {
	v := m.vec()
	if m.wide {
		m.VCVTPD2QQ(a, v)
	} else {
		m.VCVTPD2DQY(a, v.AsX())
		m.VPMOVSXDQ(v.AsX(), v)
	}
	return v
}

// sumBlockLanes is the sum of the lanes of a block: of lanes 4 apart, then 2, then 1.
func (m *machine) sumBlockLanes(sums []vector) reg.VecVirtual {
	low, x, y := sums[0].AsY(), sums[0].AsX(), m.XMM()
	if m.wide {
		high := m.YMM()
		m.VEXTRACTF64X4(operand.U8(1), sums[0], high)
		m.VADDPD(high, low, low)
	} else {
		m.VADDPD(sums[1], low, low)
	}
	m.VEXTRACTF128(operand.U8(1), low, y)
	m.VADDPD(y, x, x)
	m.VHADDPD(x, x, y)
	return y
}
