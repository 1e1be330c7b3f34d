//go:build !purego

#include "textflag.h"

// AVX2 kernels. Every length n is a positive multiple of 8. Registers named Y hold
// four float64 each.

// func maxAVX2(a *float64, n int) float64
// The largest number; NaN if there is one anywhere.
TEXT ·maxAVX2(SB), NOSPLIT, $0-24
	MOVQ    a+0(FP), SI
	MOVQ    n+8(FP), CX
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VXORPD  Y4, Y4, Y4
loop:
	VMOVUPD (SI), Y2
	VMOVUPD 32(SI), Y3
	VMAXPD  Y2, Y0, Y0
	VMAXPD  Y3, Y1, Y1
	VCMPPD  $3, Y2, Y3, Y5
	VORPD   Y5, Y4, Y4
	ADDQ    $64, SI
	SUBQ    $8, CX
	JNE     loop
	VMAXPD       Y1, Y0, Y0
	VORPD        Y4, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VEXTRACTF128 $1, Y4, X5
	VMAXPD       X1, X0, X0
	VORPD        X5, X4, X4
	VPERMILPD    $1, X0, X1
	VPERMILPD    $1, X4, X5
	VMAXSD       X1, X0, X0
	VORPD        X5, X4, X4
	VORPD        X4, X0, X0
	VMOVSD       X0, ret+16(FP)
	VZEROUPPER
	RET

// ROTL replaces x by x rotated left by k bits.
#define ROTL(x, k, t) \
	VPSLLQ $k, x, t        \
	VPSRLQ $(64-k), x, x   \
	VPOR   t, x, x

// STEP advances four generators with state a, b, c, d; their output is in o.
#define STEP(a, b, c, d, o, t) \
	VPADDQ a, d, o      \
	ROTL(o, 23, t)      \
	VPADDQ a, o, o      \
	VPSLLQ $17, b, Y14  \
	VPXOR  a, c, c      \
	VPXOR  b, d, d      \
	VPXOR  c, b, b      \
	VPXOR  d, a, a      \
	VPXOR  Y14, c, c    \
	ROTL(d, 45, t)

DATA ·uniformTable+0(SB)/8, $1.0
DATA ·uniformTable+8(SB)/8, $0x3FEFFFFFFFFFFFFF
GLOBL ·uniformTable(SB), RODATA, $16

// func uniformAVX2(dst *float64, n int, state *[32]uint64)
// xoshiro256++ in eight lanes; state word w of lane l is state[8w+l].
TEXT ·uniformAVX2(SB), NOSPLIT, $0-24
	MOVQ         dst+0(FP), DI
	MOVQ         n+8(FP), CX
	MOVQ         state+16(FP), SI
	VMOVDQU      (SI), Y0
	VMOVDQU      64(SI), Y1
	VMOVDQU      128(SI), Y2
	VMOVDQU      192(SI), Y3
	VMOVDQU      32(SI), Y4
	VMOVDQU      96(SI), Y5
	VMOVDQU      160(SI), Y6
	VMOVDQU      224(SI), Y7
	VBROADCASTSD ·uniformTable+0(SB), Y12
	VBROADCASTSD ·uniformTable+8(SB), Y13
loop:
	STEP(Y0, Y1, Y2, Y3, Y8, Y10)
	STEP(Y4, Y5, Y6, Y7, Y9, Y11)
	VPSRLQ  $12, Y8, Y8
	VPSRLQ  $12, Y9, Y9
	VPOR    Y12, Y8, Y8
	VPOR    Y12, Y9, Y9
	VSUBPD  Y13, Y8, Y8
	VSUBPD  Y13, Y9, Y9
	VMOVUPD Y8, (DI)
	VMOVUPD Y9, 32(DI)
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNE     loop
	VMOVDQU Y0, (SI)
	VMOVDQU Y1, 64(SI)
	VMOVDQU Y2, 128(SI)
	VMOVDQU Y3, 192(SI)
	VMOVDQU Y4, 32(SI)
	VMOVDQU Y5, 96(SI)
	VMOVDQU Y6, 160(SI)
	VMOVDQU Y7, 224(SI)
	VZEROUPPER
	RET
