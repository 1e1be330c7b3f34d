// What the lane operations of every kernel set have in common. An operation is four
// int32: code, dst, a, b. One jumps to the next through a table, so that nothing is
// called and no vector register is cleared in between. A file that includes this
// defines TABLE, its table with one entry for each Code. Registers of the
// processor:
//
//	R8  uniform arena          R11 the state
//	R9  registers              R12 bytes between registers
//	R10 pool of operands       R13 the operation
//
// Registers are R12 bytes apart and have a multiple of 8 lanes.

// DISPATCH jumps to the operation at R13.
#define DISPATCH \
	MOVLQSX (R13), AX      \
	LEAQ    TABLE, BX      \
	MOVQ    (BX)(AX*8), BX \
	JMP     BX

// NEXT goes on with the following operation.
#define NEXT \
	ADDQ $16, R13 \
	DISPATCH

// START begins with the arguments of a function (x *state, pc int) int.
#define START \
	MOVQ x+0(FP), R11             \
	MOVQ pc+8(FP), R13            \
	SHLQ $4, R13                  \
	ADDQ state_code(R11), R13   \
	MOVQ state_m(R11), R8       \
	MOVQ state_r(R11), R9       \
	MOVQ state_args(R11), R10   \
	MOVQ state_stride(R11), R12

// REG turns the register number at offset off of the operation into an address.
#define REG(off, to) \
	MOVLQSX off(R13), to \
	IMULQ   R12, to      \
	ADDQ    R9, to

// BOUND finds how many k in 0, 1, …, 2⁵²−1 satisfy (2k+1)·2⁻⁵³ < t, with t in X9: AX
// is ⌈2⁵²·t − 1/2⌉ within these bounds, 0 for NaN. The sum is exact from 2⁻⁵³ on and
// in (−1, 0) below.
#define BOUND \
	VXORPD      X8, X8, X8                     \
	VMAXSD      X8, X9, X9                     \
	VMINSD      ·constants+0(SB), X9, X9   \
	VMOVSD      ·constants+24(SB), X10     \
	VFMADD213SD ·constants+32(SB), X10, X9 \
	VROUNDSD    $2, X9, X9, X9                 \
	VCVTTSD2SIQ X9, AX

// LESSBOUND is BOUND with t = m[b].
#define LESSBOUND \
	MOVLQSX 12(R13), DX       \
	VMOVSD  (R8)(DX*8), X9    \
	BOUND

