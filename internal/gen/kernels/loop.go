package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A kernel is a function of vectors, element by element.
type kernel struct {
	name    string // without the suffix for the width
	code    string // the operation of element programs that it is, if any
	doc     string // what it computes
	vectors int    // operands: x, y, z
	repeat  string // those that may be one number, see [machine.repeat]
	narrow  bool   // whether wider vectors gain nothing that whole programs show
	partial bool   // whether body may call leave
	body    func(m *machine, in []vector) (v vector)
}

// function is the kernel of a function of one operand.
func function(name, doc string, f func(*machine, vector) vector) kernel {
	return kernel{name: name, vectors: 1, doc: doc,
		body: func(m *machine, in []vector) vector { return f(m, in[0]) }}
}

// operands are the names of vectors.
var operands = []string{"x", "y", "z"}

// signature is the type of the kernel in Go.
func (k kernel) signature() string {
	s := "func(dst, " + strings.Join(operands[:k.vectors], ", ") + " []float64"
	if !k.narrow {
		s += wideParam
	}
	s += ")"
	if k.partial {
		s += " (" + outsideResult + " bool)"
	}
	return s
}

// wideParam is the last parameter of a kernel of both widths, which says which one is wanted.
const wideParam = ", wide bool"

// begin starts a function for the width of m. Go calls that of AVX2, which goes on with that of
// AVX-512 if there is one and it is wanted.
func (m *machine) begin(name, signature, doc string) {
	m.labels = 0
	if m.wide {
		name += wideSuffix
	} else {
		name += "Kernel"
	}
	m.Function(name)
	m.Attributes(attr.NOSPLIT)
	m.SignatureExpr(signature)
	m.Doc(name + " is " + doc)
	m.Pragma("noescape")
	m.other = ""
	if !m.wide && strings.Contains(signature, wideParam) {
		m.other = strings.TrimSuffix(name, "Kernel") + wideSuffix
		m.CMPB(address(m.Param("wide")), operand.U8(0))
		m.JNE(operand.LabelRef("wide"))
	}
}

// end ends the function.
func (m *machine) end() {
	m.VZEROUPPER()
	m.RET()
	if m.other != "" {
		m.Label("wide")
		m.Instruction(&ir.Instruction{
			Opcode: macroMark + "GOTO", IsTerminal: true,
			Operands: []operand.Op{operand.NewDataAddr(operand.NewStaticSymbol(m.other), 0)},
		})
	}
}

// wideSuffix ends the names of functions for AVX-512, which Go does not see.
const wideSuffix = "Wide"

// named is the name of a function for the width of m.
func (m *machine) named(name string) string {
	if m.wide {
		return name + "AVX512"
	}
	return name + "AVX2"
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
	if k.narrow && m.wide {
		return
	}
	m.begin(k.name, k.signature(), k.doc)
	from, in := make([]operand.Mem, k.vectors), make([]vector, k.vectors)
	for i := range from {
		from[i].Base = m.Load(m.Param(operands[i]).Base(), m.GP64())
		in[i] = m.vec()
	}
	l := tail{machine: m, left: m.Load(m.Param("dst").Len(), m.GP64()), short: m.GP64()}
	if k.repeat != "" { // of no numbers none is read
		m.TESTQ(l.left, l.left)
		m.JE(operand.LabelRef("done"))
	}
	steps := make([]operand.Op, k.vectors)
	for i := range steps {
		steps[i] = operand.I32(8 * m.lanes())
		if strings.Contains(k.repeat, operands[i]) {
			steps[i] = m.repeat(m.Load(m.Param(operands[i]).Len(), m.GP64()), from[i])
		}
	}
	dst := m.Load(m.Param("dst").Base(), m.GP64())
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
	v := k.body(m, in)
	m.TESTQ(l.left, l.left)
	m.JL(operand.LabelRef("last"))
	m.VMOVUPD(v, operand.Mem{Base: dst})
	m.ADDQ(operand.I32(8*m.lanes()), dst)
	for i := range from {
		m.ADDQ(steps[i], from[i].Base)
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
	m.end()
}

// repeat returns the bytes from a vector of an operand to the next. They are 0 for an
// operand of n = 0 elements: the first number where it lies stands for all, and is written
// to a whole vector there.
func (m *machine) repeat(n reg.Register, at operand.Mem) reg.Register {
	step, all := m.GP64(), m.label("all")
	m.MOVQ(operand.I32(8*m.lanes()), step)
	m.TESTQ(n, n)
	m.JNE(operand.LabelRef(all))
	m.XORQ(step, step)
	m.VMOVUPD(m.reg(at), at)
	m.Label(all)
	return step
}

// A tail is the last, shorter vector of a loop. Macros of tails_amd64.h load and store it.
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

// load loads the elements of the tail, and ordinary numbers into the lanes behind.
func (t tail) load(from operand.Mem, v vector) {
	t.macro(t.named("LOAD_TAIL_"), []operand.Op{t.short, from.Base}, t.parts(v), reg.R8, reg.Y12,
		reg.Y13, reg.Y14)
}

// store stores the elements of the tail. It overwrites v and the address.
func (t tail) store(v vector, to reg.Register) {
	t.macro(t.named("STORE_TAIL_"), append([]operand.Op{t.short, to}, t.parts(v)...), nil, v)
}

// parts are the names of a vector by width.
func (m *machine) parts(v vector) []operand.Op {
	if m.wide {
		return []operand.Op{v.AsX(), v.AsY(), v}
	}
	return []operand.Op{v.AsX(), v}
}

// macro calls a macro of the assembler, whose parameters are in and out; it overwrites
// what is lost too.
func (m *machine) macro(name string, in, out []operand.Op, lost ...operand.Op) {
	m.Instruction(&ir.Instruction{
		Opcode: macroMark + name, Operands: slices.Concat(in, out),
		Inputs: in, Outputs: slices.Concat(out, lost),
	})
}

// macroMark begins what stands for a call of a macro where a text is printed.
const macroMark = "macro_"

// withMacros writes the calls of macros in the printed text as the assembler reads them, and makes
// functions for AVX-512 those of their file.
func withMacros(text []byte) []byte {
	text = wideFunction.ReplaceAll(text, []byte("TEXT $1<>"))
	return macroCall.ReplaceAll(text, []byte("\t$1($2)"))
}

var wideFunction = regexp.MustCompile(`(?m)^TEXT ·(\w+` + wideSuffix + `)\b`)

var macroCall = regexp.MustCompile(`(?m)^\t` + macroMark + `(\w+) *(.*)$`)
