//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The operations of lane programs for AVX-512. Every lane is computed as in
// avx2_amd64.s, rounding by rounding, and sums over lanes are taken in its order,
// so that results agree to the bit.

#define TABLE ·avx512Table(SB)
#include "dispatch_amd64.h"

#define WORD 8
#define VADD VADDPD
#define VSUB VSUBPD
#define VMUL VMULPD
#define VDIV VDIVPD
#define VCMP VCMPPD
#define VFMA VFMADD231PD
#define VFMA213 VFMADD213PD
#define VFMABCST VFMADD231PD.BCST
#define VMOVE VMOVAPD
#define VBROADCAST VBROADCASTSD
#include "avx512_amd64.h"

// func runAVX512(x *state, pc int) int
TEXT ·runAVX512(SB), NOSPLIT|NOFRAME, $0-24
	START
	DISPATCH

TEXT ·avx512Copy(SB), NOSPLIT|NOFRAME, $0
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
TEXT ·avx512Gather(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX 8(R13), SI
	IMULQ   state_fullStride(R11), SI
	ADDQ    state_full(R11), SI
	MOVQ    state_active(R11), DX
	MOVQ    state_n(R11), CX
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

TEXT ·avx512Fill(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX      8(R13), SI
	MOVQ         state_n(R11), CX
	VBROADCASTSD (R8)(SI*8), Z0
loop:
	VMOVUPD Z0, (DI)
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNE     loop
	NEXT

TEXT ·avx512Neg(SB), NOSPLIT|NOFRAME, $0
	UNARY
	VBROADCASTSD ·constants+8(SB), Z8
	EACH(NEG)

TEXT ·avx512Add(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(ADD)

TEXT ·avx512Sub(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(SUB)

TEXT ·avx512Mul(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(MUL)

TEXT ·avx512MulAdd(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(MULADD)

TEXT ·avx512Scale(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	EACH(SCALE)

TEXT ·avx512NegScale(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSD ·constants+8(SB), Z9
	VXORPD       Z9, Z8, Z8
	EACH(SCALE)

#define ADDS(off, x, t, k) \
	VADDPD off(SI), Z8, x

TEXT ·avx512AddS(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	EACH(ADDS)

#define SUBS(off, x, t, k) \
	VMOVUPD off(SI), x \
	VSUBPD  Z8, x, x

TEXT ·avx512SubS(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	EACH(SUBS)

#define RSUBS(off, x, t, k) \
	VSUBPD off(SI), Z8, x

TEXT ·avx512RSubS(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	EACH(RSUBS)

TEXT ·avx512Relu(SB), NOSPLIT|NOFRAME, $0
	UNARY
	VXORPD X8, X8, X8
	EACH(RELU)

TEXT ·avx512Positive(SB), NOSPLIT|NOFRAME, $0
	UNARY
	VXORPD       X8, X8, X8
	VBROADCASTSD ·constants+0(SB), Z9
	EACH(POSITIVE)

TEXT ·avx512SigmoidShift(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSD 8(R8)(DX*8), Z9
	VBROADCASTSD ·constants+0(SB), Z10
	EACH(SIGMOIDSHIFT)

TEXT ·avx512Less(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSD ·constants+0(SB), Z9
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
	MOVQ      state_tail(R11), AX \
	VMOVDQU64 (AX), Z9              \
	VPMOVQ2M  Z9, K1

TEXT ·avx512Sum(SB), NOSPLIT|NOFRAME, $0
	REG(8, SI)
	MOVQ   state_n(R11), CX
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

TEXT ·avx512SumProduct(SB), NOSPLIT|NOFRAME, $0
	REG(8, SI)
	REG(12, DX)
	MOVQ   state_n(R11), CX
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

TEXT ·avx512Dot(SB), NOSPLIT|NOFRAME, $0
	DOT

TEXT ·avx512DotPairs(SB), NOSPLIT|NOFRAME, $0
	DOTPAIRS

TEXT ·avx512Tile(SB), NOSPLIT|NOFRAME, $0
	TILESTART
	BLOCKS(WIDEPLAIN, PLAIN)

TEXT ·avx512TileRelu(SB), NOSPLIT|NOFRAME, $0
	TILESTART
	VPXORQ Z24, Z24, Z24
	BLOCKS(WIDERELU, NARROWRELU)

TEXT ·avx512TileSquares(SB), NOSPLIT|NOFRAME, $0
	TILESQUARES

TEXT ·avx512Block(SB), NOSPLIT|NOFRAME, $0
	BLOCK

// UNIFORM turns outputs into uniform numbers. Z12 has the bits of 1 in every lane,
// Z13 is 1 − 2⁻⁵³.
#define UNIFORM(o) \
	VPSRLQ $12, o, o  \
	VPORQ  Z12, o, o  \
	VSUBPD Z13, o, o

#define UNIFORMCONSTANTS \
	VBROADCASTSD ·constants+0(SB), Z12  \
	VBROADCASTSD ·constants+16(SB), Z13

// dst = the next numbers of stream a, as package vector draws them.
TEXT ·avx512Draw(SB), NOSPLIT|NOFRAME, $0
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

// See avx2DrawLess. Without a bound all lanes are 0, or NaN.
TEXT ·avx512DrawLess(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	LESSBOUND
	VBROADCASTSD ·constants+0(SB), Z12
	TESTQ        AX, AX
	JNE          some
	VBROADCASTSD (R8)(DX*8), Z12
	VCMPPD       $0x03, Z12, Z12, K1
	VMOVAPD.Z    Z12, K1, Z12
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
TEXT ·avx512DrawShift(SB), NOSPLIT|NOFRAME, $0
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

// avx512Table has one entry for each Code.
DATA ·avx512Table+0(SB)/8, $·stop(SB)
DATA ·avx512Table+8(SB)/8, $·avx512Copy(SB)
DATA ·avx512Table+16(SB)/8, $·avx512Gather(SB)
DATA ·avx512Table+24(SB)/8, $·avx512Fill(SB)
DATA ·avx512Table+32(SB)/8, $·avx512Neg(SB)
DATA ·avx512Table+40(SB)/8, $·avx512Add(SB)
DATA ·avx512Table+48(SB)/8, $·avx512Sub(SB)
DATA ·avx512Table+56(SB)/8, $·avx512Mul(SB)
DATA ·avx512Table+64(SB)/8, $·avx512MulAdd(SB)
DATA ·avx512Table+72(SB)/8, $·avx512Scale(SB)
DATA ·avx512Table+80(SB)/8, $·avx512NegScale(SB)
DATA ·avx512Table+88(SB)/8, $·avx512AddS(SB)
DATA ·avx512Table+96(SB)/8, $·avx512SubS(SB)
DATA ·avx512Table+104(SB)/8, $·avx512RSubS(SB)
DATA ·avx512Table+112(SB)/8, $·avx512Dot(SB)
DATA ·avx512Table+120(SB)/8, $·avx512DotPairs(SB)
DATA ·avx512Table+128(SB)/8, $·avx512Tile(SB)
DATA ·avx512Table+136(SB)/8, $·avx512TileRelu(SB)
DATA ·avx512Table+144(SB)/8, $·avx512TileSquares(SB)
DATA ·avx512Table+152(SB)/8, $·avx512Block(SB)
DATA ·avx512Table+160(SB)/8, $·avx512Relu(SB)
DATA ·avx512Table+168(SB)/8, $·avx512Positive(SB)
DATA ·avx512Table+176(SB)/8, $·avx512SigmoidShift(SB)
DATA ·avx512Table+184(SB)/8, $·avx512Less(SB)
DATA ·avx512Table+192(SB)/8, $·avx512Sum(SB)
DATA ·avx512Table+200(SB)/8, $·avx512SumProduct(SB)
DATA ·avx512Table+208(SB)/8, $·avx512Draw(SB)
DATA ·avx512Table+216(SB)/8, $·avx512DrawLess(SB)
DATA ·avx512Table+224(SB)/8, $·avx512DrawShift(SB)
DATA ·avx512Table+232(SB)/8, $·stop(SB)
DATA ·avx512Table+240(SB)/8, $·stop(SB)
DATA ·avx512Table+248(SB)/8, $·stop(SB)
DATA ·avx512Table+256(SB)/8, $·stop(SB)
DATA ·avx512Table+264(SB)/8, $·stop(SB)
DATA ·avx512Table+272(SB)/8, $·stop(SB)
DATA ·avx512Table+280(SB)/8, $·stop(SB)
DATA ·avx512Table+288(SB)/8, $·stop(SB)
DATA ·avx512Table+296(SB)/8, $·stop(SB)
DATA ·avx512Table+304(SB)/8, $·stop(SB)
GLOBL ·avx512Table(SB), NOPTR, $312
