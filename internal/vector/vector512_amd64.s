//go:build !purego

#include "textflag.h"

// AVX-512 kernels. Every length n is a positive multiple of 8, which is one vector.
// The order of every sum, and every rounding, is that of vector_amd64.s.

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
