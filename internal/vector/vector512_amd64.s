//go:build !purego

#include "textflag.h"

// AVX-512 kernels. Every length n is a positive multiple of 8, which is one vector.
// The order of every sum, and every rounding, is that of vector_amd64.s.

// EXP replaces Z0, within ±708, by its exponentials; see EXP2 there.
#define HORNER(z) \
	VFMADD213PD z, Z0, Z4

#define EXP \
	VMULPD         Z17, Z0, Z2    \
	VRNDSCALEPD    $0, Z2, Z2     \
	VFNMADD231PD   Z18, Z2, Z0    \
	VFNMADD231PD   Z19, Z2, Z0    \
	VMOVAPD        Z20, Z4        \
	HORNER(Z21)                   \
	HORNER(Z22)                   \
	HORNER(Z23)                   \
	HORNER(Z24)                   \
	HORNER(Z25)                   \
	HORNER(Z26)                   \
	HORNER(Z27)                   \
	HORNER(Z28)                   \
	HORNER(Z29)                   \
	HORNER(Z30)                   \
	HORNER(Z31)                   \
	HORNER(Z16)                   \
	HORNER(Z16)                   \
	VCVTPD2QQ      Z2, Z2         \
	VPSLLQ         $52, Z2, Z2    \
	VPADDQ         Z2, Z4, Z0

// EXPTABLE loads the constants of EXP.
#define EXPTABLE \
	LEAQ         ·expTable(SB), R8   \
	VBROADCASTSD (R8), Z16           \
	VBROADCASTSD 8(R8), Z17          \
	VBROADCASTSD 16(R8), Z18         \
	VBROADCASTSD 24(R8), Z19         \
	VBROADCASTSD 32(R8), Z20         \
	VBROADCASTSD 40(R8), Z21         \
	VBROADCASTSD 48(R8), Z22         \
	VBROADCASTSD 56(R8), Z23         \
	VBROADCASTSD 64(R8), Z24         \
	VBROADCASTSD 72(R8), Z25         \
	VBROADCASTSD 80(R8), Z26         \
	VBROADCASTSD 88(R8), Z27         \
	VBROADCASTSD 96(R8), Z28         \
	VBROADCASTSD 104(R8), Z29        \
	VBROADCASTSD 112(R8), Z30        \
	VBROADCASTSD 120(R8), Z31        \
	VBROADCASTSD 128(R8), Z12        \
	VBROADCASTSD 136(R8), Z13

// func expAVX512(dst, a *float64, n int) (ok bool)
// ok is false if an argument is outside ±708 or NaN; dst is then not written
// completely.
TEXT ·expAVX512(SB), NOSPLIT, $0-25
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ n+16(FP), CX
	EXPTABLE
loop:
	VMOVUPD  (SI), Z0
	VCMPPD   $0x1D, Z12, Z0, K1
	VCMPPD   $0x12, Z13, Z0, K1, K1
	KORTESTB K1, K1
	JCC      bad
	EXP
	VMOVUPD  Z0, (DI)
	ADDQ     $64, SI
	ADDQ     $64, DI
	SUBQ     $8, CX
	JNE      loop
	MOVB     $1, ok+24(FP)
	VZEROUPPER
	RET
bad:
	MOVB $0, ok+24(FP)
	VZEROUPPER
	RET

// func sigmoidAVX512(dst, x *float64, n int) (ok bool)
// See sigmoidAVX2.
TEXT ·sigmoidAVX512(SB), NOSPLIT, $0-25
	MOVQ       dst+0(FP), DI
	MOVQ       x+8(FP), SI
	MOVQ       n+16(FP), CX
	EXPTABLE
	VPTERNLOGQ $255, Z11, Z11, Z11
	VPSLLQ     $63, Z11, Z11
loop:
	VMOVUPD   (SI), Z6
	VORPD     Z11, Z6, Z0
	VCMPPD    $0x1D, Z12, Z0, K1
	KORTESTB  K1, K1
	JCC       bad
	EXP
	VPMOVQ2M  Z6, K1
	VBLENDMPD Z0, Z16, K1, Z6
	VADDPD    Z16, Z0, Z0
	VDIVPD    Z0, Z6, Z0
	VMOVUPD   Z0, (DI)
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

// func sumExpAVX512(a *float64, n int, shift float64) float64
// Σ e^(a−shift) for a ≤ shift; what lies below −708 counts as −708.
TEXT ·sumExpAVX512(SB), NOSPLIT, $0-32
	MOVQ         a+0(FP), SI
	MOVQ         n+8(FP), CX
	VBROADCASTSD shift+16(FP), Z14
	EXPTABLE
	VXORPD       X10, X10, X10
loop:
	VMOVUPD (SI), Z0
	VSUBPD  Z14, Z0, Z0
	VMAXPD  Z12, Z0, Z0
	EXP
	VADDPD  Z0, Z10, Z10
	ADDQ    $64, SI
	SUBQ    $8, CX
	JNE     loop
	VEXTRACTF64X4 $1, Z10, Y11
	VADDPD        Y11, Y10, Y10
	VEXTRACTF128  $1, Y10, X11
	VADDPD        X11, X10, X10
	VHADDPD       X10, X10, X10
	VMOVSD        X10, ret+24(FP)
	VZEROUPPER
	RET

// func maxAVX512(a *float64, n int) float64
// The largest number; NaN if there is one anywhere. K1 collects lanes with a NaN.
TEXT ·maxAVX512(SB), NOSPLIT, $0-24
	MOVQ    a+0(FP), SI
	MOVQ    n+8(FP), CX
	VMOVUPD (SI), Z0
	KXORB   K1, K1, K1
loop:
	VMOVUPD (SI), Z2
	VMAXPD  Z2, Z0, Z0
	VCMPPD  $3, Z2, Z2, K2
	KORB    K2, K1, K1
	ADDQ    $64, SI
	SUBQ    $8, CX
	JNE     loop
	KORTESTB K1, K1
	JNE      nan
	VEXTRACTF64X4 $1, Z0, Y1
	VMAXPD        Y1, Y0, Y0
	VEXTRACTF128  $1, Y0, X1
	VMAXPD        X1, X0, X0
	VPERMILPD     $1, X0, X1
	VMAXSD        X1, X0, X0
	VMOVSD        X0, ret+16(FP)
	VZEROUPPER
	RET
nan:
	VPCMPEQD X0, X0, X0
	VMOVSD   X0, ret+16(FP)
	VZEROUPPER
	RET

// func uniformAVX512(dst *float64, n int, state *[32]uint64)
// xoshiro256++ in eight lanes; state word w of lane l is state[8w+l].
TEXT ·uniformAVX512(SB), NOSPLIT, $0-24
	MOVQ         dst+0(FP), DI
	MOVQ         n+8(FP), CX
	MOVQ         state+16(FP), SI
	VMOVDQU64    (SI), Z0
	VMOVDQU64    64(SI), Z1
	VMOVDQU64    128(SI), Z2
	VMOVDQU64    192(SI), Z3
	VBROADCASTSD ·uniformTable+0(SB), Z12
	VBROADCASTSD ·uniformTable+8(SB), Z13
loop:
	VPADDQ  Z0, Z3, Z8
	VPROLQ  $23, Z8, Z8
	VPADDQ  Z0, Z8, Z8
	VPSLLQ  $17, Z1, Z14
	VPXORQ  Z0, Z2, Z2
	VPXORQ  Z1, Z3, Z3
	VPXORQ  Z2, Z1, Z1
	VPXORQ  Z3, Z0, Z0
	VPXORQ  Z14, Z2, Z2
	VPROLQ  $45, Z3, Z3
	VPSRLQ  $12, Z8, Z8
	VPORQ   Z12, Z8, Z8
	VSUBPD  Z13, Z8, Z8
	VMOVUPD Z8, (DI)
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNE     loop
	VMOVDQU64 Z0, (SI)
	VMOVDQU64 Z1, 64(SI)
	VMOVDQU64 Z2, 128(SI)
	VMOVDQU64 Z3, 192(SI)
	VZEROUPPER
	RET
