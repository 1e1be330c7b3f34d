package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A machine emits one kernel for one width of vector. Its methods are the vector
// operations that kernels are written in; each has the same rounding, and the same
// result for NaN, on both widths.
type machine struct {
	*build.Context
	wide   bool // AVX-512 rather than AVX2
	table  *table
	labels int
	other  string // the function of the other width, that the present one may go on with
}

// lanes is the number of float64 in a vector.
func (m *machine) lanes() int {
	if m.wide {
		return 8
	}
	return 4
}

func newMachine(wide bool) *machine {
	return &machine{Context: build.NewContext(), wide: wide, table: newTable()}
}

// label returns a name that no other label of the function has.
func (m *machine) label(stem string) string {
	m.labels++
	return fmt.Sprintf("%s%d", stem, m.labels)
}

// A table holds the constants of a file, each repeated to fill a vector of AVX2.
type table struct {
	offsets map[uint64]int
	bits    []uint64
	masks   bool // whether the masks for tails are needed
}

func newTable() *table { return &table{offsets: map[uint64]int{}} }

// symbol names the table in the assembly of its file.
const symbol = "constants"

// width is the size of a vector of AVX2 in bytes.
const width = 32

// at is the operand that holds a constant.
func (t *table) at(bits uint64) operand.Mem {
	offset, ok := t.offsets[bits]
	if !ok {
		offset = width * len(t.bits)
		t.offsets[bits] = offset
		t.bits = append(t.bits, bits)
	}
	return operand.NewDataAddr(operand.NewStaticSymbol(symbol), offset)
}

// maskSymbol names eight words of ones and eight of zeros, from the middle of which
// masks of AVX2 are read.
const maskSymbol = "tails"

// text is the table, and the masks for tails if they are used, as data of the file.
func (t *table) text() []byte {
	b := []byte(`
#define REPEATED(at, bits) \
	DATA constants<>+at(SB)/8, bits; \
	DATA constants<>+(at+8)(SB)/8, bits; \
	DATA constants<>+(at+16)(SB)/8, bits; \
	DATA constants<>+(at+24)(SB)/8, bits

`)
	for i, bits := range t.bits {
		b = fmt.Appendf(b, "REPEATED(%d, $%#016x)\n", width*i, bits)
	}
	b = fmt.Appendf(b, "GLOBL %s<>(SB), RODATA|NOPTR, $%d\n", symbol, width*len(t.bits))
	if !t.masks {
		return b
	}
	b = append(b, '\n')
	for i := range 8 {
		ones := ^uint64(0)
		if i >= 4 {
			ones = 0
		}
		b = fmt.Appendf(b, "DATA %s<>+%d(SB)/8, $%#016x\n", maskSymbol, 8*i, ones)
	}
	return fmt.Appendf(b, "GLOBL %s<>(SB), RODATA|NOPTR, $64\n", maskSymbol)
}

// An arg is the operand of a vector operation: a vector or a constant.
type arg interface{}

// A vector is a register of float64, or of 64-bit integers.
type vector = reg.VecVirtual

// bits is a constant given by its bits.
type bits uint64

// vec allocates a vector.
func (m *machine) vec() vector {
	if m.wide {
		return m.ZMM()
	}
	return m.YMM()
}

// constant is the operand in memory of a constant, false if a is a vector.
func (m *machine) constant(a arg) (operand.Mem, bool) {
	switch a := a.(type) {
	case float64:
		return m.table.at(math.Float64bits(a)), true
	case int:
		return m.table.at(math.Float64bits(float64(a))), true
	case bits:
		return m.table.at(uint64(a)), true
	case operand.Mem:
		return a, true
	}
	return operand.Mem{}, false
}

// reg returns a as a register, loaded if it is a constant.
func (m *machine) reg(a arg) vector {
	mem, ok := m.constant(a)
	if !ok {
		return a.(vector)
	}
	v := m.vec()
	m.VBROADCASTSD(mem, v)
	return v
}

// emit emits op, with the constant operands given first broadcast by bcst for
// AVX-512. Operands are in Go's order: the last is the destination.
func (m *machine) emit(op, bcst func(...operand.Op), a arg, rest ...operand.Op) {
	mem, ok := m.constant(a)
	switch {
	case !ok:
		op(append([]operand.Op{a.(vector)}, rest...)...)
	case m.wide:
		bcst(append([]operand.Op{mem}, rest...)...)
	default:
		op(append([]operand.Op{mem}, rest...)...)
	}
}

// number64 is the place of a constant.
func (m *machine) number64(v float64) operand.Mem { return m.table.at(math.Float64bits(v)) }

// zero is 0 in all lanes.
func (m *machine) zero() vector {
	v := m.vec()
	if m.wide {
		m.VPXORQ(v, v, v)
	} else {
		m.VXORPD(v, v, v)
	}
	return v
}

// two is a new register with what op makes of a and b.
func (m *machine) two(op, bcst func(...operand.Op), a, b arg) vector {
	v, x := m.vec(), m.reg(a)
	m.emit(op, bcst, b, x, v)
	return v
}

// add is a + b.
func (m *machine) add(a, b arg) vector { return m.two(m.VADDPD, m.VADDPD_BCST, a, b) }

// sub is a − b.
func (m *machine) sub(a, b arg) vector { return m.two(m.VSUBPD, m.VSUBPD_BCST, a, b) }

// mul is a·b.
func (m *machine) mul(a, b arg) vector { return m.two(m.VMULPD, m.VMULPD_BCST, a, b) }

// div is a/b.
func (m *machine) div(a, b arg) vector { return m.two(m.VDIVPD, m.VDIVPD_BCST, a, b) }

// min is a if a < b, else b: b where one is NaN.
func (m *machine) min(a, b arg) vector { return m.two(m.VMINPD, m.VMINPD_BCST, a, b) }

// max is a if a > b, else b: b where one is NaN.
func (m *machine) max(a, b arg) vector { return m.two(m.VMAXPD, m.VMAXPD_BCST, a, b) }

// and is the conjunction of the bits of a and b.
func (m *machine) and(a, b arg) vector { return m.two(m.VANDPD, m.VANDPD_BCST, a, b) }

// or is the disjunction of the bits of a and b.
func (m *machine) or(a, b arg) vector { return m.two(m.VORPD, m.VORPD_BCST, a, b) }

// xor is the exclusive disjunction of the bits of a and b.
func (m *machine) xor(a, b arg) vector { return m.two(m.VXORPD, m.VXORPD_BCST, a, b) }

// addInt is a + b of 64-bit integers.
func (m *machine) addInt(a, b arg) vector { return m.two(m.VPADDQ, m.VPADDQ_BCST, a, b) }

// subInt is a − b of 64-bit integers.
func (m *machine) subInt(a, b arg) vector { return m.two(m.VPSUBQ, m.VPSUBQ_BCST, a, b) }

// left is a shifted left by k bits.
func (m *machine) left(a vector, k int) vector {
	v := m.vec()
	m.VPSLLQ(operand.U8(k), a, v)
	return v
}

// right is a shifted right by k bits, zeros coming in.
func (m *machine) right(a vector, k int) vector {
	v := m.vec()
	m.VPSRLQ(operand.U8(k), a, v)
	return v
}

// sqrt is the square root of a.
func (m *machine) sqrt(a vector) vector {
	v := m.vec()
	m.VSQRTPD(a, v)
	return v
}

// copy is a in a register that may be overwritten.
func (m *machine) copy(a arg) vector {
	if _, ok := m.constant(a); ok {
		return m.reg(a)
	}
	v := m.vec()
	m.VMOVAPD(a.(vector), v)
	return v
}

// fused replaces p by what op makes of it, a and b.
func (m *machine) fused(op, bcst func(...operand.Op), p vector, a, b arg) vector {
	x := m.reg(a)
	m.emit(op, bcst, b, x, p)
	return p
}

// mulAdd replaces p by p·a + b, rounded once.
func (m *machine) mulAdd(p vector, a, b arg) vector {
	return m.fused(m.VFMADD213PD, m.VFMADD213PD_BCST, p, a, b)
}

// mulSub replaces p by p·a − b, rounded once.
func (m *machine) mulSub(p vector, a, b arg) vector {
	return m.fused(m.VFMSUB213PD, m.VFMSUB213PD_BCST, p, a, b)
}

// negMulAdd replaces p by b − p·a, rounded once.
func (m *machine) negMulAdd(p vector, a, b arg) vector {
	return m.fused(m.VFNMADD213PD, m.VFNMADD213PD_BCST, p, a, b)
}

// addMul replaces p by p + a·b, rounded once.
func (m *machine) addMul(p vector, a, b arg) vector {
	return m.fused(m.VFMADD231PD, m.VFMADD231PD_BCST, p, a, b)
}

// subMul replaces p by p − a·b, rounded once.
func (m *machine) subMul(p vector, a, b arg) vector {
	return m.fused(m.VFNMADD231PD, m.VFNMADD231PD_BCST, p, a, b)
}

// fma is a·b + c, rounded once.
func (m *machine) fma(a, b, c arg) vector { return m.mulAdd(m.copy(a), b, c) }

// fms is a·b − c, rounded once.
func (m *machine) fms(a, b, c arg) vector { return m.mulSub(m.copy(a), b, c) }

// fnma is c − a·b, rounded once.
func (m *machine) fnma(a, b, c arg) vector { return m.negMulAdd(m.copy(a), b, c) }

// poly is the polynomial Σ c[i]·x^i. From nine coefficients on, even and odd powers
// are two of x², which take half as long one beside the other.
func (m *machine) poly(x vector, c ...float64) vector {
	if len(c) < 9 {
		return m.horner(x, c)
	}
	var parts [2][]float64
	for i, v := range c {
		parts[i%2] = append(parts[i%2], v)
	}
	square := m.mul(x, x)
	odd := m.horner(square, parts[1])
	return m.mulAdd(odd, x, m.horner(square, parts[0]))
}

// horner is the polynomial Σ c[i]·x^i by Horner's rule.
func (m *machine) horner(x vector, c []float64) vector {
	p := m.reg(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		m.mulAdd(p, x, c[i])
	}
	return p
}

// round is a rounded to an integer, to the even one of two.
func (m *machine) round(a vector) vector {
	v := m.vec()
	if m.wide {
		m.VRNDSCALEPD(operand.U8(0), a, v)
	} else {
		m.VROUNDPD(operand.U8(0), a, v)
	}
	return v
}
