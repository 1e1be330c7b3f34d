package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// A set writes the operations of one kernel set. Its vectors have so many bytes.
type set struct {
	*machine
	name      string
	bytes     int
	functions map[string]string // by code
}

// gp is a register for integers.
type gp = reg.GPVirtual

// The registers that keep their meaning.
var (
	arena     = reg.R8
	registers = reg.R9
	pool      = reg.R10
	self      = reg.R11
	stride    = reg.R12
	current   = reg.R13
)

// line is the bytes of eight lanes, of which every register has a multiple.
const line = 64

func newSet(wide bool) *set {
	m := newMachine(wide)
	if wide {
		return &set{machine: m, name: "avx512", bytes: 64, functions: map[string]string{}}
	}
	return &set{machine: m, name: "avx2", bytes: 32, functions: map[string]string{}}
}

// assemble writes all operations and returns the text of the file.
func (s *set) assemble(rows []row) ([]byte, error) {
	s.ConstraintExpr("!purego")
	s.entry()
	s.elementwise()
	for _, k := range pointwise {
		if k.code != "" {
			s.pointwise(k)
		}
	}
	s.overLanes()
	s.sums()
	s.tiles()
	s.block()
	s.draws()
	if !s.wide { // which the other set shares
		s.stop()
		s.scalePanels()
	}
	file, err := s.Result()
	if err != nil {
		return nil, allErrors(err)
	}
	file.Includes = []string{"textflag.h", "go_asm.h", "operations_amd64.h"}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, err
	}
	text, err := printer.NewGoAsm(printer.Config{Name: origin}).Print(file)
	if err != nil {
		return nil, err
	}
	if found := s.foreign().Find(text); found != nil {
		return nil, fmt.Errorf("register %s is not one of the set", found)
	}
	text = withMacros(text)
	table, err := s.jumpTable(rows)
	return slices.Concat(bytes.TrimRight(text, "\n"), []byte("\n"+table), s.table.text()), err
}

// allErrors lists the errors of a description, of which the text of err has the first.
func allErrors(err error) error {
	var list build.ErrorList
	if !errors.As(err, &list) {
		return err
	}
	var all []error
	for _, e := range list {
		all = append(all, e)
	}
	return errors.Join(all...)
}

// foreign matches registers that need what processors of the set may not have: those from
// 16 on need AVX-512, and for 128 and 256 bits AVX-512 VL.
func (s *set) foreign() *regexp.Regexp {
	if s.wide {
		return regexp.MustCompile(`\b[XY](1[6-9]|2\d|3[01])\b`)
	}
	return regexp.MustCompile(`\b([XY](1[6-9]|2\d|3[01])|Z\d+|K\d)\b`)
}

// entry writes the function that Go calls.
func (s *set) entry() {
	name := "runAVX2"
	if s.wide {
		name = "runAVX512"
	}
	s.start(name, "func(x *byte, pc int) int")
	s.Load(s.Param("x"), self)
	pc := s.GP64()
	s.Load(s.Param("pc"), pc)
	s.IMUL3Q(U8(16), pc, current) // the bytes of an operation
	s.ADDQ(s.state("code"), current)
	s.MOVQ(s.state("m"), arena)
	s.MOVQ(s.state("r"), registers)
	s.MOVQ(s.state("args"), pool)
	s.MOVQ(s.state("stride"), stride)
	s.jump("DISPATCH")
}

// stop writes where operations that assembly does not have lead to: it returns the
// number of the operation, in the frame of the function that Go called.
func (s *set) stop() {
	s.start("stop", "func(x *byte, pc int) int")
	s.SUBQ(s.state("code"), current)
	s.SARQ(U8(4), current)
	s.Store(current, s.ReturnIndex(0))
	s.VZEROUPPER()
	s.RET()
}

// start begins a function without a frame.
func (s *set) start(name, signature string) {
	s.Function(name)
	s.Attributes(attr.NOSPLIT | attr.NOFRAME)
	s.SignatureExpr(signature)
}

// operation begins an operation, and others that are the same function.
func (s *set) operation(codes ...string) {
	function := s.name + codes[0]
	for _, code := range codes {
		s.functions[code] = function
	}
	s.start(function, "func()")
}

// next goes on with the operation that follows.
func (s *set) next() { s.jump("NEXT") }

// jump ends a function with a macro that jumps to where an operation starts.
func (s *set) jump(macro string) {
	s.Instruction(&ir.Instruction{
		Opcode: macroMark + macro, Operands: []Op{NewDataAddr(NewStaticSymbol(s.name+"Table"), 0)},
		IsTerminal: true,
		Inputs:     []Op{arena, registers, pool, self, stride, current},
	})
}

// state is a field of the state of the self.
func (s *set) state(field string) Mem {
	return Mem{Symbol: Symbol{Name: "state_" + field}, Base: self}
}

// loaded is a number of 64 bits in a register of its own.
func (s *set) loaded(from Op) gp {
	r := s.GP64()
	s.MOVQ(from, r)
	return r
}

// int32 is a number of 32 bits in a register of its own.
func (s *set) int32(from Mem) gp {
	r := s.GP64()
	s.MOVLQSX(from, r)
	return r
}

// pair is two numbers of 32 bits, the first one not negative. Loads are what sums of
// products wait for: one is enough.
func (s *set) pair(from Mem) (first, second gp) {
	first, second = s.GP64(), s.loaded(from)
	s.MOVL(second.As32(), first.As32())
	s.SARQ(U8(32), second)
	return first, second
}

// field is a field of the operation.
func (s *set) field(name string) gp { return s.int32(s.fieldAt(name)) }

func (s *set) fieldAt(name string) Mem {
	return Mem{Symbol: Symbol{Name: "Op_" + name}, Base: current}
}

// register is the address of the register that a field of the operation names.
func (s *set) register(field string) gp {
	r := s.GP64()
	s.macro("REGISTER", []Op{Mem{Symbol: Symbol{Name: "Op_" + field}, Base: current}}, []Op{r})
	return r
}

// number is the place in the arena that a field of the operation names.
func (s *set) number(field string) Mem {
	return Mem{Base: arena, Index: s.field(field), Scale: 8}
}

// operands is where the operation's operands start in the pool.
func (s *set) operands() gp {
	at := s.field("A")
	s.LEAQ(Mem{Base: pool, Index: at, Scale: 4}, at)
	return at
}

func (s *set) load(from Mem) vector {
	v := s.vec()
	s.VMOVUPD(from, v)
	return v
}

// imm is a number in the shortest form that instructions take.
func imm(n int) Constant {
	if n < 1<<7 {
		return U8(n)
	}
	return U32(n)
}

// bump adds n bytes to all registers, left apart, from which it subtracts them. The flags
// are those of left.
func (s *set) bump(n int, left gp, rs ...gp) {
	for _, r := range rs {
		s.ADDQ(imm(n), r)
	}
	s.SUBQ(imm(n), left)
}

// passes runs body on the lanes, as many vectors at a time as sizes say, in the order of
// sizes, while so many are left. Then it goes on with the next operation. move lists
// what moves along.
func (s *set) passes(sizes []int, move []gp, body func(vectors int, label func(string) string)) {
	left := s.loaded(stride)
	for _, n := range sizes {
		label := func(name string) string { return fmt.Sprint(name, n) }
		s.CMPQ(left, imm(n*s.bytes))
		s.JLT(LabelRef(label("next")))
		s.Label(label("pass"))
		body(n, label)
		s.bump(n*s.bytes, left, move...)
		s.CMPQ(left, imm(n*s.bytes))
		s.JGE(LabelRef(label("pass")))
		s.Label(label("next"))
	}
	s.next()
}
