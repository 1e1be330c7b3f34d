//go:build !purego

#include "textflag.h"

// The operations of lane programs for AVX-512. Every lane is computed as in
// lanes_amd64.s, rounding by rounding, and sums over lanes are taken in its order,
// so that results agree to the bit.

#define TABLE ·laneTable512(SB)
#include "lanes_amd64.h"

#define WORD 8
#define VADD VADDPD
#define VSUB VSUBPD
#define VMUL VMULPD
#define VDIV VDIVPD
#define VMAX VMAXPD
#define VCMP VCMPPD
#define VFMA VFMADD231PD
#define VFMA213 VFMADD213PD
#define VFMABCST VFMADD231PD.BCST
#define VMOVE VMOVAPD
#define VBROADCAST VBROADCASTSD
#include "lanes512_amd64.h"

// func lanesAVX512(x *laneMachine, pc int) int
TEXT ·lanesAVX512(SB), NOSPLIT|NOFRAME, $0-24
	START
	DISPATCH

TEXT ·lane512Copy(SB), NOSPLIT|NOFRAME, $0
	UNARY
	EACH(COPY)

// PICK puts lanes at and at+1 of the selection at DX into x, from the register at
// SI.
#define PICK(at, x) \
	MOVLQSX (4*at)(DX), AX         \
	MOVLQSX (4*at+4)(DX), BX       \
	VMOVSD  (SI)(AX*8), x          \
	VMOVHPD (SI)(BX*8), x, x

// Single loads: the gather instructions are slow where microcode runs them.
TEXT ·lane512Gather(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX 8(R13), SI
	IMULQ   machine_fullStride(R11), SI
	ADDQ    machine_full(R11), SI
	MOVQ    machine_active(R11), DX
	MOVQ    machine_n(R11), CX
loop:
	PICK(0, X0)
	PICK(2, X1)
	PICK(4, X2)
	PICK(6, X3)
	VINSERTF128  $1, X1, Y0, Y0
	VINSERTF128  $1, X3, Y2, Y2
	VINSERTF64X4 $1, Y2, Z0, Z0
	VMOVUPD      Z0, (DI)
	ADDQ         $32, DX
	ADDQ         $64, DI
	SUBQ         $8, CX
	JNE          loop
	NEXT

TEXT ·lane512Fill(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX      8(R13), SI
	MOVQ         machine_n(R11), CX
	VBROADCASTSD (R8)(SI*8), Z0
loop:
	VMOVUPD Z0, (DI)
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNE     loop
	NEXT

TEXT ·lane512Neg(SB), NOSPLIT|NOFRAME, $0
	UNARY
	VBROADCASTSD ·laneConstants+8(SB), Z8
	EACH(NEG)

TEXT ·lane512Add(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(ADD)

TEXT ·lane512Sub(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(SUB)

TEXT ·lane512Mul(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(MUL)

TEXT ·lane512MulAdd(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(MULADD)

TEXT ·lane512Scale(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	EACH(SCALE)

TEXT ·lane512NegScale(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSD ·laneConstants+8(SB), Z9
	VXORPD       Z9, Z8, Z8
	EACH(SCALE)

#define ADDS(off, x, t, k) \
	VADDPD off(SI), Z8, x

TEXT ·lane512AddS(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	EACH(ADDS)

#define SUBS(off, x, t, k) \
	VMOVUPD off(SI), x \
	VSUBPD  Z8, x, x

TEXT ·lane512SubS(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	EACH(SUBS)

#define RSUBS(off, x, t, k) \
	VSUBPD off(SI), Z8, x

TEXT ·lane512RSubS(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	EACH(RSUBS)

TEXT ·lane512Relu(SB), NOSPLIT|NOFRAME, $0
	UNARY
	VXORPD X8, X8, X8
	EACH(RELU)

TEXT ·lane512Positive(SB), NOSPLIT|NOFRAME, $0
	UNARY
	VXORPD       X8, X8, X8
	VBROADCASTSD ·laneConstants+0(SB), Z9
	EACH(POSITIVE)

TEXT ·lane512SigmoidShift(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSD 8(R8)(DX*8), Z9
	VBROADCASTSD ·laneConstants+0(SB), Z10
	EACH(SIGMOIDSHIFT)

TEXT ·lane512Less(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSD ·laneConstants+0(SB), Z9
	EACH(LESS)

// SUMLANES adds the lanes of Z10 and stores the sum at m[dst].
#define SUMLANES \
	VEXTRACTF64X4 $1, Z10, Y11     \
	VADDPD        Y11, Y10, Y10    \
	VEXTRACTF128  $1, Y10, X11     \
	VADDPD        X11, X10, X10    \
	VHADDPD       X10, X10, X10    \
	MOVLQSX       4(R13), DI       \
	VMOVSD        X10, (R8)(DI*8)  \
	NEXT

// TAIL loads the mask of the lanes of the last vector that count into K1.
#define TAIL \
	MOVQ      machine_tail(R11), AX \
	VMOVDQU64 (AX), Z9              \
	VPMOVQ2M  Z9, K1

TEXT ·lane512Sum(SB), NOSPLIT|NOFRAME, $0
	REG(8, SI)
	MOVQ   machine_n(R11), CX
	VXORPD X10, X10, X10
	TAIL
loop:
	SUBQ   $8, CX
	JEQ    last
	VADDPD (SI), Z10, Z10
	ADDQ   $64, SI
	JMP    loop
last:
	VADDPD (SI), Z10, K1, Z10
	SUMLANES

TEXT ·lane512SumProduct(SB), NOSPLIT|NOFRAME, $0
	REG(8, SI)
	REG(12, DX)
	MOVQ   machine_n(R11), CX
	VXORPD X10, X10, X10
	TAIL
loop:
	VMOVUPD     (SI), Z0
	SUBQ        $8, CX
	JEQ         last
	VFMADD231PD (DX), Z0, Z10
	ADDQ        $64, SI
	ADDQ        $64, DX
	JMP         loop
last:
	VMULPD (DX), Z0, Z0
	VADDPD Z0, Z10, K1, Z10
	SUMLANES

TEXT ·lane512Dot(SB), NOSPLIT|NOFRAME, $0
	DOT

TEXT ·lane512DotPairs(SB), NOSPLIT|NOFRAME, $0
	DOTPAIRS

TEXT ·lane512Tile(SB), NOSPLIT|NOFRAME, $0
	TILESTART
	BLOCKS(WIDEPLAIN, PLAIN)

TEXT ·lane512TileRelu(SB), NOSPLIT|NOFRAME, $0
	TILESTART
	VPXORQ Z24, Z24, Z24
	BLOCKS(WIDERELU, NARROWRELU)

TEXT ·lane512TileSquares(SB), NOSPLIT|NOFRAME, $0
	TILESQUARES

TEXT ·lane512Block(SB), NOSPLIT|NOFRAME, $0
	BLOCK

// UNIFORM turns outputs into uniform numbers. Z12 has the bits of 1 in every lane,
// Z13 is 1 − 2⁻⁵³.
#define UNIFORM(o) \
	VPSRLQ $12, o, o  \
	VPORQ  Z12, o, o  \
	VSUBPD Z13, o, o

#define UNIFORMCONSTANTS \
	VBROADCASTSD ·laneConstants+0(SB), Z12  \
	VBROADCASTSD ·laneConstants+16(SB), Z13

// dst = the next numbers of stream a, as package vector draws them.
TEXT ·lane512Draw(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	UNIFORMCONSTANTS
loop:
	STEP(Z8)
	UNIFORM(Z8)
	VMOVUPD Z8, (DI)
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNE     loop
	STORESTREAM
	NEXT

// See laneOpDrawLess. Without a bound all lanes are 0.
TEXT ·lane512DrawLess(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	LESSBOUND
	VBROADCASTSD ·laneConstants+0(SB), Z12
	TESTQ        AX, AX
	JNE          some
	VPXORQ       Z12, Z12, Z12
some:
	SHLQ         $12, AX
	DECQ         AX
	VPBROADCASTQ AX, Z13
loop:
	STEP(Z8)
	VPCMPUQ   $2, Z13, Z8, K1
	VMOVAPD.Z Z12, K1, Z8
	VMOVUPD   Z8, (DI)
	ADDQ      $64, DI
	SUBQ      $8, CX
	JNE       loop
	STORESTREAM
	NEXT

// NEXTSHIFT leaves p·u in o and p·u + q·(1−u) in t for the next numbers u. Z8 is p
// and Z9 is q.
#define NEXTSHIFT(o, t) \
	STEP(o)                \
	UNIFORM(o)             \
	VSUBPD      o, Z12, t  \
	VMULPD      Z8, o, o   \
	VFMADD213PD o, Z9, t

// REFINE replaces y, which is about 1/b, by y + y·(1 − b·y).
#define REFINE(b, y, e) \
	VMOVAPD      Z12, e   \
	VFNMADD231PD y, b, e  \
	VFMADD231PD  e, y, y

// DIVIDE replaces a by a/b as division rounds it, without the divider: the third
// refinement rounds 1/b correctly, and then the residual of a·(1/b) corrects the
// quotient to the last bit (Markstein 1990). The exception, b with a mantissa of
// ones and a a power of two, takes a u of which p·u and p·u + q·(1−u) are
// neighbours. Nothing here underflows: a is 0 or, like b, at least 2⁻⁵⁵³.
#define DIVIDE(a, b, y, e) \
	VRCP14PD     b, y     \
	REFINE(b, y, e)       \
	REFINE(b, y, e)       \
	REFINE(b, y, e)       \
	VMULPD       y, a, e  \
	VFNMADD231PD e, b, a  \
	VFMADD213PD  e, y, a

// LARGE jumps to small unless the number at x is in [2⁻⁵⁰⁰, 1].
#define LARGE(x, small) \
	MOVQ x, AX                      \
	MOVQ $0x20B0000000000000, BX    \
	SUBQ BX, AX                     \
	MOVQ $0x1F40000000000000, BX    \
	CMPQ AX, BX                     \
	JHI  small

// The divider takes every other vector, arithmetic the others at the same time.
TEXT ·lane512DrawShift(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	UNIFORMCONSTANTS
	MOVLQSX      12(R13), DX
	LEAQ         (R8)(DX*8), DX
	VBROADCASTSD (DX), Z8
	VBROADCASTSD 8(DX), Z9
	LARGE((DX), single)
	LARGE(8(DX), single)
	SUBQ         $16, CX
	JLT          rest
pair:
	NEXTSHIFT(Z4, Z5)
	VDIVPD  Z5, Z4, Z4
	NEXTSHIFT(Z6, Z7)
	DIVIDE(Z6, Z7, Z10, Z11)
	VMOVUPD Z4, (DI)
	VMOVUPD Z6, 64(DI)
	ADDQ    $128, DI
	SUBQ    $16, CX
	JGE     pair
rest:
	ADDQ    $16, CX
	JEQ     done
single:
	NEXTSHIFT(Z4, Z5)
	VDIVPD  Z5, Z4, Z4
	VMOVUPD Z4, (DI)
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNE     single
done:
	STORESTREAM
	NEXT

// laneTable512 has one entry for each laneCode.
DATA ·laneTable512+0(SB)/8, $·laneStop(SB)
DATA ·laneTable512+8(SB)/8, $·lane512Copy(SB)
DATA ·laneTable512+16(SB)/8, $·lane512Gather(SB)
DATA ·laneTable512+24(SB)/8, $·lane512Fill(SB)
DATA ·laneTable512+32(SB)/8, $·lane512Neg(SB)
DATA ·laneTable512+40(SB)/8, $·lane512Add(SB)
DATA ·laneTable512+48(SB)/8, $·lane512Sub(SB)
DATA ·laneTable512+56(SB)/8, $·lane512Mul(SB)
DATA ·laneTable512+64(SB)/8, $·lane512MulAdd(SB)
DATA ·laneTable512+72(SB)/8, $·lane512Scale(SB)
DATA ·laneTable512+80(SB)/8, $·lane512NegScale(SB)
DATA ·laneTable512+88(SB)/8, $·lane512AddS(SB)
DATA ·laneTable512+96(SB)/8, $·lane512SubS(SB)
DATA ·laneTable512+104(SB)/8, $·lane512RSubS(SB)
DATA ·laneTable512+112(SB)/8, $·lane512Dot(SB)
DATA ·laneTable512+120(SB)/8, $·lane512DotPairs(SB)
DATA ·laneTable512+128(SB)/8, $·lane512Tile(SB)
DATA ·laneTable512+136(SB)/8, $·lane512TileRelu(SB)
DATA ·laneTable512+144(SB)/8, $·lane512TileSquares(SB)
DATA ·laneTable512+152(SB)/8, $·lane512Block(SB)
DATA ·laneTable512+160(SB)/8, $·lane512Relu(SB)
DATA ·laneTable512+168(SB)/8, $·lane512Positive(SB)
DATA ·laneTable512+176(SB)/8, $·lane512SigmoidShift(SB)
DATA ·laneTable512+184(SB)/8, $·lane512Less(SB)
DATA ·laneTable512+192(SB)/8, $·lane512Sum(SB)
DATA ·laneTable512+200(SB)/8, $·lane512SumProduct(SB)
DATA ·laneTable512+208(SB)/8, $·lane512Draw(SB)
DATA ·laneTable512+216(SB)/8, $·lane512DrawLess(SB)
DATA ·laneTable512+224(SB)/8, $·lane512DrawShift(SB)
DATA ·laneTable512+232(SB)/8, $·laneStop(SB)
DATA ·laneTable512+240(SB)/8, $·laneStop(SB)
DATA ·laneTable512+248(SB)/8, $·laneStop(SB)
DATA ·laneTable512+256(SB)/8, $·laneStop(SB)
DATA ·laneTable512+264(SB)/8, $·laneStop(SB)
DATA ·laneTable512+272(SB)/8, $·laneStop(SB)
DATA ·laneTable512+280(SB)/8, $·laneStop(SB)
GLOBL ·laneTable512(SB), NOPTR, $288
