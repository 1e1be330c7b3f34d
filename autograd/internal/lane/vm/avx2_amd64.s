//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The operations of lane programs for AVX2. A tile and most loops take 8 lanes at a
// time.

#define TABLE ·avx2Table(SB)
#include "dispatch_amd64.h"
#include "draw_amd64.h"
#include "block_amd64.h"

// func runAVX2(x *state, pc int) int
TEXT ·runAVX2(SB), NOSPLIT|NOFRAME, $0-24
	START
	DISPATCH

// stop returns the number of the operation at R13. Its frame is that of
// runAVX2 and runAVX512.
TEXT ·stop(SB), NOSPLIT|NOFRAME, $0-24
	SUBQ state_code(R11), R13
	SARQ $4, R13
	MOVQ R13, ret+16(FP)
	VZEROUPPER
	RET

// BINARY is dst = a OP b.
#define BINARY(OP) \
	REG(4, DI)               \
	REG(8, SI)               \
	REG(12, DX)              \
	MOVQ    state_n(R11), CX \
loop:                        \
	VMOVUPD (SI), Y0         \
	VMOVUPD 32(SI), Y1       \
	OP      (DX), Y0, Y0     \
	OP      32(DX), Y1, Y1   \
	VMOVUPD Y0, (DI)         \
	VMOVUPD Y1, 32(DI)       \
	ADDQ    $64, SI          \
	ADDQ    $64, DX          \
	ADDQ    $64, DI          \
	SUBQ    $8, CX           \
	JNE     loop             \
	NEXT

// SCALAR starts an operation of register a with the number m[b]: it loads b
// into all lanes of Y8.
#define SCALAR \
	REG(4, DI)                   \
	REG(8, SI)                   \
	MOVLQSX      12(R13), DX     \
	MOVQ         state_n(R11), CX \
	VBROADCASTSD (R8)(DX*8), Y8

// MAP is the loop of dst = OP1(x), in two registers at a time, where x is in Y0
// and Y1 before BODY and the result after it.
#define LOAD2 \
	VMOVUPD (SI), Y0   \
	VMOVUPD 32(SI), Y1

#define STORE2 \
	VMOVUPD Y0, (DI)   \
	VMOVUPD Y1, 32(DI) \
	ADDQ    $64, SI    \
	ADDQ    $64, DI    \
	SUBQ    $8, CX     \
	JNE     loop

TEXT ·avx2Copy(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	REG(8, SI)
	MOVQ state_n(R11), CX
loop:
	LOAD2
	STORE2
	NEXT

TEXT ·avx2Gather(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX 8(R13), SI
	IMULQ   state_fullStride(R11), SI
	ADDQ    state_full(R11), SI
	MOVQ    state_active(R11), DX
	MOVQ    state_n(R11), CX
loop:
	MOVLQSX (DX), AX
	MOVLQSX 4(DX), BX
	MOVQ    (SI)(AX*8), AX
	MOVQ    (SI)(BX*8), BX
	MOVQ    AX, (DI)
	MOVQ    BX, 8(DI)
	ADDQ    $8, DX
	ADDQ    $16, DI
	SUBQ    $2, CX
	JNE     loop
	NEXT

TEXT ·avx2Fill(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX      8(R13), SI
	MOVQ         state_n(R11), CX
	VBROADCASTSD (R8)(SI*8), Y0
loop:
	VMOVUPD Y0, (DI)
	VMOVUPD Y0, 32(DI)
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNE     loop
	NEXT

TEXT ·avx2Neg(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	REG(8, SI)
	MOVQ         state_n(R11), CX
	VBROADCASTSD ·constants+8(SB), Y8
loop:
	LOAD2
	VXORPD Y8, Y0, Y0
	VXORPD Y8, Y1, Y1
	STORE2
	NEXT

TEXT ·avx2Add(SB), NOSPLIT|NOFRAME, $0
	BINARY(VADDPD)

TEXT ·avx2Sub(SB), NOSPLIT|NOFRAME, $0
	BINARY(VSUBPD)

TEXT ·avx2Mul(SB), NOSPLIT|NOFRAME, $0
	BINARY(VMULPD)

TEXT ·avx2MulAdd(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	REG(8, SI)
	REG(12, DX)
	MOVQ state_n(R11), CX
loop:
	LOAD2
	VMOVUPD     (DI), Y2
	VMOVUPD     32(DI), Y3
	VFMADD132PD (DX), Y2, Y0
	VFMADD132PD 32(DX), Y3, Y1
	ADDQ        $64, DX
	STORE2
	NEXT

TEXT ·avx2Scale(SB), NOSPLIT|NOFRAME, $0
	SCALAR
loop:
	VMULPD (SI), Y8, Y0
	VMULPD 32(SI), Y8, Y1
	STORE2
	NEXT

TEXT ·avx2NegScale(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSD ·constants+8(SB), Y9
	VXORPD       Y9, Y8, Y8
loop:
	VMULPD (SI), Y8, Y0
	VMULPD 32(SI), Y8, Y1
	STORE2
	NEXT

TEXT ·avx2AddS(SB), NOSPLIT|NOFRAME, $0
	SCALAR
loop:
	VADDPD (SI), Y8, Y0
	VADDPD 32(SI), Y8, Y1
	STORE2
	NEXT

TEXT ·avx2SubS(SB), NOSPLIT|NOFRAME, $0
	SCALAR
loop:
	LOAD2
	VSUBPD Y8, Y0, Y0
	VSUBPD Y8, Y1, Y1
	STORE2
	NEXT

TEXT ·avx2RSubS(SB), NOSPLIT|NOFRAME, $0
	SCALAR
loop:
	VSUBPD (SI), Y8, Y0
	VSUBPD 32(SI), Y8, Y1
	STORE2
	NEXT

// POSITIVEPART keeps x where it is above 0, which Y8 is, or NaN; elsewhere it becomes +0.
#define POSITIVEPART(x, t) \
	VCMPPD $0x16, Y8, x, t \
	VANDPD t, x, x

TEXT ·avx2Relu(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	REG(8, SI)
	MOVQ   state_n(R11), CX
	VXORPD Y8, Y8, Y8
loop:
	LOAD2
	POSITIVEPART(Y0, Y2)
	POSITIVEPART(Y1, Y3)
	STORE2
	NEXT

// 1 where x > 0, else 0, NaN where x is.
TEXT ·avx2Positive(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	REG(8, SI)
	MOVQ         state_n(R11), CX
	VXORPD       Y8, Y8, Y8
	VBROADCASTSD ·constants+0(SB), Y9
loop:
	LOAD2
	VCMPPD $0x1E, Y8, Y0, Y2
	VCMPPD $0x1E, Y8, Y1, Y3
	VCMPPD $0x03, Y0, Y0, Y4
	VCMPPD $0x03, Y1, Y1, Y5
	VANDPD Y9, Y2, Y2
	VANDPD Y9, Y3, Y3
	VORPD  Y4, Y2, Y0
	VORPD  Y5, Y3, Y1
	STORE2
	NEXT

TEXT ·avx2SigmoidShift(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSD 8(R8)(DX*8), Y9
	VBROADCASTSD ·constants+0(SB), Y10
loop:
	LOAD2
	VSUBPD      Y0, Y10, Y2
	VSUBPD      Y1, Y10, Y3
	VMULPD      Y8, Y0, Y0
	VMULPD      Y8, Y1, Y1
	VFMADD213PD Y0, Y9, Y2
	VFMADD213PD Y1, Y9, Y3
	VDIVPD      Y2, Y0, Y0
	VDIVPD      Y3, Y1, Y1
	STORE2
	NEXT

// 1 where x < m[b], else 0, NaN where either is.
TEXT ·avx2Less(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSD ·constants+0(SB), Y9
loop:
	LOAD2
	VCMPPD $0x11, Y8, Y0, Y2
	VCMPPD $0x11, Y8, Y1, Y3
	VCMPPD $0x03, Y8, Y0, Y4
	VCMPPD $0x03, Y8, Y1, Y5
	VANDPD Y9, Y2, Y2
	VANDPD Y9, Y3, Y3
	VORPD  Y4, Y2, Y0
	VORPD  Y5, Y3, Y1
	STORE2
	NEXT

// SUMLANES adds the lanes of Y10 and Y11 and stores the sum at m[dst].
#define SUMLANES \
	VADDPD       Y11, Y10, Y10   \
	VEXTRACTF128 $1, Y10, X11    \
	VADDPD       X11, X10, X10   \
	VHADDPD      X10, X10, X10   \
	MOVLQSX      4(R13), DI      \
	VMOVSD       X10, (R8)(DI*8) \
	NEXT

TEXT ·avx2Sum(SB), NOSPLIT|NOFRAME, $0
	REG(8, SI)
	MOVQ   state_n(R11), CX
	MOVQ   state_tail(R11), AX
	VXORPD Y10, Y10, Y10
	VXORPD Y11, Y11, Y11
loop:
	SUBQ   $8, CX
	JEQ    last
	VADDPD (SI), Y10, Y10
	VADDPD 32(SI), Y11, Y11
	ADDQ   $64, SI
	JMP    loop
last:
	LOAD2
	VANDPD (AX), Y0, Y0
	VANDPD 32(AX), Y1, Y1
	VADDPD Y0, Y10, Y10
	VADDPD Y1, Y11, Y11
	SUMLANES

TEXT ·avx2SumProduct(SB), NOSPLIT|NOFRAME, $0
	REG(8, SI)
	REG(12, DX)
	MOVQ   state_n(R11), CX
	MOVQ   state_tail(R11), AX
	VXORPD Y10, Y10, Y10
	VXORPD Y11, Y11, Y11
loop:
	LOAD2
	SUBQ        $8, CX
	JEQ         last
	VFMADD231PD (DX), Y0, Y10
	VFMADD231PD 32(DX), Y1, Y11
	ADDQ        $64, SI
	ADDQ        $64, DX
	JMP         loop
last:
	VMULPD (DX), Y0, Y0
	VMULPD 32(DX), Y1, Y1
	VANDPD (AX), Y0, Y0
	VANDPD 32(AX), Y1, Y1
	VADDPD Y0, Y10, Y10
	VADDPD Y1, Y11, Y11
	SUMLANES

// dst = Σ m[factor]·r[reg] over b pairs at args[a]. Eight accumulators take 32
// lanes at a time; what is left goes by 8.
TEXT ·avx2Dot(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX 8(R13), SI
	LEAQ    (R10)(SI*4), SI
	MOVLQSX 12(R13), DX
	LEAQ    (SI)(DX*8), DX
	MOVQ    state_n(R11), CX
	MOVQ    R9, R15
wide:
	CMPQ   CX, $32
	JLT    narrow
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	MOVQ   SI, R14
wideterm:
	MOVLQSX      (R14), AX
	MOVLQSX      4(R14), BX
	IMULQ        R12, AX
	VBROADCASTSD (R8)(BX*8), Y8
	ADDQ         R15, AX
	ADDQ         $8, R14
	VFMADD231PD  (AX), Y8, Y0
	VFMADD231PD  32(AX), Y8, Y1
	VFMADD231PD  64(AX), Y8, Y2
	VFMADD231PD  96(AX), Y8, Y3
	VFMADD231PD  128(AX), Y8, Y4
	VFMADD231PD  160(AX), Y8, Y5
	VFMADD231PD  192(AX), Y8, Y6
	VFMADD231PD  224(AX), Y8, Y7
	CMPQ         R14, DX
	JNE          wideterm
	VMOVUPD      Y0, (DI)
	VMOVUPD      Y1, 32(DI)
	VMOVUPD      Y2, 64(DI)
	VMOVUPD      Y3, 96(DI)
	VMOVUPD      Y4, 128(DI)
	VMOVUPD      Y5, 160(DI)
	VMOVUPD      Y6, 192(DI)
	VMOVUPD      Y7, 224(DI)
	ADDQ         $256, DI
	ADDQ         $256, R15
	SUBQ         $32, CX
	JMP          wide
narrow:
	TESTQ  CX, CX
	JEQ    done
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	MOVQ   SI, R14
narrowterm:
	MOVLQSX      (R14), AX
	MOVLQSX      4(R14), BX
	IMULQ        R12, AX
	VBROADCASTSD (R8)(BX*8), Y8
	ADDQ         $8, R14
	VFMADD231PD  (R15)(AX*1), Y8, Y0
	VFMADD231PD  32(R15)(AX*1), Y8, Y1
	CMPQ         R14, DX
	JNE          narrowterm
	VMOVUPD      Y0, (DI)
	VMOVUPD      Y1, 32(DI)
	ADDQ         $64, DI
	ADDQ         $64, R15
	SUBQ         $8, CX
	JMP          narrow
done:
	NEXT

// dst = Σ r·r over b pairs at args[a], 16 lanes at a time, then 8.
TEXT ·avx2DotPairs(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX 8(R13), SI
	LEAQ    (R10)(SI*4), SI
	MOVLQSX 12(R13), DX
	LEAQ    (SI)(DX*8), DX
	MOVQ    state_n(R11), CX
	MOVQ    R9, R15
wide:
	CMPQ   CX, $16
	JLT    narrow
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	MOVQ   SI, R14
wideterm:
	MOVLQSX     (R14), AX
	MOVLQSX     4(R14), BX
	IMULQ       R12, AX
	IMULQ       R12, BX
	ADDQ        R15, AX
	ADDQ        R15, BX
	ADDQ        $8, R14
	VMOVUPD     (AX), Y4
	VMOVUPD     32(AX), Y5
	VMOVUPD     64(AX), Y6
	VMOVUPD     96(AX), Y7
	VFMADD231PD (BX), Y4, Y0
	VFMADD231PD 32(BX), Y5, Y1
	VFMADD231PD 64(BX), Y6, Y2
	VFMADD231PD 96(BX), Y7, Y3
	CMPQ        R14, DX
	JNE         wideterm
	VMOVUPD     Y0, (DI)
	VMOVUPD     Y1, 32(DI)
	VMOVUPD     Y2, 64(DI)
	VMOVUPD     Y3, 96(DI)
	ADDQ        $128, DI
	ADDQ        $128, R15
	SUBQ        $16, CX
	JMP         wide
narrow:
	TESTQ  CX, CX
	JEQ    done
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	MOVQ   SI, R14
narrowterm:
	MOVLQSX     (R14), AX
	MOVLQSX     4(R14), BX
	IMULQ       R12, AX
	IMULQ       R12, BX
	ADDQ        R15, AX
	ADDQ        R15, BX
	ADDQ        $8, R14
	VMOVUPD     (AX), Y4
	VMOVUPD     32(AX), Y5
	VFMADD231PD (BX), Y4, Y0
	VFMADD231PD 32(BX), Y5, Y1
	CMPQ        R14, DX
	JNE         narrowterm
	VMOVUPD     Y0, (DI)
	VMOVUPD     Y1, 32(DI)
	ADDQ        $64, DI
	ADDQ        $64, R15
	SUBQ        $8, CX
	JMP         narrow
done:
	NEXT

// A tile holds four rows of 8 lanes in Y0 to Y7. Its layout at SI is that of
// tile.go: joint at 0, panel at 4, extra at 8, dst at 24, bias at 44, registers from 60 on.
// R15 points to the lanes at work of register 0.

// TILESTART finds the tile.
#define TILESTART \
	MOVLQSX 8(R13), SI         \
	LEAQ    (R10)(SI*4), SI    \
	MOVQ    state_n(R11), CX \
	MOVQ    R9, R15

// TILEJOINT starts the rows with their biases and adds the products that they
// have in common. DX moves to the end of the registers.
#define TILEJOINT \
	MOVLQSX      44(SI), AX        \
	MOVLQSX      48(SI), BX        \
	MOVLQSX      52(SI), DX        \
	MOVLQSX      56(SI), R14       \
	VBROADCASTSD (R8)(AX*8), Y0    \
	VBROADCASTSD (R8)(BX*8), Y2    \
	VBROADCASTSD (R8)(DX*8), Y4    \
	VBROADCASTSD (R8)(R14*8), Y6   \
	VMOVAPD      Y0, Y1            \
	VMOVAPD      Y2, Y3            \
	VMOVAPD      Y4, Y5            \
	VMOVAPD      Y6, Y7            \
	MOVLQSX      (SI), AX          \
	MOVLQSX      4(SI), BX         \
	LEAQ         60(SI), DX        \
	LEAQ         (R8)(BX*8), BX    \
	LEAQ         (DX)(AX*4), AX    \
	CMPQ         DX, AX            \
	JEQ          rows              \
joint:                             \
	MOVLQSX      (DX), R14         \
	IMULQ        R12, R14          \
	VBROADCASTSD (BX), Y10         \
	VBROADCASTSD 8(BX), Y11        \
	VBROADCASTSD 16(BX), Y12       \
	VBROADCASTSD 24(BX), Y13       \
	VMOVUPD      (R15)(R14*1), Y8  \
	VMOVUPD      32(R15)(R14*1), Y9 \
	ADDQ         $4, DX            \
	ADDQ         $32, BX           \
	VFMADD231PD  Y8, Y10, Y0       \
	VFMADD231PD  Y9, Y10, Y1       \
	VFMADD231PD  Y8, Y11, Y2       \
	VFMADD231PD  Y9, Y11, Y3       \
	VFMADD231PD  Y8, Y12, Y4       \
	VFMADD231PD  Y9, Y12, Y5       \
	VFMADD231PD  Y8, Y13, Y6       \
	VFMADD231PD  Y9, Y13, Y7       \
	CMPQ         DX, AX            \
	JNE          joint             \
rows:

// TILEROW adds the products of one row to ya and yb, their number being at off.
#define TILEROW(off, ya, yb, loop, done) \
	MOVLQSX      off(SI), AX              \
	TESTQ        AX, AX                   \
	JEQ          done                     \
loop:                                     \
	MOVLQSX      (DX), R14                \
	MOVLQSX      4(DX), BX                \
	IMULQ        R12, R14                 \
	VBROADCASTSD (R8)(BX*8), Y10          \
	ADDQ         $8, DX                   \
	VFMADD231PD  (R15)(R14*1), Y10, ya    \
	VFMADD231PD  32(R15)(R14*1), Y10, yb  \
	DECQ         AX                       \
	JNE          loop                     \
done:

#define TILEROWS \
	TILEROW(8, Y0, Y1, row0, done0)  \
	TILEROW(12, Y2, Y3, row1, done1) \
	TILEROW(16, Y4, Y5, row2, done2) \
	TILEROW(20, Y6, Y7, row3, done3)

// TILESTORE stores one row in the register whose number is at off.
#define TILESTORE(off, ya, yb) \
	MOVLQSX off(SI), R14           \
	IMULQ   R12, R14               \
	VMOVUPD ya, (R15)(R14*1)       \
	VMOVUPD yb, 32(R15)(R14*1)

#define TILESTORES \
	TILESTORE(24, Y0, Y1) \
	TILESTORE(28, Y2, Y3) \
	TILESTORE(32, Y4, Y5) \
	TILESTORE(36, Y6, Y7)

TEXT ·avx2Tile(SB), NOSPLIT|NOFRAME, $0
	TILESTART
block:
	TILEJOINT
	TILEROWS
	TILESTORES
	ADDQ $64, R15
	SUBQ $8, CX
	JNE  block
	NEXT

TEXT ·avx2TileRelu(SB), NOSPLIT|NOFRAME, $0
	TILESTART
block:
	TILEJOINT
	TILEROWS
	VXORPD Y8, Y8, Y8
	POSITIVEPART(Y0, Y9)
	POSITIVEPART(Y1, Y10)
	POSITIVEPART(Y2, Y11)
	POSITIVEPART(Y3, Y12)
	POSITIVEPART(Y4, Y9)
	POSITIVEPART(Y5, Y10)
	POSITIVEPART(Y6, Y11)
	POSITIVEPART(Y7, Y12)
	TILESTORES
	ADDQ   $64, R15
	SUBQ   $8, CX
	JNE    block
	NEXT

TEXT ·avx2TileSquares(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	TILESTART
block:
	TILEJOINT
	TILEROWS
	VMULPD      Y0, Y0, Y0
	VMULPD      Y1, Y1, Y1
	VMULPD      Y2, Y2, Y2
	VMULPD      Y3, Y3, Y3
	VFMADD231PD Y4, Y4, Y0
	VFMADD231PD Y5, Y5, Y1
	VFMADD231PD Y6, Y6, Y2
	VFMADD231PD Y7, Y7, Y3
	VADDPD      Y2, Y0, Y0
	VADDPD      Y3, Y1, Y1
	MOVL        12(R13), AX
	TESTL       AX, AX
	JEQ         first
	VADDPD      (DI), Y0, Y0
	VADDPD      32(DI), Y1, Y1
first:
	VMOVUPD     Y0, (DI)
	VMOVUPD     Y1, 32(DI)
	ADDQ        $64, DI
	ADDQ        $64, R15
	SUBQ        $8, CX
	JNE         block
	NEXT

TEXT ·avx2Block(SB), NOSPLIT|NOFRAME, $0
	BLOCK(VFMADD231PD)

// dst = the next numbers of stream a, as package vector draws them.
TEXT ·avx2Draw(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	VBROADCASTSD ·constants+0(SB), Y12
	VBROADCASTSD ·constants+16(SB), Y13
loop:
	STEP8
	UNIFORM8
	VMOVUPD Y8, (DI)
	VMOVUPD Y9, 32(DI)
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNE     loop
	STORESTREAM
	NEXT

// dst = 1[u < m[b]]. A generator's output x makes u = (2k+1)·2⁻⁵³ with k = x>>12, so
// that this is 1[x ≤ 2¹²·t − 1] with the t of LESSBOUND. Signed comparison wants
// the top bits the other way. Without a bound all numbers are at most 2⁶⁴ − 1, and all
// lanes 0, or NaN if m[b] is.
TEXT ·avx2DrawLess(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	LESSBOUND
	VBROADCASTSD ·constants+0(SB), Y12
	TESTQ        AX, AX
	JNE          some
	VBROADCASTSD (R8)(DX*8), Y12
	VCMPPD       $0x03, Y12, Y12, Y12
some:
	SHLQ         $12, AX
	DECQ         AX
	BTCQ         $63, AX
	VMOVQ        AX, X13
	VPBROADCASTQ X13, Y13
	VBROADCASTSD ·constants+8(SB), Y15
loop:
	STEP8
	VPXOR    Y15, Y8, Y8
	VPXOR    Y15, Y9, Y9
	VPCMPGTQ Y13, Y8, Y8
	VPCMPGTQ Y13, Y9, Y9
	VPANDN   Y12, Y8, Y8
	VPANDN   Y12, Y9, Y9
	VMOVUPD  Y8, (DI)
	VMOVUPD  Y9, 32(DI)
	ADDQ     $64, DI
	SUBQ     $8, CX
	JNE      loop
	STORESTREAM
	NEXT

TEXT ·avx2DrawShift(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	MOVLQSX      12(R13), DX
	LEAQ         (R8)(DX*8), DX
	VBROADCASTSD ·constants+0(SB), Y12
	VBROADCASTSD ·constants+16(SB), Y13
loop:
	STEP8
	UNIFORM8
	VBROADCASTSD (DX), Y10
	VBROADCASTSD 8(DX), Y11
	VSUBPD       Y8, Y12, Y14
	VSUBPD       Y9, Y12, Y15
	VMULPD       Y10, Y8, Y8
	VMULPD       Y10, Y9, Y9
	VFMADD213PD  Y8, Y11, Y14
	VFMADD213PD  Y9, Y11, Y15
	VDIVPD       Y14, Y8, Y8
	VDIVPD       Y15, Y9, Y9
	VMOVUPD      Y8, (DI)
	VMOVUPD      Y9, 32(DI)
	ADDQ         $64, DI
	SUBQ         $8, CX
	JNE          loop
	STORESTREAM
	NEXT

// func scalePanels(to, from, m *float64, offsets *int32, n int)
TEXT ·scalePanels(SB), NOSPLIT, $0-40
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ m+16(FP), R8
	MOVQ offsets+24(FP), DX
	MOVQ n+32(FP), CX
loop:
	MOVLQSX      (DX), AX
	VBROADCASTSD (R8)(AX*8), Y0
	VMULPD       (SI), Y0, Y0
	VMOVUPD      Y0, (DI)
	ADDQ         $4, DX
	ADDQ         $32, SI
	ADDQ         $32, DI
	DECQ         CX
	JNE          loop
	VZEROUPPER
	RET

// constants: 1, the sign bit, 1 − 2⁻⁵³, 2⁵² and −1/2.
DATA ·constants+0(SB)/8, $1.0
DATA ·constants+8(SB)/8, $0x8000000000000000
DATA ·constants+16(SB)/8, $0x3FEFFFFFFFFFFFFF
DATA ·constants+24(SB)/8, $4503599627370496.0
DATA ·constants+32(SB)/8, $-0.5
GLOBL ·constants(SB), RODATA, $40

// avx2Table has one entry for each Code.
DATA ·avx2Table+0(SB)/8, $·stop(SB)
DATA ·avx2Table+8(SB)/8, $·avx2Copy(SB)
DATA ·avx2Table+16(SB)/8, $·avx2Gather(SB)
DATA ·avx2Table+24(SB)/8, $·avx2Fill(SB)
DATA ·avx2Table+32(SB)/8, $·avx2Neg(SB)
DATA ·avx2Table+40(SB)/8, $·avx2Add(SB)
DATA ·avx2Table+48(SB)/8, $·avx2Sub(SB)
DATA ·avx2Table+56(SB)/8, $·avx2Mul(SB)
DATA ·avx2Table+64(SB)/8, $·avx2MulAdd(SB)
DATA ·avx2Table+72(SB)/8, $·avx2Scale(SB)
DATA ·avx2Table+80(SB)/8, $·avx2NegScale(SB)
DATA ·avx2Table+88(SB)/8, $·avx2AddS(SB)
DATA ·avx2Table+96(SB)/8, $·avx2SubS(SB)
DATA ·avx2Table+104(SB)/8, $·avx2RSubS(SB)
DATA ·avx2Table+112(SB)/8, $·avx2Dot(SB)
DATA ·avx2Table+120(SB)/8, $·avx2DotPairs(SB)
DATA ·avx2Table+128(SB)/8, $·avx2Tile(SB)
DATA ·avx2Table+136(SB)/8, $·avx2TileRelu(SB)
DATA ·avx2Table+144(SB)/8, $·avx2TileSquares(SB)
DATA ·avx2Table+152(SB)/8, $·avx2Block(SB)
DATA ·avx2Table+160(SB)/8, $·avx2Relu(SB)
DATA ·avx2Table+168(SB)/8, $·avx2Positive(SB)
DATA ·avx2Table+176(SB)/8, $·avx2SigmoidShift(SB)
DATA ·avx2Table+184(SB)/8, $·avx2Less(SB)
DATA ·avx2Table+192(SB)/8, $·avx2Sum(SB)
DATA ·avx2Table+200(SB)/8, $·avx2SumProduct(SB)
DATA ·avx2Table+208(SB)/8, $·avx2Draw(SB)
DATA ·avx2Table+216(SB)/8, $·avx2DrawLess(SB)
DATA ·avx2Table+224(SB)/8, $·avx2DrawShift(SB)
DATA ·avx2Table+232(SB)/8, $·stop(SB)
DATA ·avx2Table+240(SB)/8, $·stop(SB)
DATA ·avx2Table+248(SB)/8, $·stop(SB)
DATA ·avx2Table+256(SB)/8, $·stop(SB)
DATA ·avx2Table+264(SB)/8, $·stop(SB)
DATA ·avx2Table+272(SB)/8, $·stop(SB)
DATA ·avx2Table+280(SB)/8, $·stop(SB)
DATA ·avx2Table+288(SB)/8, $·stop(SB)
DATA ·avx2Table+296(SB)/8, $·stop(SB)
DATA ·avx2Table+304(SB)/8, $·stop(SB)
GLOBL ·avx2Table(SB), NOPTR, $312
