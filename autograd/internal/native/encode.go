package native

import "encoding/binary"

// A text is machine code with VEX prefixes, as AVX2 has them. The first argument of the
// function, in register DI, is the address of the arena, the second, in SI, that of the list of
// the arrays' addresses. AX is the address of an array.
type text struct{ code []byte }

// Prefixes and maps of instructions.
const (
	packed = 1 // 66
	single = 3 // F2
	map0F  = 1
	map38  = 2
	map3A  = 3
)

// Opcodes in map 0F: of packed numbers with prefix 66, of single ones with F2.
const (
	opLoad  = 0x10
	opStore = 0x11
	opMove  = 0x28
	opSqrt  = 0x51
	opAndN  = 0x55
	opXor   = 0x57
	opAdd   = 0x58
	opMul   = 0x59
	opSub   = 0x5C
	opDiv   = 0x5E
)

// A place is a vector register, or a number of the arena or of the array that AX points to.
type place struct {
	reg    int
	memory bool
	base   byte  // the register that has the address: AX of an array, others of the arena
	at     int32 // number of the arena or array
}

// arrayBase is AX.
const arrayBase = 0

func register(r int) place    { return place{reg: r} }
func wide(n uint8) (bit byte) { return n >> 2 } // four numbers fill 256 bits

// vex appends an instruction: its prefix, map, 256 bits or fewer, opcode, and operands. v is 0
// for instructions of two operands.
func (t *text) vex(prefix, table, l, opcode byte, reg, v int, rm place) {
	high := byte(0)
	if reg < 8 {
		high = 0x80
	}
	second := ^byte(v)&15<<3 | l<<2 | prefix
	field, base := byte(reg&7)<<3, byte(rm.reg)
	if rm.memory {
		base = rm.base
	}
	if table == map0F && base < 8 {
		t.code = append(t.code, 0xC5, high|second)
	} else {
		low := byte(0x60)
		if base >= 8 {
			low = 0x40
		}
		t.code = append(t.code, 0xC4, high|low|table, second)
	}
	t.code = append(t.code, opcode)
	base &= 7
	switch off := 8 * rm.at; {
	case !rm.memory:
		t.code = append(t.code, 0xC0|field|base)
	case off < 128:
		t.code = append(t.code, 0x40|field|base, byte(off))
	default:
		t.code = binary.LittleEndian.AppendUint32(append(t.code, 0x80|field|base), uint32(off))
	}
}

// bases are the registers of the classes. Those of the first class lie at the same places of the
// arena in all functions.
var bases = [...]byte{7, 1, 2, 3, 8, 9, 10, 11} // DI, CX, DX, BX, R8 to R11

// addresses makes registers the addresses of classes of numbers. AX is that of the shifts.
func (t *text) addresses(classes int) {
	for k, r := range bases[1:classes] {
		rex := 0x48 | r>>3<<2
		t.code = append(t.code, rex, 0x8B, 0x40|r&7<<3, byte(8*(k+1))) // MOVQ 8*(k+1)(AX), r
		t.code = append(t.code, rex, 0x03, 0xC7|r&7<<3)                // ADDQ DI, r
	}
}

// array makes AX the address of an array.
func (t *text) array(number int16) {
	// MOVQ (SI), AX
	t.code = binary.LittleEndian.AppendUint32(append(t.code, 0x48, 0x8B, 0x86), 8*uint32(number))
}

// fetch brings code that comes later into a nearer cache.
func (t *text) fetch() {
	const ahead = 4096
	// PREFETCHT1 ahead(IP)
	t.code = binary.LittleEndian.AppendUint32(append(t.code, 0x0F, 0x18, 0x15), ahead)
}

// load reads n numbers.
func (t *text) load(r int, n uint8, from place) {
	prefix := byte(packed)
	if n == 1 {
		prefix = single
	}
	t.vex(prefix, map0F, wide(n), opLoad, r, 0, from)
}

// store writes n numbers.
func (t *text) store(r int, n uint8, to place) {
	prefix := byte(packed)
	if n == 1 {
		prefix = single
	}
	t.vex(prefix, map0F, wide(n), opStore, r, 0, to)
}

// repeat makes n numbers of one.
func (t *text) repeat(r int, n uint8, from place) {
	if n == 2 { // VMOVDDUP
		t.vex(single, map0F, 0, 0x12, r, 0, from)
		return
	}
	t.vex(packed, map38, 1, 0x19, r, 0, from) // VBROADCASTSD
}

// binary is r = a op b on n numbers.
func (t *text) binary(opcode byte, n uint8, r, a int, b place) {
	prefix := byte(packed)
	if n == 1 && opcode != opXor && opcode != opAndN {
		prefix = single
	}
	t.vex(prefix, map0F, wide(n), opcode, r, a, b)
}

// sqrt is r = √b on n numbers.
func (t *text) sqrt(n uint8, r int, b place) {
	if n == 1 {
		a := r // whose upper half is kept
		if !b.memory {
			a = b.reg
		}
		t.vex(single, map0F, 0, opSqrt, r, a, b)
		return
	}
	t.vex(packed, map0F, wide(n), opSqrt, r, 0, b)
}

// lane is number i of a register.
func (t *text) lane(r, from int, i int32) {
	if i >= 2 { // VEXTRACTF128, of which the source is the field of registers and memory
		t.vex(packed, map3A, 1, 0x19, from, 0, register(r))
		t.code = append(t.code, 1)
		from = r
	}
	if i%2 == 1 { // VPERMILPD
		t.vex(packed, map3A, 0, 0x05, r, 0, register(from))
		t.code = append(t.code, 1)
	} else if i == 0 {
		t.move(r, from)
	}
}

// shift makes four numbers of the last of one register and the first of another.
func (t *text) shift(r, low, high int, shift int32) {
	const shufPD = 0xC6
	t.vex(packed, map3A, 1, 0x06, r, low, register(high)) // VPERM2F128: the middle
	t.code = append(t.code, 0x21)
	switch shift {
	case 1:
		t.vex(packed, map0F, 1, shufPD, r, low, register(r))
		t.code = append(t.code, 0x5)
	case 3:
		t.vex(packed, map0F, 1, shufPD, r, r, register(high))
		t.code = append(t.code, 0x5)
	}
}

// move copies a register.
func (t *text) move(r, from int) { t.vex(packed, map0F, 1, opMove, r, 0, register(from)) }

// signs sets all sign bits of a register.
func (t *text) signs(r int) {
	t.vex(packed, map0F, 1, 0x76, r, r, register(r)) // VPCMPEQD: all bits
	t.vex(packed, map0F, 1, 0x73, 6, r, register(r)) // VPSLLQ
	t.code = append(t.code, 63)
}

// end returns.
func (t *text) end() {
	t.code = append(t.code, 0xC5, 0xF8, 0x77, 0xC3) // VZEROUPPER, RET
}
