//go:build !purego

#include "textflag.h"

// AVX2 kernels. Every length n is a positive multiple of 8. Registers named Y hold
// four float64 each.

// expTable: 1, log2 e, the high and low parts of ln 2, and 1/13! … 1/2!, 1, 1.
DATA ·expTable+0(SB)/8, $1.0
DATA ·expTable+8(SB)/8, $1.44269504088896340735992468100
DATA ·expTable+16(SB)/8, $0.693147180369123816490
DATA ·expTable+24(SB)/8, $1.90821492927058770002e-10
DATA ·expTable+32(SB)/8, $1.6059043836821613e-10
DATA ·expTable+40(SB)/8, $2.08767569878681e-09
DATA ·expTable+48(SB)/8, $2.505210838544172e-08
DATA ·expTable+56(SB)/8, $2.755731922398589e-07
DATA ·expTable+64(SB)/8, $2.7557319223985893e-06
DATA ·expTable+72(SB)/8, $2.48015873015873e-05
DATA ·expTable+80(SB)/8, $0.0001984126984126984
DATA ·expTable+88(SB)/8, $0.001388888888888889
DATA ·expTable+96(SB)/8, $0.008333333333333333
DATA ·expTable+104(SB)/8, $0.041666666666666664
DATA ·expTable+112(SB)/8, $0.16666666666666666
DATA ·expTable+120(SB)/8, $0.5
DATA ·expTable+128(SB)/8, $-708.0
DATA ·expTable+136(SB)/8, $708.0
GLOBL ·expTable(SB), RODATA, $144

// EXP2 replaces Y0 and Y1, within ±708, by their exponentials: with
// k = round(x·log2 e) and r = x − k·ln 2, e^x = 2^k·e^r, and e^r is its Taylor
// polynomial of degree 13, exact to 2⁻⁵⁷ for |r| ≤ ½ ln 2.
#define HORNER(off) \
	VBROADCASTSD off(R8), Y15 \
	VFMADD213PD  Y15, Y0, Y4  \
	VFMADD213PD  Y15, Y1, Y5

#define EXP2 \
	VBROADCASTSD 8(R8), Y15       \
	VMULPD       Y15, Y0, Y2      \
	VMULPD       Y15, Y1, Y3      \
	VROUNDPD     $0, Y2, Y2       \
	VROUNDPD     $0, Y3, Y3       \
	VBROADCASTSD 16(R8), Y15      \
	VFNMADD231PD Y15, Y2, Y0      \
	VFNMADD231PD Y15, Y3, Y1      \
	VBROADCASTSD 24(R8), Y15      \
	VFNMADD231PD Y15, Y2, Y0      \
	VFNMADD231PD Y15, Y3, Y1      \
	VBROADCASTSD 32(R8), Y4       \
	VMOVAPD      Y4, Y5           \
	HORNER(40)                    \
	HORNER(48)                    \
	HORNER(56)                    \
	HORNER(64)                    \
	HORNER(72)                    \
	HORNER(80)                    \
	HORNER(88)                    \
	HORNER(96)                    \
	HORNER(104)                   \
	HORNER(112)                   \
	HORNER(120)                   \
	HORNER(0)                     \
	HORNER(0)                     \
	VCVTPD2DQY   Y2, X2           \
	VCVTPD2DQY   Y3, X3           \
	VPMOVSXDQ    X2, Y2           \
	VPMOVSXDQ    X3, Y3           \
	VPSLLQ       $52, Y2, Y2      \
	VPSLLQ       $52, Y3, Y3      \
	VPADDQ       Y2, Y4, Y0       \
	VPADDQ       Y3, Y5, Y1

// func expAVX2(dst, a *float64, n int) (ok bool)
// ok is false if an argument is outside ±708 or NaN; dst is then not written
// completely.
TEXT ·expAVX2(SB), NOSPLIT, $0-25
	MOVQ         dst+0(FP), DI
	MOVQ         a+8(FP), SI
	MOVQ         n+16(FP), CX
	LEAQ         ·expTable(SB), R8
	VBROADCASTSD 128(R8), Y12
	VBROADCASTSD 136(R8), Y13
loop:
	VMOVUPD   (SI), Y0
	VMOVUPD   32(SI), Y1
	VCMPPD    $0x1D, Y12, Y0, Y6
	VCMPPD    $0x1D, Y12, Y1, Y7
	VCMPPD    $0x12, Y13, Y0, Y8
	VCMPPD    $0x12, Y13, Y1, Y9
	VANDPD    Y6, Y8, Y6
	VANDPD    Y7, Y9, Y7
	VANDPD    Y6, Y7, Y6
	VMOVMSKPD Y6, AX
	CMPL      AX, $15
	JNE       bad
	EXP2
	VMOVUPD   Y0, (DI)
	VMOVUPD   Y1, 32(DI)
	ADDQ      $64, SI
	ADDQ      $64, DI
	SUBQ      $8, CX
	JNE       loop
	MOVB      $1, ok+24(FP)
	VZEROUPPER
	RET
bad:
	MOVB $0, ok+24(FP)
	VZEROUPPER
	RET

// func sigmoidAVX2(dst, x *float64, n int) (ok bool)
// 1, or e^x for negative x, divided by 1 + e^−|x|. ok is false if an argument is
// outside ±708 or NaN; dst is then not written completely.
TEXT ·sigmoidAVX2(SB), NOSPLIT, $0-25
	MOVQ         dst+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         n+16(FP), CX
	LEAQ         ·expTable(SB), R8
	VBROADCASTSD (R8), Y10
	VBROADCASTSD 128(R8), Y12
	VPCMPEQD     Y11, Y11, Y11
	VPSLLQ       $63, Y11, Y11
loop:
	VMOVUPD   (SI), Y6
	VMOVUPD   32(SI), Y7
	VORPD     Y11, Y6, Y0
	VORPD     Y11, Y7, Y1
	VCMPPD    $0x1D, Y12, Y0, Y8
	VCMPPD    $0x1D, Y12, Y1, Y9
	VANDPD    Y8, Y9, Y8
	VMOVMSKPD Y8, AX
	CMPL      AX, $15
	JNE       bad
	EXP2
	VBLENDVPD Y6, Y0, Y10, Y6
	VBLENDVPD Y7, Y1, Y10, Y7
	VADDPD    Y10, Y0, Y0
	VADDPD    Y10, Y1, Y1
	VDIVPD    Y0, Y6, Y0
	VDIVPD    Y1, Y7, Y1
	VMOVUPD   Y0, (DI)
	VMOVUPD   Y1, 32(DI)
	ADDQ      $64, SI
	ADDQ      $64, DI
	SUBQ      $8, CX
	JNE       loop
	MOVB      $1, ok+24(FP)
	VZEROUPPER
	RET
bad:
	MOVB $0, ok+24(FP)
	VZEROUPPER
	RET

// func sumExpAVX2(a *float64, n int, shift float64) float64
// Σ e^(a−shift) for a ≤ shift; what lies below −708 counts as −708.
TEXT ·sumExpAVX2(SB), NOSPLIT, $0-32
	MOVQ         a+0(FP), SI
	MOVQ         n+8(FP), CX
	VBROADCASTSD shift+16(FP), Y14
	LEAQ         ·expTable(SB), R8
	VBROADCASTSD 128(R8), Y12
	VXORPD       Y10, Y10, Y10
	VXORPD       Y11, Y11, Y11
loop:
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VSUBPD  Y14, Y0, Y0
	VSUBPD  Y14, Y1, Y1
	VMAXPD  Y12, Y0, Y0
	VMAXPD  Y12, Y1, Y1
	EXP2
	VADDPD  Y0, Y10, Y10
	VADDPD  Y1, Y11, Y11
	ADDQ    $64, SI
	SUBQ    $8, CX
	JNE     loop
	VADDPD       Y11, Y10, Y10
	VEXTRACTF128 $1, Y10, X11
	VADDPD       X11, X10, X10
	VHADDPD      X10, X10, X10
	VMOVSD       X10, ret+24(FP)
	VZEROUPPER
	RET

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
