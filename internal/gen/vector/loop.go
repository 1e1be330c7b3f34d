package main

import (
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A kernel is a function of vectors, element by element.
type kernel struct {
	name    string                                   // without the suffix for the width
	doc     string                                   // what it computes
	vectors int                                      // operands that are vectors: x, y, z
	number  bool                                     // whether a number p follows them
	partial bool                                     // whether body may call leave
	body    func(m *machine, in []vector) (v vector) // a number comes last, in all lanes
}

// operands are the names of vectors.
var operands = []string{"x", "y", "z"}

// signature is the type of the kernel in Go.
func (k kernel) signature() string {
	s := "func(dst, " + strings.Join(operands[:k.vectors], ", ") + " []float64"
	if k.number {
		s += ", p float64"
	}
	s += ")"
	if k.partial {
		s += " (" + outsideResult + " bool)"
	}
	return s
}

// begin starts a function for the width of m.
func (m *machine) begin(name, signature, doc string) {
	suffix := "AVX2"
	if m.wide {
		suffix = "AVX512"
	}
	m.labels = 0
	m.Function(name + suffix)
	m.Attributes(attr.NOSPLIT)
	m.SignatureExpr(signature)
	m.Doc(name + suffix + " is " + doc)
	m.Pragma("noescape")
}

// address is where a parameter or result lies.
func address(c gotypes.Component) operand.Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// emit writes the kernel for one width: a loop over whole vectors, which the last,
// shorter one enters and leaves beside the loads and stores.
func (k kernel) emit(m *machine) {
	m.begin(k.name, k.signature(), k.doc)
	dst := m.Load(m.Param("dst").Base(), m.GP64())
	from, in := make([]operand.Mem, k.vectors), make([]vector, k.vectors)
	for i := range from {
		from[i].Base = m.Load(m.Param(operands[i]).Base(), m.GP64())
		in[i] = m.vec()
	}
	l := tail{machine: m, left: m.Load(m.Param("dst").Len(), m.GP64()), short: m.GP64()}
	args := append([]vector{}, in...)
	if k.number {
		args = append(args, m.reg(address(m.Param("p"))))
	}
	if k.partial {
		m.MOVB(operand.U8(0), address(m.Return(outsideResult)))
	}

	m.Label("loop")
	m.SUBQ(operand.I32(m.lanes()), l.left)
	m.JL(operand.LabelRef("tail"))
	for i := range in {
		m.VMOVUPD(from[i], in[i])
	}
	m.Label("body")
	v := k.body(m, args)
	m.TESTQ(l.left, l.left)
	m.JL(operand.LabelRef("last"))
	m.VMOVUPD(v, operand.Mem{Base: dst})
	m.ADDQ(operand.I32(8*m.lanes()), dst)
	for i := range from {
		m.ADDQ(operand.I32(8*m.lanes()), from[i].Base)
	}
	m.JMP(operand.LabelRef("loop"))

	m.Label("tail")
	l.measure()
	m.JE(operand.LabelRef("done"))
	for i := range in {
		l.load(from[i], in[i])
	}
	m.JMP(operand.LabelRef("body"))

	m.Label("last")
	l.store(v, dst)
	m.Label("done")
	m.VZEROUPPER()
	m.RET()
}

// ordinary fills the lanes behind the end, of which no kernel makes an exception.
const ordinary = 0.5

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

// load loads the elements of the tail, and ordinary into the lanes behind. It reads them
// by halves of vectors, from the end on: a masked load would wait for what was last
// written behind the end.
func (t tail) load(from operand.Mem, v vector) {
	fill, at := t.reg(ordinary), t.GP64()
	x, y := t.vec(), t.vec()
	either := func(elements int, yes, no func()) {
		skip, rest := t.label("skip"), t.label("rest")
		t.TESTQ(operand.I32(elements), t.short)
		t.JE(operand.LabelRef(skip))
		yes()
		t.JMP(operand.LabelRef(rest))
		t.Label(skip)
		no()
		t.Label(rest)
	}
	place := func(mask int32) operand.Mem { // after the elements that the mask counts
		t.MOVQ(t.short, at)
		t.ANDQ(operand.I32(mask), at)
		return operand.Mem{Base: from.Base, Index: at, Scale: 8}
	}
	t.VMOVAPD(fill, x)
	either(1, func() { t.VMOVLPD(place(6), fill.AsX(), x.AsX()) }, func() {})
	if !t.wide {
		y = v
	}
	either(2, func() {
		t.VMOVUPD(place(4), y.AsX())
		t.VINSERTF128(operand.U8(1), x.AsX(), y.AsY(), y.AsY())
	}, func() { t.VINSERTF128(operand.U8(0), x.AsX(), fill.AsY(), y.AsY()) })
	if t.wide {
		either(4, func() {
			t.VMOVUPD(from, v.AsY())
			t.VINSERTF64X4(operand.U8(1), y.AsY(), v, v)
		}, func() { t.VINSERTF64X4(operand.U8(0), y.AsY(), fill, v) })
	}
}

// store stores the elements of the tail, by halves of vectors: masked stores take
// longer on some processors. It overwrites v and the address.
func (t tail) store(v vector, to reg.Register) {
	mem := operand.Mem{Base: to}
	half := func(elements int, store, shift func()) {
		less := t.label("less")
		t.TESTQ(operand.I32(elements), t.short)
		t.JE(operand.LabelRef(less))
		store()
		shift()
		t.ADDQ(operand.I32(8*elements), to)
		t.Label(less)
	}
	if t.wide {
		half(4, func() { t.VMOVUPD(v.AsY(), mem) }, func() { t.VEXTRACTF64X4(operand.U8(1), v, v.AsY()) })
	}
	half(2, func() { t.VMOVUPD(v.AsX(), mem) }, func() { t.VEXTRACTF128(operand.U8(1), v.AsY(), v.AsX()) })
	half(1, func() { t.VMOVSD(v.AsX(), mem) }, func() {})
}
