package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// logSumExpRows is the kernel of ln Σ e^x over rows, element by element.
type logSumExpRows struct{}

// headerSize is the size of a slice in memory.
const headerSize = 24

// emit writes a loop over vectors, every one of which reads all rows for the largest
// number, and once more for the sum of exponentials. All loads are under a mask.
func (logSumExpRows) emit(m *machine) {
	m.begin("logSumExpRows", "func(dst []float64, rows [][]float64"+wideParam+")",
		"ln Σ e^x over one or more rows.")
	dst := m.Load(m.Param("dst").Base(), m.GP64())
	l := tail{machine: m, left: m.Load(m.Param("dst").Len(), m.GP64()), short: m.GP64()}
	r := rowLoop{machine: m, offset: m.GP64()}
	r.rows = m.Load(m.Param("rows").Base(), m.GP64())
	r.count = m.Load(m.Param("rows").Len(), m.GP64())
	m.XORQ(r.offset, r.offset)
	r.mask = m.allLanes()

	m.Label("loop")
	m.SUBQ(operand.I32(m.lanes()), l.left)
	m.JGE(operand.LabelRef("body"))
	l.measure()
	m.JE(operand.LabelRef("done"))
	m.moveMask(l.mask(), r.mask)
	m.Label("body")
	v := r.logSumExp()
	m.TESTQ(l.left, l.left)
	m.JL(operand.LabelRef("last"))
	m.VMOVUPD(v, operand.Mem{Base: dst, Index: r.offset, Scale: 1})
	m.ADDQ(operand.I32(8*m.lanes()), r.offset)
	m.JMP(operand.LabelRef("loop"))
	m.Label("last")
	m.ADDQ(r.offset, dst)
	l.store(v, dst)
	m.Label("done")
	m.end()
}

// A rowLoop reads one vector of all rows.
type rowLoop struct {
	*machine
	rows, count reg.Register
	offset      reg.Register // of the vector, in bytes
	mask        mask
}

// each emits a loop in which body sees the vector x of every row.
func (r rowLoop) each(body func(x vector)) {
	again := r.label("row")
	row, count, x := r.GP64(), r.GP64(), r.vec()
	r.MOVQ(r.rows, row)
	r.MOVQ(r.count, count)
	r.Label(again)
	from := r.GP64()
	r.MOVQ(operand.Mem{Base: row}, from)
	r.loadMasked(operand.Mem{Base: from, Index: r.offset, Scale: 1}, r.mask, x)
	body(x)
	r.ADDQ(operand.I32(headerSize), row)
	r.DECQ(count)
	r.JNE(operand.LabelRef(again))
}

// logSumExp is top + ln Σ e^(x−top) with the largest number top; where that is
// infinite it is the result, unless there is a NaN. Terms below e^−708 count as that.
func (r rowLoop) logSumExp() vector {
	m := r.machine
	top := m.reg(-inf)
	r.each(func(x vector) { m.VMAXPD(top, x, top) })
	from := m.copy(top)
	infinite := m.cmp(m.and(top, bits(magnitude)), eq, inf)
	m.ifAny(infinite, func() { m.set(from, infinite, 0) })
	sum := m.reg(0)
	r.each(func(x vector) {
		t, rest := m.reduce(m.max(-708, m.sub(x, from)))
		p := m.add(m.expm1Reduced(rest), 1)
		m.addMul(sum, p, m.power2(t)) // NaN of NaN
	})
	k, c := m.split(sum)
	v := m.logReduced(m.number(k, exponentBias), m.sub(c, 1), logCoefficients)
	v = m.add(v, from)
	m.ifAny(m.either(infinite, m.cmp(sum, unordered, sum)), func() {
		m.set(v, m.cmp(sum, unordered, sum), nan)
		m.set(v, infinite, top)
		r.each(func(x vector) { m.set(v, m.cmp(x, unordered, x), x) })
	})
	return v
}

// mask is the mask of the first elements.
func (t tail) mask() mask {
	if t.wide {
		ones, k := t.GP64(), t.K()
		t.XORL(ones.As32(), ones.As32())
		t.BTSQ(t.short, ones)
		t.DECQ(ones)
		t.KMOVB(ones.As32(), k)
		return k
	}
	t.table.masks = true
	from, v := t.GP64(), t.YMM()
	t.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol(maskSymbol), width), from)
	index := t.GP64()
	t.MOVQ(t.short, index)
	t.NEGQ(index)
	t.VMOVUPD(operand.Mem{Base: from, Index: index, Scale: 8}, v)
	return v
}

// loadMasked loads the lanes of the mask, zeros into the others.
func (m *machine) loadMasked(from operand.Mem, k mask, v vector) {
	if m.wide {
		m.VMOVUPD_Z(from, k, v)
	} else {
		m.VMASKMOVPD(from, k, v)
	}
}

// allLanes is the mask of all lanes, in a register that may be overwritten.
func (m *machine) allLanes() mask {
	if m.wide {
		k := m.K()
		m.KXNORB(k, k, k)
		return k
	}
	v := m.YMM()
	m.VPCMPEQD(v, v, v)
	return v
}

// moveMask copies a mask.
func (m *machine) moveMask(from, to mask) {
	if m.wide {
		m.KMOVW(from, to)
	} else {
		m.VMOVUPD(from, to)
	}
}
