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
	vectors int                                      // operands that are vectors: x, y
	number  bool                                     // whether a number p follows them
	partial bool                                     // whether body may call leave
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

// emit writes the kernel for one width: a loop over whole vectors, and the same body
// once more for a shorter one, loaded and stored under a mask.
func (k kernel) emit(m *machine) {
	m.begin(k.name, k.signature(), k.doc)
	dst := m.Load(m.Param("dst").Base(), m.GP64())
	from, in := make([]operand.Mem, k.vectors), make([]vector, k.vectors)
	for i := range from {
		from[i].Base = m.Load(m.Param([]string{"x", "y"}[i]).Base(), m.GP64())
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
		l.load(from[i], l.mask(), in[i])
	}
	m.JMP(operand.LabelRef("body"))

	m.Label("last")
	l.store(v, operand.Mem{Base: dst})
	m.Label("done")
	m.VZEROUPPER()
	m.RET()
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

// load loads the lanes of the mask, zeros into the others.
func (m *machine) load(from operand.Mem, k mask, v vector) {
	if m.wide {
		m.VMOVUPD_Z(from, k, v)
	} else {
		m.VMASKMOVPD(from, k, v)
	}
}

// store stores the elements of the tail.
func (t tail) store(v vector, to operand.Mem) {
	if t.wide {
		t.VMOVUPD(v, t.mask(), to)
	} else {
		t.VMASKMOVPD(v, t.mask(), to)
	}
}
