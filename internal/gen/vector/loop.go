package main

import (
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A kernel is a function of vectors, element by element.
type kernel struct {
	name    string                                   // without the suffix for the width
	doc     string                                   // what it computes
	vectors int                                      // operands that are vectors: x, y
	number  bool                                     // whether a number p follows them
	partial bool                                     // whether body may call leaveIfAny
	body    func(m *machine, in []vector) (v vector) // a number comes last, in all lanes
}

// signature is the type of the kernel in Go.
func (k kernel) signature() string {
	s := "func(dst, " + strings.Join([]string{"x", "y"}[:k.vectors], ", ") + " []float64"
	if k.number {
		s += ", p float64"
	}
	s += ")"
	if k.partial {
		s += " (done int)"
	}
	return s
}

// emit writes the kernel for one width: a loop over whole vectors, and the same body
// once more for a shorter one, loaded and stored under a mask.
func (k kernel) emit(m *machine) {
	suffix := "AVX2"
	if m.wide {
		suffix = "AVX512"
	}
	m.labels = 0
	m.Function(k.name + suffix)
	m.Attributes(attr.NOSPLIT)
	m.SignatureExpr(k.signature())
	m.Doc(k.name + suffix + " is " + k.doc)
	m.Pragma("noescape")

	dst := m.Load(m.Param("dst").Base(), m.GP64())
	var from []reg.Register
	for i := range k.vectors {
		from = append(from, m.Load(m.Param([]string{"x", "y"}[i]).Base(), m.GP64()))
	}
	left := m.Load(m.Param("dst").Len(), m.GP64()) // elements after the vector in work
	var number vector
	if k.number {
		number = m.vec()
		p, _ := m.Param("p").Resolve()
		m.VBROADCASTSD(p.Addr, number)
	}
	in := make([]vector, k.vectors)
	for i := range in {
		in[i] = m.vec()
	}
	l := tail{machine: m, left: left, short: m.GP64()}
	step := m.lanes()
	m.stop = "stop"

	m.Label("loop")
	m.SUBQ(operand.I32(step), left)
	m.JL(operand.LabelRef("tail"))
	for i := range in {
		m.VMOVUPD(operand.Mem{Base: from[i]}, in[i])
	}
	m.Label("body")
	args := append([]vector{}, in...)
	if k.number {
		args = append(args, number)
	}
	v := k.body(m, args)
	m.TESTQ(left, left)
	m.JL(operand.LabelRef("last"))
	m.VMOVUPD(v, operand.Mem{Base: dst})
	m.ADDQ(operand.I32(8*step), dst)
	for i := range from {
		m.ADDQ(operand.I32(8*step), from[i])
	}
	m.JMP(operand.LabelRef("loop"))

	m.Label("tail")
	l.measure()
	m.JE(operand.LabelRef("done"))
	for i := range in {
		l.load(operand.Mem{Base: from[i]}, in[i])
	}
	m.JMP(operand.LabelRef("body"))

	m.Label("last")
	l.store(v, operand.Mem{Base: dst})
	if k.partial {
		m.Label("done")
		l.result(nil)
		m.Label("stop")
		l.result(left)
	} else {
		m.Label("done")
		m.VZEROUPPER()
		m.RET()
	}
}

// A tail is the last, shorter vector of a loop.
type tail struct {
	*machine
	left  reg.Register // elements after the vector, less than 0 in the tail
	short reg.Register // elements of the tail
}

// measure computes the length of the tail; the zero flag is set if there is none.
func (t tail) measure() {
	t.MOVQ(t.left, t.short)
	t.ADDQ(operand.I32(t.lanes()), t.short)
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
	from, v := t.GP64(), t.YMM()
	t.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol(maskSymbol), width), from)
	index := t.GP64()
	t.MOVQ(t.short, index)
	t.NEGQ(index)
	t.VMOVUPD(operand.Mem{Base: from, Index: index, Scale: 8}, v)
	return v
}

func (t tail) load(from operand.Mem, v vector) {
	if t.wide {
		t.VMOVUPD_Z(from, t.mask(), v)
	} else {
		t.VMASKMOVPD(from, t.mask(), v)
	}
}

func (t tail) store(v vector, to operand.Mem) {
	if t.wide {
		t.VMOVUPD(v, t.mask(), to)
	} else {
		t.VMASKMOVPD(v, t.mask(), to)
	}
}

// result returns the number of elements that are done: all of n, less the vector in
// work and those after it if left is not nil.
func (t tail) result(left reg.Register) {
	done := t.Load(t.Param("dst").Len(), t.GP64())
	if left != nil {
		t.SUBQ(left, done)
		t.SUBQ(operand.I32(t.lanes()), done)
	}
	t.Store(done, t.Return("done"))
	t.VZEROUPPER()
	t.RET()
}
