//go:build !purego

#include "textflag.h"

// A tile is four rows of 16 columns, in Z0 to Z7, or of up to 8 of them, in Z0, Z2,
// Z4 and Z6, of which K1 says how many. R8 to R11 point behind the terms of the rows
// of A, DI, SI, R12 and R13 to the tile in the rows of C; R15 points to its columns
// in the first row of B, R14 is minus the number of terms, DX the bytes between rows
// of B. Terms are added in the order of product_amd64.s.

// func stripAVX512(x *strip)
TEXT ·stripAVX512(SB), NOSPLIT, $0-8
	MOVQ x+0(FP), AX
	MOVQ 0(AX), DI
	MOVQ 8(AX), SI
	MOVQ 16(AX), R12
	MOVQ 24(AX), R13
	MOVQ 32(AX), R8
	MOVQ 40(AX), R9
	MOVQ 48(AX), R10
	MOVQ 56(AX), R11
	MOVQ 64(AX), R15
	MOVQ 72(AX), DX
	MOVQ 80(AX), R14
	MOVQ 88(AX), CX
	LEAQ (R8)(R14*8), R8
	LEAQ (R9)(R14*8), R9
	LEAQ (R10)(R14*8), R10
	LEAQ (R11)(R14*8), R11
	NEGQ R14

	// K2 is set if the sums start with what C holds.
	XORL  BX, BX
	CMPQ  104(AX), $0
	SETNE BX
	NEGL  BX
	KMOVW BX, K2
	SUBQ  $16, CX
	JLT   rest
tile:
	VMOVUPD.Z (DI), K2, Z0
	VMOVUPD.Z 64(DI), K2, Z1
	VMOVUPD.Z (SI), K2, Z2
	VMOVUPD.Z 64(SI), K2, Z3
	VMOVUPD.Z (R12), K2, Z4
	VMOVUPD.Z 64(R12), K2, Z5
	VMOVUPD.Z (R13), K2, Z6
	VMOVUPD.Z 64(R13), K2, Z7
	MOVQ      R14, AX
	MOVQ      R15, BX
term:
	VMOVUPD      (BX), Z8
	VMOVUPD      64(BX), Z9
	VBROADCASTSD (R8)(AX*8), Z10
	VBROADCASTSD (R9)(AX*8), Z11
	VBROADCASTSD (R10)(AX*8), Z12
	VBROADCASTSD (R11)(AX*8), Z13
	ADDQ         DX, BX
	VFMADD231PD  Z8, Z10, Z0
	VFMADD231PD  Z9, Z10, Z1
	VFMADD231PD  Z8, Z11, Z2
	VFMADD231PD  Z9, Z11, Z3
	VFMADD231PD  Z8, Z12, Z4
	VFMADD231PD  Z9, Z12, Z5
	VFMADD231PD  Z8, Z13, Z6
	VFMADD231PD  Z9, Z13, Z7
	INCQ         AX
	JNE          term
	VMOVUPD Z0, (DI)
	VMOVUPD Z1, 64(DI)
	VMOVUPD Z2, (SI)
	VMOVUPD Z3, 64(SI)
	VMOVUPD Z4, (R12)
	VMOVUPD Z5, 64(R12)
	VMOVUPD Z6, (R13)
	VMOVUPD Z7, 64(R13)
	ADDQ    $128, DI
	ADDQ    $128, SI
	ADDQ    $128, R12
	ADDQ    $128, R13
	ADDQ    $128, R15
	SUBQ    $16, CX
	JGE     tile
rest:
	ADDQ $16, CX
	JEQ  done
narrow:
	// The low CX bits of K1 are set, those that there are.
	MOVL  $-1, AX
	CMPQ  CX, $8
	JGE   whole
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX
whole:
	KMOVW AX, K1
	KANDW K1, K2, K3
	VMOVUPD.Z (DI), K3, Z0
	VMOVUPD.Z (SI), K3, Z2
	VMOVUPD.Z (R12), K3, Z4
	VMOVUPD.Z (R13), K3, Z6
	MOVQ      R14, AX
	MOVQ      R15, BX
narrowterm:
	VMOVUPD.Z        (BX), K1, Z8
	VFMADD231PD.BCST (R8)(AX*8), Z8, Z0
	VFMADD231PD.BCST (R9)(AX*8), Z8, Z2
	VFMADD231PD.BCST (R10)(AX*8), Z8, Z4
	VFMADD231PD.BCST (R11)(AX*8), Z8, Z6
	ADDQ             DX, BX
	INCQ             AX
	JNE              narrowterm
	VMOVUPD Z0, K1, (DI)
	VMOVUPD Z2, K1, (SI)
	VMOVUPD Z4, K1, (R12)
	VMOVUPD Z6, K1, (R13)
	ADDQ    $64, DI
	ADDQ    $64, SI
	ADDQ    $64, R12
	ADDQ    $64, R13
	ADDQ    $64, R15
	SUBQ    $8, CX
	JGT     narrow
done:
	VZEROUPPER
	RET
