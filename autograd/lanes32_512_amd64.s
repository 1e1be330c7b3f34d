//go:build !purego

#include "textflag.h"

// The operations of lane programs in float32 for AVX-512. Every lane is computed as
// in lanes32_amd64.s, rounding by rounding, and sums over lanes are taken in its order,
// so that results agree to the bit.

#define TABLE ·singleTable512(SB)
#include "lanes_amd64.h"

#define WORD 4
#define VADD VADDPS
#define VSUB VSUBPS
#define VMUL VMULPS
#define VDIV VDIVPS
#define VMAX VMAXPS
#define VCMP VCMPPS
#define VFMA VFMADD231PS
#define VFMA213 VFMADD213PS
#define VFMABCST VFMADD231PS.BCST
#define VMOVE VMOVAPS
#define VBROADCAST VBROADCASTSS
#include "lanes512_amd64.h"

// func singleLanesAVX512(x *singleMachine, pc int) int
TEXT ·singleLanesAVX512(SB), NOSPLIT|NOFRAME, $0-24
	START
	DISPATCH

TEXT ·single512Copy(SB), NOSPLIT|NOFRAME, $0
	UNARY
	EACH(COPY)

// PICK puts four lanes, from number at of the selection at DX on, into x, from the
// register at SI.
#define PICK(at, x) \
	MOVLQSX   (4*at)(DX), AX              \
	MOVLQSX   (4*at+4)(DX), BX            \
	VMOVSS    (SI)(AX*4), x               \
	VINSERTPS $0x10, (SI)(BX*4), x, x     \
	MOVLQSX   (4*at+8)(DX), AX            \
	MOVLQSX   (4*at+12)(DX), BX           \
	VINSERTPS $0x20, (SI)(AX*4), x, x     \
	VINSERTPS $0x30, (SI)(BX*4), x, x

// Single loads: the gather instructions are slow where microcode runs them.
TEXT ·single512Gather(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX 8(R13), SI
	IMULQ   machine_fullStride(R11), SI
	ADDQ    machine_full(R11), SI
	MOVQ    machine_active(R11), DX
	MOVQ    R12, CX
loop:
	PICK(0, X0)
	PICK(4, X1)
	PICK(8, X2)
	PICK(12, X3)
	VINSERTF128  $1, X1, Y0, Y0
	VINSERTF128  $1, X3, Y2, Y2
	VINSERTF64X4 $1, Y2, Z0, Z0
	VMOVUPD      Z0, (DI)
	ADDQ         $64, DX
	ADDQ         $64, DI
	SUBQ         $64, CX
	JNE          loop
	NEXT

TEXT ·single512Fill(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX      8(R13), SI
	MOVQ         R12, CX
	VBROADCASTSS (R8)(SI*4), Z0
loop:
	VMOVUPD Z0, (DI)
	ADDQ    $64, DI
	SUBQ    $64, CX
	JNE     loop
	NEXT

TEXT ·single512Neg(SB), NOSPLIT|NOFRAME, $0
	UNARY
	VBROADCASTSS ·singleConstants+4(SB), Z8
	EACH(NEG)

TEXT ·single512Add(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(ADD)

TEXT ·single512Sub(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(SUB)

TEXT ·single512Mul(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(MUL)

TEXT ·single512MulAdd(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(MULADD)

TEXT ·single512Scale(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	EACH(SCALE)

TEXT ·single512NegScale(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSS ·singleConstants+4(SB), Z9
	VXORPD       Z9, Z8, Z8
	EACH(SCALE)

// EACHWIDE runs OP(x) on all lanes of register a, widened, and rounds the results;
// all lanes of Z8 are the float64 m[b].
#define EACHWIDE(OP) \
	UNARY                              \
	MOVLQSX      12(R13), DX           \
	MOVQ         machine_wide(R11), BX \
	MOVQ         R12, CX               \
	VBROADCASTSD (BX)(DX*8), Z8        \
loop:                                  \
	VCVTPS2PD    (SI), Z0              \
	VCVTPS2PD    32(SI), Z1            \
	OP(Z0)                             \
	OP(Z1)                             \
	VCVTPD2PS    Z0, Y0                \
	VCVTPD2PS    Z1, Y1                \
	VINSERTF64X4 $1, Y1, Z0, Z0        \
	VMOVUPD      Z0, (DI)              \
	ADDQ         $64, SI               \
	ADDQ         $64, DI               \
	SUBQ         $64, CX               \
	JNE          loop                  \
	NEXT

#define ADDS(x) \
	VADDPD Z8, x, x

TEXT ·single512AddS(SB), NOSPLIT|NOFRAME, $0
	EACHWIDE(ADDS)

#define SUBS(x) \
	VSUBPD Z8, x, x

TEXT ·single512SubS(SB), NOSPLIT|NOFRAME, $0
	EACHWIDE(SUBS)

#define RSUBS(x) \
	VSUBPD x, Z8, x

TEXT ·single512RSubS(SB), NOSPLIT|NOFRAME, $0
	EACHWIDE(RSUBS)

TEXT ·single512Relu(SB), NOSPLIT|NOFRAME, $0
	UNARY
	VXORPD X8, X8, X8
	EACH(RELU)

TEXT ·single512Positive(SB), NOSPLIT|NOFRAME, $0
	UNARY
	VXORPD       X8, X8, X8
	VBROADCASTSS ·singleConstants+0(SB), Z9
	EACH(POSITIVE)

TEXT ·single512SigmoidShift(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSS 4(R8)(DX*4), Z9
	VBROADCASTSS ·singleConstants+0(SB), Z10
	EACH(SIGMOIDSHIFT)

TEXT ·single512Less(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSS ·singleConstants+0(SB), Z9
	EACH(LESS)

// SUMLANES adds the lanes of Z10 and Z11 and stores the sum in the arena.
#define SUMLANES \
	VEXTRACTF64X4 $1, Z10, Y12          \
	VEXTRACTF64X4 $1, Z11, Y13          \
	VADDPD        Y12, Y10, Y10         \
	VADDPD        Y13, Y11, Y11         \
	VADDPD        Y11, Y10, Y10         \
	VEXTRACTF128  $1, Y10, X11          \
	VADDPD        X11, X10, X10         \
	VHADDPD       X10, X10, X10         \
	MOVLQSX       4(R13), DI            \
	MOVQ          machine_wide(R11), BX \
	VMOVSD        X10, (BX)(DI*8)       \
	NEXT

// SUMSTART clears the sums and loads the masks of the lanes of the last vector that
// count into K1 and K2.
#define SUMSTART \
	MOVQ      R12, CX               \
	MOVQ      machine_tail(R11), AX \
	VXORPD    X10, X10, X10         \
	VXORPD    X11, X11, X11         \
	VMOVDQU32 (AX), Z9              \
	VPMOVD2M  Z9, K1                \
	KSHIFTRW  $8, K1, K2

TEXT ·single512Sum(SB), NOSPLIT|NOFRAME, $0
	REG(8, SI)
	SUMSTART
loop:
	SUBQ      $64, CX
	JEQ       last
	VCVTPS2PD (SI), Z0
	VCVTPS2PD 32(SI), Z1
	VADDPD    Z0, Z10, Z10
	VADDPD    Z1, Z11, Z11
	ADDQ      $64, SI
	JMP       loop
last:
	VCVTPS2PD (SI), Z0
	VCVTPS2PD 32(SI), Z1
	VADDPD    Z0, Z10, K1, Z10
	VADDPD    Z1, Z11, K2, Z11
	SUMLANES

// Products are exact in float64.
TEXT ·single512SumProduct(SB), NOSPLIT|NOFRAME, $0
	REG(8, SI)
	REG(12, DX)
	SUMSTART
loop:
	VCVTPS2PD   (SI), Z0
	VCVTPS2PD   32(SI), Z1
	VCVTPS2PD   (DX), Z2
	VCVTPS2PD   32(DX), Z3
	SUBQ        $64, CX
	JEQ         last
	VFMADD231PD Z0, Z2, Z10
	VFMADD231PD Z1, Z3, Z11
	ADDQ        $64, SI
	ADDQ        $64, DX
	JMP         loop
last:
	VFMADD231PD Z0, Z2, K1, Z10
	VFMADD231PD Z1, Z3, K2, Z11
	SUMLANES

TEXT ·single512Dot(SB), NOSPLIT|NOFRAME, $0
	DOT

TEXT ·single512DotPairs(SB), NOSPLIT|NOFRAME, $0
	DOTPAIRS

TEXT ·single512Tile(SB), NOSPLIT|NOFRAME, $0
	TILESTART
	BLOCKS(WIDEPLAIN, PLAIN)

TEXT ·single512TileRelu(SB), NOSPLIT|NOFRAME, $0
	TILESTART
	VPXORQ Z24, Z24, Z24
	BLOCKS(WIDERELU, NARROWRELU)

TEXT ·single512TileSquares(SB), NOSPLIT|NOFRAME, $0
	TILESQUARES

TEXT ·single512Block(SB), NOSPLIT|NOFRAME, $0
	BLOCK

// NEXT16 leaves the next numbers of a stream in Z4, as package vector draws them,
// rounded as by roundGo: odd multiples of 2⁻⁵³, the multiple being rounded. Y5 is
// free. UNIFORMCONSTANTS loads what it needs.
#define NEXT16 \
	STEP(Z4)                         \
	STEP(Z5)                         \
	VPSRLQ       $11, Z4, Z4         \
	VPSRLQ       $11, Z5, Z5         \
	VPORQ        Z11, Z4, Z4         \
	VPORQ        Z11, Z5, Z5         \
	VCVTQQ2PS    Z4, Y4              \
	VCVTQQ2PS    Z5, Y5              \
	VINSERTF64X4 $1, Y5, Z4, Z4      \
	VMULPS       Z12, Z4, Z4         \
	VMINPS       Z13, Z4, Z4

#define UNIFORMCONSTANTS \
	VPBROADCASTQ ·singleConstants+32(SB), Z11 \
	VBROADCASTSS ·singleConstants+40(SB), Z12 \
	VBROADCASTSS ·singleConstants+44(SB), Z13

// NEXTVECTOR stores x and goes on.
#define NEXTVECTOR(x, loop) \
	VMOVUPD x, (DI)  \
	ADDQ    $64, DI  \
	SUBQ    $16, CX  \
	JNE     loop     \
	STORESTREAM      \
	NEXT

// dst = the next numbers of stream a.
TEXT ·single512Draw(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	UNIFORMCONSTANTS
loop:
	NEXT16
	NEXTVECTOR(Z4, loop)

// See laneOpDrawLess. Without a bound all lanes are 0.
TEXT ·single512DrawLess(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	SINGLEBOUND
	VBROADCASTSS ·singleConstants+0(SB), Z12
	TESTQ        AX, AX
	JNE          some
	VPXORQ       Z12, Z12, Z12
some:
	SHLQ         $12, AX
	DECQ         AX
	VPBROADCASTQ AX, Z13
loop:
	STEP(Z4)
	STEP(Z5)
	VPCMPUQ   $2, Z13, Z4, K1
	VPCMPUQ   $2, Z13, Z5, K2
	KUNPCKBW  K1, K2, K1
	VMOVAPS.Z Z12, K1, Z4
	NEXTVECTOR(Z4, loop)

TEXT ·single512DrawShift(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	UNIFORMCONSTANTS
	MOVLQSX      12(R13), DX
	VBROADCASTSS (R8)(DX*4), Z8
	VBROADCASTSS 4(R8)(DX*4), Z9
	VBROADCASTSS ·singleConstants+0(SB), Z10
loop:
	NEXT16
	SHIFT(Z4, Z5)
	NEXTVECTOR(Z4, loop)

// singleTable512 has one entry for each laneCode.
DATA ·singleTable512+0(SB)/8, $·laneStop(SB)
DATA ·singleTable512+8(SB)/8, $·single512Copy(SB)
DATA ·singleTable512+16(SB)/8, $·single512Gather(SB)
DATA ·singleTable512+24(SB)/8, $·single512Fill(SB)
DATA ·singleTable512+32(SB)/8, $·single512Neg(SB)
DATA ·singleTable512+40(SB)/8, $·single512Add(SB)
DATA ·singleTable512+48(SB)/8, $·single512Sub(SB)
DATA ·singleTable512+56(SB)/8, $·single512Mul(SB)
DATA ·singleTable512+64(SB)/8, $·single512MulAdd(SB)
DATA ·singleTable512+72(SB)/8, $·single512Scale(SB)
DATA ·singleTable512+80(SB)/8, $·single512NegScale(SB)
DATA ·singleTable512+88(SB)/8, $·single512AddS(SB)
DATA ·singleTable512+96(SB)/8, $·single512SubS(SB)
DATA ·singleTable512+104(SB)/8, $·single512RSubS(SB)
DATA ·singleTable512+112(SB)/8, $·single512Dot(SB)
DATA ·singleTable512+120(SB)/8, $·single512DotPairs(SB)
DATA ·singleTable512+128(SB)/8, $·single512Tile(SB)
DATA ·singleTable512+136(SB)/8, $·single512TileRelu(SB)
DATA ·singleTable512+144(SB)/8, $·single512TileSquares(SB)
DATA ·singleTable512+152(SB)/8, $·single512Block(SB)
DATA ·singleTable512+160(SB)/8, $·single512Relu(SB)
DATA ·singleTable512+168(SB)/8, $·single512Positive(SB)
DATA ·singleTable512+176(SB)/8, $·single512SigmoidShift(SB)
DATA ·singleTable512+184(SB)/8, $·single512Less(SB)
DATA ·singleTable512+192(SB)/8, $·single512Sum(SB)
DATA ·singleTable512+200(SB)/8, $·single512SumProduct(SB)
DATA ·singleTable512+208(SB)/8, $·single512Draw(SB)
DATA ·singleTable512+216(SB)/8, $·single512DrawLess(SB)
DATA ·singleTable512+224(SB)/8, $·single512DrawShift(SB)
DATA ·singleTable512+232(SB)/8, $·laneStop(SB)
DATA ·singleTable512+240(SB)/8, $·laneStop(SB)
DATA ·singleTable512+248(SB)/8, $·laneStop(SB)
DATA ·singleTable512+256(SB)/8, $·laneStop(SB)
DATA ·singleTable512+264(SB)/8, $·laneStop(SB)
DATA ·singleTable512+272(SB)/8, $·laneStop(SB)
DATA ·singleTable512+280(SB)/8, $·laneStop(SB)
GLOBL ·singleTable512(SB), NOPTR, $288
