//go:build !purego

#include "textflag.h"

// The operations of lane programs in float32, laid out as those in float64 in
// lanes_amd64.s: vectors hold twice as many lanes, and the numbers of the uniform
// arena are read from its copy in float32, which R8 points to, but for those that are
// added to lanes or that sums are stored in. Registers have a multiple of 16 lanes.

#define TABLE ·singleTable(SB)
#include "lanes_amd64.h"
#include "draw_amd64.h"
#include "block_amd64.h"

// func singleLanesAVX2(x *singleMachine, pc int) int
TEXT ·singleLanesAVX2(SB), NOSPLIT|NOFRAME, $0-24
	START
	DISPATCH

// BINARY is dst = a OP b.
#define BINARY(OP) \
	REG(4, DI)               \
	REG(8, SI)               \
	REG(12, DX)              \
	MOVQ    machine_n(R11), CX \
loop:                        \
	VMOVUPS (SI), Y0         \
	VMOVUPS 32(SI), Y1       \
	OP      (DX), Y0, Y0     \
	OP      32(DX), Y1, Y1   \
	VMOVUPS Y0, (DI)         \
	VMOVUPS Y1, 32(DI)       \
	ADDQ    $64, SI          \
	ADDQ    $64, DX          \
	ADDQ    $64, DI          \
	SUBQ    $16, CX           \
	JNE     loop             \
	NEXT

// SCALAR starts an operation of register a with the number m[b]: it loads b
// into all lanes of Y8.
#define SCALAR \
	REG(4, DI)                   \
	REG(8, SI)                   \
	MOVLQSX      12(R13), DX     \
	MOVQ         machine_n(R11), CX \
	VBROADCASTSS (R8)(DX*4), Y8

// MAP is the loop of dst = OP1(x), in two registers at a time, where x is in Y0
// and Y1 before BODY and the result after it.
#define LOAD2 \
	VMOVUPS (SI), Y0   \
	VMOVUPS 32(SI), Y1

#define STORE2 \
	VMOVUPS Y0, (DI)   \
	VMOVUPS Y1, 32(DI) \
	ADDQ    $64, SI    \
	ADDQ    $64, DI    \
	SUBQ    $16, CX     \
	JNE     loop

TEXT ·singleOpCopy(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	REG(8, SI)
	MOVQ machine_n(R11), CX
loop:
	LOAD2
	STORE2
	NEXT

TEXT ·singleOpGather(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX 8(R13), SI
	IMULQ   machine_fullStride(R11), SI
	ADDQ    machine_full(R11), SI
	MOVQ    machine_active(R11), DX
	MOVQ    machine_n(R11), CX
loop:
	MOVLQSX (DX), AX
	MOVLQSX 4(DX), BX
	MOVL    (SI)(AX*4), AX
	MOVL    (SI)(BX*4), BX
	MOVL    AX, (DI)
	MOVL    BX, 4(DI)
	ADDQ    $8, DX
	ADDQ    $8, DI
	SUBQ    $2, CX
	JNE     loop
	NEXT

TEXT ·singleOpFill(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX      8(R13), SI
	MOVQ         machine_n(R11), CX
	VBROADCASTSS (R8)(SI*4), Y0
loop:
	VMOVUPS Y0, (DI)
	VMOVUPS Y0, 32(DI)
	ADDQ    $64, DI
	SUBQ    $16, CX
	JNE     loop
	NEXT

TEXT ·singleOpNeg(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	REG(8, SI)
	MOVQ         machine_n(R11), CX
	VBROADCASTSS ·singleConstants+4(SB), Y8
loop:
	LOAD2
	VXORPS Y8, Y0, Y0
	VXORPS Y8, Y1, Y1
	STORE2
	NEXT

TEXT ·singleOpAdd(SB), NOSPLIT|NOFRAME, $0
	BINARY(VADDPS)

TEXT ·singleOpSub(SB), NOSPLIT|NOFRAME, $0
	BINARY(VSUBPS)

TEXT ·singleOpMul(SB), NOSPLIT|NOFRAME, $0
	BINARY(VMULPS)

TEXT ·singleOpMulAdd(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	REG(8, SI)
	REG(12, DX)
	MOVQ machine_n(R11), CX
loop:
	LOAD2
	VMOVUPS     (DI), Y2
	VMOVUPS     32(DI), Y3
	VFMADD132PS (DX), Y2, Y0
	VFMADD132PS 32(DX), Y3, Y1
	ADDQ        $64, DX
	STORE2
	NEXT

TEXT ·singleOpScale(SB), NOSPLIT|NOFRAME, $0
	SCALAR
loop:
	VMULPS (SI), Y8, Y0
	VMULPS 32(SI), Y8, Y1
	STORE2
	NEXT

TEXT ·singleOpNegScale(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSS ·singleConstants+4(SB), Y9
	VXORPS       Y9, Y8, Y8
loop:
	VMULPS (SI), Y8, Y0
	VMULPS 32(SI), Y8, Y1
	STORE2
	NEXT

// WIDE starts an operation of register a with the float64 m[b], in Y8.
#define WIDE \
	REG(4, DI)                         \
	REG(8, SI)                         \
	MOVLQSX      12(R13), DX           \
	MOVQ         machine_n(R11), CX    \
	MOVQ         machine_wide(R11), BX \
	VBROADCASTSD (BX)(DX*8), Y8

// LOAD4 widens 16 lanes to Y0 to Y3; STORE4 rounds and stores them.
#define LOAD4 \
	VCVTPS2PD (SI), Y0   \
	VCVTPS2PD 16(SI), Y1 \
	VCVTPS2PD 32(SI), Y2 \
	VCVTPS2PD 48(SI), Y3

#define STORE4 \
	VCVTPD2PSY Y0, X0     \
	VCVTPD2PSY Y1, X1     \
	VCVTPD2PSY Y2, X2     \
	VCVTPD2PSY Y3, X3     \
	VMOVUPS    X0, (DI)   \
	VMOVUPS    X1, 16(DI) \
	VMOVUPS    X2, 32(DI) \
	VMOVUPS    X3, 48(DI) \
	ADDQ       $64, SI    \
	ADDQ       $64, DI    \
	SUBQ       $16, CX    \
	JNE        loop

TEXT ·singleOpAddS(SB), NOSPLIT|NOFRAME, $0
	WIDE
loop:
	LOAD4
	VADDPD Y8, Y0, Y0
	VADDPD Y8, Y1, Y1
	VADDPD Y8, Y2, Y2
	VADDPD Y8, Y3, Y3
	STORE4
	NEXT

TEXT ·singleOpSubS(SB), NOSPLIT|NOFRAME, $0
	WIDE
loop:
	LOAD4
	VSUBPD Y8, Y0, Y0
	VSUBPD Y8, Y1, Y1
	VSUBPD Y8, Y2, Y2
	VSUBPD Y8, Y3, Y3
	STORE4
	NEXT

TEXT ·singleOpRSubS(SB), NOSPLIT|NOFRAME, $0
	WIDE
loop:
	LOAD4
	VSUBPD Y0, Y8, Y0
	VSUBPD Y1, Y8, Y1
	VSUBPD Y2, Y8, Y2
	VSUBPD Y3, Y8, Y3
	STORE4
	NEXT

TEXT ·singleOpRelu(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	REG(8, SI)
	MOVQ   machine_n(R11), CX
	VXORPS Y8, Y8, Y8
loop:
	VMAXPS (SI), Y8, Y0
	VMAXPS 32(SI), Y8, Y1
	STORE2
	NEXT

// 1 where x > 0, else 0, NaN where x is.
TEXT ·singleOpPositive(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	REG(8, SI)
	MOVQ         machine_n(R11), CX
	VXORPS       Y8, Y8, Y8
	VBROADCASTSS ·singleConstants+0(SB), Y9
loop:
	LOAD2
	VCMPPS $0x1E, Y8, Y0, Y2
	VCMPPS $0x1E, Y8, Y1, Y3
	VCMPPS $0x03, Y0, Y0, Y4
	VCMPPS $0x03, Y1, Y1, Y5
	VANDPS Y9, Y2, Y2
	VANDPS Y9, Y3, Y3
	VORPS  Y4, Y2, Y0
	VORPS  Y5, Y3, Y1
	STORE2
	NEXT

TEXT ·singleOpSigmoidShift(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSS 4(R8)(DX*4), Y9
	VBROADCASTSS ·singleConstants+0(SB), Y10
loop:
	LOAD2
	VSUBPS      Y0, Y10, Y2
	VSUBPS      Y1, Y10, Y3
	VMULPS      Y8, Y0, Y0
	VMULPS      Y8, Y1, Y1
	VFMADD213PS Y0, Y9, Y2
	VFMADD213PS Y1, Y9, Y3
	VDIVPS      Y2, Y0, Y0
	VDIVPS      Y3, Y1, Y1
	STORE2
	NEXT

TEXT ·singleOpLess(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSS ·singleConstants+0(SB), Y9
loop:
	LOAD2
	VCMPPS $0x11, Y8, Y0, Y0
	VCMPPS $0x11, Y8, Y1, Y1
	VANDPS Y9, Y0, Y0
	VANDPS Y9, Y1, Y1
	STORE2
	NEXT

// MASK4 widens the lanes in Y0 and Y1 that count to Y0 to Y3, zeros for the others.
#define MASK4 \
	VANDPS       (AX), Y0, Y0   \
	VANDPS       32(AX), Y1, Y1 \
	VEXTRACTF128 $1, Y1, X3     \
	VCVTPS2PD    X1, Y2         \
	VEXTRACTF128 $1, Y0, X1     \
	VCVTPS2PD    X3, Y3         \
	VCVTPS2PD    X1, Y1         \
	VCVTPS2PD    X0, Y0

// SUMLANES adds the lanes of Y10 to Y13 and stores the sum in the arena.
#define SUMLANES \
	VADDPD       Y11, Y10, Y10         \
	VADDPD       Y13, Y12, Y12         \
	VADDPD       Y12, Y10, Y10         \
	VEXTRACTF128 $1, Y10, X11          \
	VADDPD       X11, X10, X10         \
	VHADDPD      X10, X10, X10         \
	MOVLQSX      4(R13), DI            \
	MOVQ         machine_wide(R11), BX \
	VMOVSD       X10, (BX)(DI*8)       \
	NEXT

#define ZERO4 \
	VXORPD Y10, Y10, Y10 \
	VXORPD Y11, Y11, Y11 \
	VXORPD Y12, Y12, Y12 \
	VXORPD Y13, Y13, Y13

TEXT ·singleOpSum(SB), NOSPLIT|NOFRAME, $0
	REG(8, SI)
	MOVQ machine_n(R11), CX
	MOVQ machine_tail(R11), AX
	ZERO4
loop:
	SUBQ   $16, CX
	JEQ    last
	LOAD4
	VADDPD Y0, Y10, Y10
	VADDPD Y1, Y11, Y11
	VADDPD Y2, Y12, Y12
	VADDPD Y3, Y13, Y13
	ADDQ   $64, SI
	JMP    loop
last:
	LOAD2
	MASK4
	VADDPD Y0, Y10, Y10
	VADDPD Y1, Y11, Y11
	VADDPD Y2, Y12, Y12
	VADDPD Y3, Y13, Y13
	SUMLANES

// Products are exact in float64.
TEXT ·singleOpSumProduct(SB), NOSPLIT|NOFRAME, $0
	REG(8, SI)
	REG(12, DX)
	MOVQ machine_n(R11), CX
	MOVQ machine_tail(R11), AX
	ZERO4
loop:
	SUBQ        $16, CX
	JEQ         last
	LOAD4
	VCVTPS2PD   (DX), Y4
	VCVTPS2PD   16(DX), Y5
	VCVTPS2PD   32(DX), Y6
	VCVTPS2PD   48(DX), Y7
	VFMADD231PD Y0, Y4, Y10
	VFMADD231PD Y1, Y5, Y11
	VFMADD231PD Y2, Y6, Y12
	VFMADD231PD Y3, Y7, Y13
	ADDQ        $64, SI
	ADDQ        $64, DX
	JMP         loop
last:
	LOAD2
	MASK4
	VMOVAPD     Y0, Y4
	VMOVAPD     Y1, Y5
	VMOVAPD     Y2, Y6
	VMOVAPD     Y3, Y7
	VMOVUPS     (DX), Y0
	VMOVUPS     32(DX), Y1
	MASK4
	VFMADD231PD Y0, Y4, Y10
	VFMADD231PD Y1, Y5, Y11
	VFMADD231PD Y2, Y6, Y12
	VFMADD231PD Y3, Y7, Y13
	SUMLANES

// dst = Σ m[factor]·r[reg] over b pairs at args[a]. Eight accumulators take 64
// lanes at a time; what is left goes by 16.
TEXT ·singleOpDot(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX 8(R13), SI
	LEAQ    (R10)(SI*4), SI
	MOVLQSX 12(R13), DX
	LEAQ    (SI)(DX*8), DX
	MOVQ    machine_n(R11), CX
	MOVQ    R9, R15
wide:
	CMPQ   CX, $64
	JLT    narrow
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	MOVQ   SI, R14
wideterm:
	MOVLQSX      (R14), AX
	MOVLQSX      4(R14), BX
	IMULQ        R12, AX
	VBROADCASTSS (R8)(BX*4), Y8
	ADDQ         R15, AX
	ADDQ         $8, R14
	VFMADD231PS  (AX), Y8, Y0
	VFMADD231PS  32(AX), Y8, Y1
	VFMADD231PS  64(AX), Y8, Y2
	VFMADD231PS  96(AX), Y8, Y3
	VFMADD231PS  128(AX), Y8, Y4
	VFMADD231PS  160(AX), Y8, Y5
	VFMADD231PS  192(AX), Y8, Y6
	VFMADD231PS  224(AX), Y8, Y7
	CMPQ         R14, DX
	JNE          wideterm
	VMOVUPS      Y0, (DI)
	VMOVUPS      Y1, 32(DI)
	VMOVUPS      Y2, 64(DI)
	VMOVUPS      Y3, 96(DI)
	VMOVUPS      Y4, 128(DI)
	VMOVUPS      Y5, 160(DI)
	VMOVUPS      Y6, 192(DI)
	VMOVUPS      Y7, 224(DI)
	ADDQ         $256, DI
	ADDQ         $256, R15
	SUBQ         $64, CX
	JMP          wide
narrow:
	TESTQ  CX, CX
	JEQ    done
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	MOVQ   SI, R14
narrowterm:
	MOVLQSX      (R14), AX
	MOVLQSX      4(R14), BX
	IMULQ        R12, AX
	VBROADCASTSS (R8)(BX*4), Y8
	ADDQ         $8, R14
	VFMADD231PS  (R15)(AX*1), Y8, Y0
	VFMADD231PS  32(R15)(AX*1), Y8, Y1
	CMPQ         R14, DX
	JNE          narrowterm
	VMOVUPS      Y0, (DI)
	VMOVUPS      Y1, 32(DI)
	ADDQ         $64, DI
	ADDQ         $64, R15
	SUBQ         $16, CX
	JMP          narrow
done:
	NEXT

// dst = Σ r·r over b pairs at args[a], 32 lanes at a time, then 16.
TEXT ·singleOpDotPairs(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX 8(R13), SI
	LEAQ    (R10)(SI*4), SI
	MOVLQSX 12(R13), DX
	LEAQ    (SI)(DX*8), DX
	MOVQ    machine_n(R11), CX
	MOVQ    R9, R15
wide:
	CMPQ   CX, $32
	JLT    narrow
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	MOVQ   SI, R14
wideterm:
	MOVLQSX     (R14), AX
	MOVLQSX     4(R14), BX
	IMULQ       R12, AX
	IMULQ       R12, BX
	ADDQ        R15, AX
	ADDQ        R15, BX
	ADDQ        $8, R14
	VMOVUPS     (AX), Y4
	VMOVUPS     32(AX), Y5
	VMOVUPS     64(AX), Y6
	VMOVUPS     96(AX), Y7
	VFMADD231PS (BX), Y4, Y0
	VFMADD231PS 32(BX), Y5, Y1
	VFMADD231PS 64(BX), Y6, Y2
	VFMADD231PS 96(BX), Y7, Y3
	CMPQ        R14, DX
	JNE         wideterm
	VMOVUPS     Y0, (DI)
	VMOVUPS     Y1, 32(DI)
	VMOVUPS     Y2, 64(DI)
	VMOVUPS     Y3, 96(DI)
	ADDQ        $128, DI
	ADDQ        $128, R15
	SUBQ        $32, CX
	JMP         wide
narrow:
	TESTQ  CX, CX
	JEQ    done
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	MOVQ   SI, R14
narrowterm:
	MOVLQSX     (R14), AX
	MOVLQSX     4(R14), BX
	IMULQ       R12, AX
	IMULQ       R12, BX
	ADDQ        R15, AX
	ADDQ        R15, BX
	ADDQ        $8, R14
	VMOVUPS     (AX), Y4
	VMOVUPS     32(AX), Y5
	VFMADD231PS (BX), Y4, Y0
	VFMADD231PS 32(BX), Y5, Y1
	CMPQ        R14, DX
	JNE         narrowterm
	VMOVUPS     Y0, (DI)
	VMOVUPS     Y1, 32(DI)
	ADDQ        $64, DI
	ADDQ        $64, R15
	SUBQ        $16, CX
	JMP         narrow
done:
	NEXT

// A tile holds four rows of 16 lanes in Y0 to Y7. Its layout at SI is that of
// tile.go: joint at 0, panel at 4, extra at 8, dst at 24, bias at 44, registers from 60 on.
// R15 points to the lanes at work of register 0.

// TILESTART finds the tile.
#define TILESTART \
	MOVLQSX 8(R13), SI         \
	LEAQ    (R10)(SI*4), SI    \
	MOVQ    machine_n(R11), CX \
	MOVQ    R9, R15

// TILEJOINT starts the rows with their biases and adds the products that they
// have in common. DX moves to the end of the registers.
#define TILEJOINT \
	MOVLQSX      44(SI), AX        \
	MOVLQSX      48(SI), BX        \
	MOVLQSX      52(SI), DX        \
	MOVLQSX      56(SI), R14       \
	VBROADCASTSS (R8)(AX*4), Y0    \
	VBROADCASTSS (R8)(BX*4), Y2    \
	VBROADCASTSS (R8)(DX*4), Y4    \
	VBROADCASTSS (R8)(R14*4), Y6   \
	VMOVAPS      Y0, Y1            \
	VMOVAPS      Y2, Y3            \
	VMOVAPS      Y4, Y5            \
	VMOVAPS      Y6, Y7            \
	MOVLQSX      (SI), AX          \
	MOVLQSX      4(SI), BX         \
	LEAQ         60(SI), DX        \
	LEAQ         (R8)(BX*4), BX    \
	LEAQ         (DX)(AX*4), AX    \
	CMPQ         DX, AX            \
	JEQ          rows              \
joint:                             \
	MOVLQSX      (DX), R14         \
	IMULQ        R12, R14          \
	VBROADCASTSS (BX), Y10         \
	VBROADCASTSS 4(BX), Y11        \
	VBROADCASTSS 8(BX), Y12       \
	VBROADCASTSS 12(BX), Y13       \
	VMOVUPS      (R15)(R14*1), Y8  \
	VMOVUPS      32(R15)(R14*1), Y9 \
	ADDQ         $4, DX            \
	ADDQ         $16, BX           \
	VFMADD231PS  Y8, Y10, Y0       \
	VFMADD231PS  Y9, Y10, Y1       \
	VFMADD231PS  Y8, Y11, Y2       \
	VFMADD231PS  Y9, Y11, Y3       \
	VFMADD231PS  Y8, Y12, Y4       \
	VFMADD231PS  Y9, Y12, Y5       \
	VFMADD231PS  Y8, Y13, Y6       \
	VFMADD231PS  Y9, Y13, Y7       \
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
	VBROADCASTSS (R8)(BX*4), Y10          \
	ADDQ         $8, DX                   \
	VFMADD231PS  (R15)(R14*1), Y10, ya    \
	VFMADD231PS  32(R15)(R14*1), Y10, yb  \
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
	VMOVUPS ya, (R15)(R14*1)       \
	VMOVUPS yb, 32(R15)(R14*1)

#define TILESTORES \
	TILESTORE(24, Y0, Y1) \
	TILESTORE(28, Y2, Y3) \
	TILESTORE(32, Y4, Y5) \
	TILESTORE(36, Y6, Y7)

TEXT ·singleOpTile(SB), NOSPLIT|NOFRAME, $0
	TILESTART
block:
	TILEJOINT
	TILEROWS
	TILESTORES
	ADDQ $64, R15
	SUBQ $16, CX
	JNE  block
	NEXT

TEXT ·singleOpTileRelu(SB), NOSPLIT|NOFRAME, $0
	TILESTART
block:
	TILEJOINT
	TILEROWS
	VXORPS Y8, Y8, Y8
	VMAXPS Y0, Y8, Y0
	VMAXPS Y1, Y8, Y1
	VMAXPS Y2, Y8, Y2
	VMAXPS Y3, Y8, Y3
	VMAXPS Y4, Y8, Y4
	VMAXPS Y5, Y8, Y5
	VMAXPS Y6, Y8, Y6
	VMAXPS Y7, Y8, Y7
	TILESTORES
	ADDQ   $64, R15
	SUBQ   $16, CX
	JNE    block
	NEXT

TEXT ·singleOpTileSquares(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	TILESTART
block:
	TILEJOINT
	TILEROWS
	VMULPS      Y0, Y0, Y0
	VMULPS      Y1, Y1, Y1
	VMULPS      Y2, Y2, Y2
	VMULPS      Y3, Y3, Y3
	VFMADD231PS Y4, Y4, Y0
	VFMADD231PS Y5, Y5, Y1
	VFMADD231PS Y6, Y6, Y2
	VFMADD231PS Y7, Y7, Y3
	VADDPS      Y2, Y0, Y0
	VADDPS      Y3, Y1, Y1
	MOVL        12(R13), AX
	TESTL       AX, AX
	JEQ         first
	VADDPS      (DI), Y0, Y0
	VADDPS      32(DI), Y1, Y1
first:
	VMOVUPS     Y0, (DI)
	VMOVUPS     Y1, 32(DI)
	ADDQ        $64, DI
	ADDQ        $64, R15
	SUBQ        $16, CX
	JNE         block
	NEXT

// NEXT8 leaves the next numbers of a stream in Y8, as package vector draws them,
// rounded as by roundGo.
#define NEXT8 \
	STEP8                         \
	UNIFORM8                      \
	VMINPD      Y15, Y8, Y8       \
	VMINPD      Y15, Y9, Y9       \
	VCVTPD2PSY  Y8, X8            \
	VCVTPD2PSY  Y9, X9            \
	VINSERTF128 $1, X9, Y8, Y8

#define UNIFORMCONSTANTS \
	VBROADCASTSD ·singleConstants+8(SB), Y12  \
	VBROADCASTSD ·singleConstants+24(SB), Y13 \
	VBROADCASTSD ·singleConstants+16(SB), Y15

#define STORE8 \
	VMOVUPS Y8, (DI) \
	ADDQ    $32, DI  \
	SUBQ    $8, CX   \
	JNE     loop

TEXT ·singleOpBlock(SB), NOSPLIT|NOFRAME, $0
	BLOCK(VFMADD231PS)

TEXT ·singleOpDraw(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	UNIFORMCONSTANTS
loop:
	NEXT8
	STORE8
	STORESTREAM
	NEXT

// See laneOpDrawLess. VPERMPD puts the halves of lanes in order.
TEXT ·singleOpDrawLess(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	SINGLEBOUND
	VBROADCASTSS ·singleConstants+0(SB), Y12
	TESTQ        AX, AX
	JNE          some
	VXORPS       Y12, Y12, Y12
some:
	SHLQ         $12, AX
	DECQ         AX
	BTCQ         $63, AX
	VMOVQ        AX, X13
	VPBROADCASTQ X13, Y13
	VBROADCASTSD ·laneConstants+8(SB), Y15
loop:
	STEP8
	VPXOR    Y15, Y8, Y8
	VPXOR    Y15, Y9, Y9
	VPCMPGTQ Y13, Y8, Y8
	VPCMPGTQ Y13, Y9, Y9
	VSHUFPS  $0x88, Y9, Y8, Y8
	VPERMPD  $0xD8, Y8, Y8
	VANDNPS  Y12, Y8, Y8
	STORE8
	STORESTREAM
	NEXT

TEXT ·singleOpDrawShift(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	UNIFORMCONSTANTS
	MOVLQSX 12(R13), DX
loop:
	NEXT8
	VBROADCASTSS ·singleConstants+0(SB), Y9
	VBROADCASTSS (R8)(DX*4), Y10
	VBROADCASTSS 4(R8)(DX*4), Y11
	VSUBPS       Y8, Y9, Y9
	VMULPS       Y10, Y8, Y8
	VFMADD213PS  Y8, Y11, Y9
	VDIVPS       Y9, Y8, Y8
	STORE8
	STORESTREAM
	NEXT

// func roundAVX2(dst *float32, x *float64, n int)
// See roundGo; n is a positive multiple of 8.
TEXT ·roundAVX2(SB), NOSPLIT, $0-24
	MOVQ         dst+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSD ·singleConstants+8(SB), Y8
	VBROADCASTSD ·singleConstants+16(SB), Y9
loop:
	VMOVUPD    (SI), Y0
	VMOVUPD    32(SI), Y1
	VMINPD     Y9, Y0, Y2
	VMINPD     Y9, Y1, Y3
	VCMPPD     $0x11, Y8, Y0, Y4
	VCMPPD     $0x11, Y8, Y1, Y5
	VBLENDVPD  Y4, Y2, Y0, Y0
	VBLENDVPD  Y5, Y3, Y1, Y1
	VCVTPD2PSY Y0, X0
	VCVTPD2PSY Y1, X1
	VMOVUPS    X0, (DI)
	VMOVUPS    X1, 16(DI)
	ADDQ       $64, SI
	ADDQ       $32, DI
	SUBQ       $8, CX
	JNE        loop
	VZEROUPPER
	RET

// singleConstants: 1 and the sign bit in float32; 1, the largest float32 below it and
// 1 − 2⁻⁵³ in float64; 1 as an integer; 2⁻⁵³ and the largest number below 1 in float32.
DATA ·singleConstants+0(SB)/4, $0x3f800000
DATA ·singleConstants+4(SB)/4, $0x80000000
DATA ·singleConstants+8(SB)/8, $1.0
DATA ·singleConstants+16(SB)/8, $0x3FEFFFFFE0000000
DATA ·singleConstants+24(SB)/8, $0x3FEFFFFFFFFFFFFF
DATA ·singleConstants+32(SB)/8, $1
DATA ·singleConstants+40(SB)/4, $0x25000000
DATA ·singleConstants+44(SB)/4, $0x3F7FFFFF
GLOBL ·singleConstants(SB), RODATA, $48

// singleTable has one entry for each laneCode.
DATA ·singleTable+0(SB)/8, $·laneStop(SB)
DATA ·singleTable+8(SB)/8, $·singleOpCopy(SB)
DATA ·singleTable+16(SB)/8, $·singleOpGather(SB)
DATA ·singleTable+24(SB)/8, $·singleOpFill(SB)
DATA ·singleTable+32(SB)/8, $·singleOpNeg(SB)
DATA ·singleTable+40(SB)/8, $·singleOpAdd(SB)
DATA ·singleTable+48(SB)/8, $·singleOpSub(SB)
DATA ·singleTable+56(SB)/8, $·singleOpMul(SB)
DATA ·singleTable+64(SB)/8, $·singleOpMulAdd(SB)
DATA ·singleTable+72(SB)/8, $·singleOpScale(SB)
DATA ·singleTable+80(SB)/8, $·singleOpNegScale(SB)
DATA ·singleTable+88(SB)/8, $·singleOpAddS(SB)
DATA ·singleTable+96(SB)/8, $·singleOpSubS(SB)
DATA ·singleTable+104(SB)/8, $·singleOpRSubS(SB)
DATA ·singleTable+112(SB)/8, $·singleOpDot(SB)
DATA ·singleTable+120(SB)/8, $·singleOpDotPairs(SB)
DATA ·singleTable+128(SB)/8, $·singleOpTile(SB)
DATA ·singleTable+136(SB)/8, $·singleOpTileRelu(SB)
DATA ·singleTable+144(SB)/8, $·singleOpTileSquares(SB)
DATA ·singleTable+152(SB)/8, $·singleOpBlock(SB)
DATA ·singleTable+160(SB)/8, $·singleOpRelu(SB)
DATA ·singleTable+168(SB)/8, $·singleOpPositive(SB)
DATA ·singleTable+176(SB)/8, $·singleOpSigmoidShift(SB)
DATA ·singleTable+184(SB)/8, $·singleOpLess(SB)
DATA ·singleTable+192(SB)/8, $·singleOpSum(SB)
DATA ·singleTable+200(SB)/8, $·singleOpSumProduct(SB)
DATA ·singleTable+208(SB)/8, $·singleOpDraw(SB)
DATA ·singleTable+216(SB)/8, $·singleOpDrawLess(SB)
DATA ·singleTable+224(SB)/8, $·singleOpDrawShift(SB)
DATA ·singleTable+232(SB)/8, $·laneStop(SB)
DATA ·singleTable+240(SB)/8, $·laneStop(SB)
DATA ·singleTable+248(SB)/8, $·laneStop(SB)
DATA ·singleTable+256(SB)/8, $·laneStop(SB)
DATA ·singleTable+264(SB)/8, $·laneStop(SB)
DATA ·singleTable+272(SB)/8, $·laneStop(SB)
DATA ·singleTable+280(SB)/8, $·laneStop(SB)
GLOBL ·singleTable(SB), NOPTR, $288
