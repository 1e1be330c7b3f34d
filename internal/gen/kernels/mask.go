package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Predicates of comparisons; those that say not, and unordered, are true for NaN, the others false.
const (
	eq        = 0x00
	lt        = 0x11
	le        = 0x12
	unordered = 0x03
	nlt       = 0x15 // not less than
	nle       = 0x16 // not less than or equal
	ngt       = 0x1A // not greater than
	nge       = 0x19 // not greater than or equal
	neq       = 0x04 // not equal
	ge        = 0x1D
	gt        = 0x1E
)

// A mask is a truth value per lane: a register of opmasks, or of vectors whose sign
// bits count.
type mask = reg.Register

// cmp compares a with b.
func (m *machine) cmp(a vector, predicate uint8, b arg) mask {
	p := operand.U8(predicate)
	mem, constant := m.constant(b)
	if !m.wide {
		v := m.YMM()
		if constant {
			m.VCMPPD(p, mem, a, v)
		} else {
			m.VCMPPD(p, b.(vector), a, v)
		}
		return v
	}
	k := m.K()
	if constant {
		m.VCMPPD_BCST(p, mem, a, k)
	} else {
		m.VCMPPD(p, b.(vector), a, k)
	}
	return k
}

// signs is the mask of the lanes of a whose sign bit is set.
func (m *machine) signs(a vector) mask {
	if !m.wide {
		return a
	}
	k := m.K()
	m.VPMOVQ2M(a, k)
	return k
}

// both is the mask of lanes in a and in b.
func (m *machine) both(a, b mask) mask {
	if m.wide {
		k := m.K()
		m.KANDB(a, b, k)
		return k
	}
	v := m.YMM()
	m.VANDPD(a, b, v)
	return v
}

// either is the mask of lanes in a or in b.
func (m *machine) either(a, b mask) mask {
	if m.wide {
		k := m.K()
		m.KORB(a, b, k)
		return k
	}
	v := m.YMM()
	m.VORPD(a, b, v)
	return v
}

// choose is yes in the lanes of the mask and no in the others.
func (m *machine) choose(k mask, yes, no arg) vector {
	v, n := m.vec(), m.reg(no)
	m.blend(k, yes, n, v)
	return v
}

// set replaces v in the lanes of the mask.
func (m *machine) set(v vector, k mask, yes arg) { m.blend(k, yes, v, v) }

func (m *machine) blend(k mask, yes arg, no, dst vector) {
	mem, constant := m.constant(yes)
	switch {
	case m.wide && constant:
		m.VBLENDMPD_BCST(mem, no, k, dst)
	case m.wide:
		m.VBLENDMPD(yes.(vector), no, k, dst)
	case constant:
		m.VBLENDVPD(k, mem, no, dst)
	default:
		m.VBLENDVPD(k, yes.(vector), no, dst)
	}
}

// keep is v in the lanes of the mask and 0 in the others.
func (m *machine) keep(k mask, v arg) vector {
	if !m.wide {
		return m.and(k, v)
	}
	d := m.vec()
	if mem, ok := m.constant(v); ok {
		m.VBROADCASTSD_Z(mem, k, d)
	} else {
		m.VMOVAPD_Z(v.(vector), k, d)
	}
	return d
}

// test sets the zero flag if no lane is in the mask.
func (m *machine) test(k mask) {
	if m.wide {
		m.KORTESTB(k, k)
	} else {
		m.VTESTPD(k, k)
	}
}

// ifAny runs what body emits if a lane is in the mask. The body must leave results
// of the other lanes as they are.
func (m *machine) ifAny(k mask, body func()) {
	rest := m.label("none")
	m.test(k)
	m.JE(operand.LabelRef(rest))
	body()
	m.Label(rest)
}

// outsideResult is the name of the result of kernels that leave elements to Go.
const outsideResult = "outside"

// leave leaves the lanes of the mask to Go: it stores x in them, which may be the
// operand itself, and the kernel's result becomes true.
func (m *machine) leave(v vector, k mask, x vector) {
	m.ifAny(k, func() {
		m.set(v, k, x)
		m.MOVB(operand.U8(1), address(m.Return(outsideResult)))
	})
}
