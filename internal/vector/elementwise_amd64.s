//go:build !purego

#include "textflag.h"

// Every length n is a positive multiple of 8.

// EACH runs OP, which takes what is at SI and at DX, or a number in Y8, to Y0 and Y1,
// over dst.
#define EACH(OP, loop) \
	MOVQ dst+0(FP), DI  \
	MOVQ a+8(FP), SI    \
	MOVQ n+24(FP), CX   \
loop:                   \
	VMOVUPD (SI), Y0    \
	VMOVUPD 32(SI), Y1  \
	OP                  \
	VMOVUPD Y0, (DI)    \
	VMOVUPD Y1, 32(DI)  \
	ADDQ    $64, SI     \
	ADDQ    $64, DX     \
	ADDQ    $64, DI     \
	SUBQ    $8, CX      \
	JNE     loop        \
	VZEROUPPER          \
	RET

#define ADD \
	VADDPD (DX), Y0, Y0    \
	VADDPD 32(DX), Y1, Y1

#define SUB \
	VSUBPD (DX), Y0, Y0    \
	VSUBPD 32(DX), Y1, Y1

#define MUL \
	VMULPD (DX), Y0, Y0    \
	VMULPD 32(DX), Y1, Y1

#define SHIFT \
	VADDPD Y8, Y0, Y0  \
	VADDPD Y8, Y1, Y1

#define SCALE \
	VMULPD Y8, Y0, Y0  \
	VMULPD Y8, Y1, Y1

// func addAVX2(dst, a, b *float64, n int)
TEXT ·addAVX2(SB), NOSPLIT, $0-32
	MOVQ b+16(FP), DX
	EACH(ADD, loop)

// func subAVX2(dst, a, b *float64, n int)
TEXT ·subAVX2(SB), NOSPLIT, $0-32
	MOVQ b+16(FP), DX
	EACH(SUB, loop)

// func mulAVX2(dst, a, b *float64, n int)
TEXT ·mulAVX2(SB), NOSPLIT, $0-32
	MOVQ b+16(FP), DX
	EACH(MUL, loop)

// func shiftAVX2(dst, a *float64, b float64, n int)
TEXT ·shiftAVX2(SB), NOSPLIT, $0-32
	VBROADCASTSD b+16(FP), Y8
	EACH(SHIFT, loop)

// func scaleAVX2(dst, a *float64, b float64, n int)
TEXT ·scaleAVX2(SB), NOSPLIT, $0-32
	VBROADCASTSD b+16(FP), Y8
	EACH(SCALE, loop)

// func gatherAVX2(dst, a *float64, index *int32, n int)
// Loads one by one are as fast as gathers of AVX2.
TEXT ·gatherAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ index+16(FP), DX
	MOVQ n+24(FP), CX
loop:
	MOVLQSX (DX), AX
	MOVLQSX 4(DX), BX
	MOVLQSX 8(DX), R8
	MOVLQSX 12(DX), R9
	VMOVSD  (SI)(AX*8), X0
	VMOVSD  (SI)(BX*8), X1
	VMOVSD  (SI)(R8*8), X2
	VMOVSD  (SI)(R9*8), X3
	VMOVSD  X0, (DI)
	VMOVSD  X1, 8(DI)
	VMOVSD  X2, 16(DI)
	VMOVSD  X3, 24(DI)
	ADDQ    $16, DX
	ADDQ    $32, DI
	SUBQ    $4, CX
	JNE     loop
	RET

// func addScaledAVX2(dst, a, b *float64, n int, scale float64)
TEXT ·addScaledAVX2(SB), NOSPLIT, $0-40
	MOVQ         dst+0(FP), DI
	MOVQ         a+8(FP), SI
	MOVQ         b+16(FP), DX
	MOVQ         n+24(FP), CX
	VBROADCASTSD scale+32(FP), Y8
loop:
	VMULPD  (DX), Y8, Y0
	VMULPD  32(DX), Y8, Y1
	VADDPD  (SI), Y0, Y0
	VADDPD  32(SI), Y1, Y1
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	ADDQ    $64, SI
	ADDQ    $64, DX
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNE     loop
	VZEROUPPER
	RET

// func scaledSumAVX2(dst, a, b *float64, n int, scale float64)
TEXT ·scaledSumAVX2(SB), NOSPLIT, $0-40
	MOVQ         dst+0(FP), DI
	MOVQ         a+8(FP), SI
	MOVQ         b+16(FP), DX
	MOVQ         n+24(FP), CX
	VBROADCASTSD scale+32(FP), Y8
loop:
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VADDPD  (DX), Y0, Y0
	VADDPD  32(DX), Y1, Y1
	VMULPD  Y8, Y0, Y0
	VMULPD  Y8, Y1, Y1
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	ADDQ    $64, SI
	ADDQ    $64, DX
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNE     loop
	VZEROUPPER
	RET

// func scaleByRMSAVX2(x, squares *float64, n int, decay, rest, rate, epsilon float64)
TEXT ·scaleByRMSAVX2(SB), NOSPLIT, $0-56
	MOVQ         x+0(FP), DI
	MOVQ         squares+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSD decay+24(FP), Y8
	VBROADCASTSD rest+32(FP), Y9
	VBROADCASTSD rate+40(FP), Y10
	VBROADCASTSD epsilon+48(FP), Y11
loop:
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	VMULPD  Y0, Y9, Y2
	VMULPD  Y1, Y9, Y3
	VMULPD  Y0, Y2, Y2
	VMULPD  Y1, Y3, Y3
	VMULPD  (SI), Y8, Y4
	VMULPD  32(SI), Y8, Y5
	VADDPD  Y2, Y4, Y2
	VADDPD  Y3, Y5, Y3
	VMOVUPD Y2, (SI)
	VMOVUPD Y3, 32(SI)
	VADDPD  Y11, Y2, Y2
	VADDPD  Y11, Y3, Y3
	VSQRTPD Y2, Y2
	VSQRTPD Y3, Y3
	VMULPD  Y10, Y0, Y0
	VMULPD  Y10, Y1, Y1
	VDIVPD  Y2, Y0, Y0
	VDIVPD  Y3, Y1, Y1
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	ADDQ    $64, SI
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNE     loop
	VZEROUPPER
	RET

// func finiteAVX2(a *float64, n int) bool
// x − x is 0 for finite x and NaN otherwise.
TEXT ·finiteAVX2(SB), NOSPLIT, $0-17
	MOVQ   a+0(FP), SI
	MOVQ   n+8(FP), CX
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
loop:
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VSUBPD  Y0, Y0, Y0
	VSUBPD  Y1, Y1, Y1
	VORPD   Y0, Y2, Y2
	VORPD   Y1, Y3, Y3
	ADDQ    $64, SI
	SUBQ    $8, CX
	JNE     loop
	VORPD     Y3, Y2, Y2
	VCMPPD    $3, Y2, Y2, Y2
	VMOVMSKPD Y2, AX
	TESTL     AX, AX
	SETEQ     ret+16(FP)
	VZEROUPPER
	RET
