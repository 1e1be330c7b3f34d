//go:build !purego

#include "textflag.h"

// A tile is four rows of 8 columns, in Y0 to Y7. R8 to R11 point behind the terms
// of the rows of A, DI, SI, R12 and R13 to the tile in the rows of C; R15 points to
// its columns in the first row of B, R14 is minus the number of terms.

// TERMS adds all terms to the tile. LOAD brings the columns of the row of B at BX
// into Y8 and Y9.
#define TERMS(LOAD, term) \
	MOVQ         R14, AX             \
	MOVQ         R15, BX             \
term:                                \
	LOAD                             \
	VBROADCASTSD (R8)(AX*8), Y10     \
	VBROADCASTSD (R9)(AX*8), Y11     \
	VBROADCASTSD (R10)(AX*8), Y12    \
	VBROADCASTSD (R11)(AX*8), Y13    \
	ADDQ         DX, BX              \
	VFMADD231PD  Y8, Y10, Y0         \
	VFMADD231PD  Y9, Y10, Y1         \
	VFMADD231PD  Y8, Y11, Y2         \
	VFMADD231PD  Y9, Y11, Y3         \
	VFMADD231PD  Y8, Y12, Y4         \
	VFMADD231PD  Y9, Y12, Y5         \
	VFMADD231PD  Y8, Y13, Y6         \
	VFMADD231PD  Y9, Y13, Y7         \
	INCQ         AX                  \
	JNE          term

#define WHOLE \
	VMOVUPD (BX), Y8   \
	VMOVUPD 32(BX), Y9

#define MASKED \
	VMASKMOVPD (BX), Y14, Y8   \
	VMASKMOVPD 32(BX), Y15, Y9

#define ZERO \
	VXORPD Y0, Y0, Y0 \
	VXORPD Y1, Y1, Y1 \
	VXORPD Y2, Y2, Y2 \
	VXORPD Y3, Y3, Y3 \
	VXORPD Y4, Y4, Y4 \
	VXORPD Y5, Y5, Y5 \
	VXORPD Y6, Y6, Y6 \
	VXORPD Y7, Y7, Y7

// func stripAVX2(x *strip)
TEXT ·stripAVX2(SB), NOSPLIT, $0-8
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
	SUBQ $8, CX
	JLT  rest
tile:
	ZERO
	MOVQ    x+0(FP), AX
	CMPQ    104(AX), $0
	JEQ     sum
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD (SI), Y2
	VMOVUPD 32(SI), Y3
	VMOVUPD (R12), Y4
	VMOVUPD 32(R12), Y5
	VMOVUPD (R13), Y6
	VMOVUPD 32(R13), Y7
sum:
	TERMS(WHOLE, term)
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, (SI)
	VMOVUPD Y3, 32(SI)
	VMOVUPD Y4, (R12)
	VMOVUPD Y5, 32(R12)
	VMOVUPD Y6, (R13)
	VMOVUPD Y7, 32(R13)
	ADDQ    $64, DI
	ADDQ    $64, SI
	ADDQ    $64, R12
	ADDQ    $64, R13
	ADDQ    $64, R15
	SUBQ    $8, CX
	JGE     tile
rest:
	CMPQ    CX, $-8
	JEQ     done
	MOVQ    x+0(FP), AX
	MOVQ    96(AX), BX
	VMOVUPD (BX), Y14
	VMOVUPD 32(BX), Y15
	ZERO
	CMPQ    104(AX), $0
	JEQ     sumrest
	VMASKMOVPD (DI), Y14, Y0
	VMASKMOVPD 32(DI), Y15, Y1
	VMASKMOVPD (SI), Y14, Y2
	VMASKMOVPD 32(SI), Y15, Y3
	VMASKMOVPD (R12), Y14, Y4
	VMASKMOVPD 32(R12), Y15, Y5
	VMASKMOVPD (R13), Y14, Y6
	VMASKMOVPD 32(R13), Y15, Y7
sumrest:
	TERMS(MASKED, restterm)
	VMASKMOVPD Y0, Y14, (DI)
	VMASKMOVPD Y1, Y15, 32(DI)
	VMASKMOVPD Y2, Y14, (SI)
	VMASKMOVPD Y3, Y15, 32(SI)
	VMASKMOVPD Y4, Y14, (R12)
	VMASKMOVPD Y5, Y15, 32(R12)
	VMASKMOVPD Y6, Y14, (R13)
	VMASKMOVPD Y7, Y15, 32(R13)
done:
	VZEROUPPER
	RET

// INNER adds four products of each of the rows in Y8 and Y9 with the row whose
// numbers are in row to x and y.
#define INNER(row, x, y) \
	VFMADD231PD row, Y8, x \
	VFMADD231PD row, Y9, y

// SUM4 leaves the sums of a, b, c and d in a, each as (0+1)+(2+3).
#define SUM4(a, b, c, d) \
	VHADDPD    b, a, a             \
	VHADDPD    d, c, c             \
	VPERM2F128 $0x21, c, a, b      \
	VBLENDPD   $12, c, a, a        \
	VADDPD     b, a, a

// func innerAVX2(sums *[8]float64, a0, a1, b0, b1, b2, b3 *float64, n int, tail *uint64)
// Inner products of a0 and of a1 with b0 to b3, each as four interleaved sums.
TEXT ·innerAVX2(SB), NOSPLIT, $0-72
	MOVQ a0+8(FP), R8
	MOVQ a1+16(FP), R9
	MOVQ b0+24(FP), R10
	MOVQ b1+32(FP), R11
	MOVQ b2+40(FP), R12
	MOVQ b3+48(FP), R13
	MOVQ n+56(FP), CX
	ZERO
	XORQ AX, AX
	SUBQ $4, CX
	JLT  rest
loop:
	VMOVUPD (R8)(AX*8), Y8
	VMOVUPD (R9)(AX*8), Y9
	VMOVUPD (R10)(AX*8), Y10
	VMOVUPD (R11)(AX*8), Y11
	VMOVUPD (R12)(AX*8), Y12
	VMOVUPD (R13)(AX*8), Y13
	INNER(Y10, Y0, Y4)
	INNER(Y11, Y1, Y5)
	INNER(Y12, Y2, Y6)
	INNER(Y13, Y3, Y7)
	ADDQ    $4, AX
	SUBQ    $4, CX
	JGE     loop
rest:
	CMPQ       CX, $-4
	JEQ        done
	MOVQ       tail+64(FP), BX
	VMOVUPD    (BX), Y14
	VMASKMOVPD (R8)(AX*8), Y14, Y8
	VMASKMOVPD (R9)(AX*8), Y14, Y9
	VMASKMOVPD (R10)(AX*8), Y14, Y10
	VMASKMOVPD (R11)(AX*8), Y14, Y11
	VMASKMOVPD (R12)(AX*8), Y14, Y12
	VMASKMOVPD (R13)(AX*8), Y14, Y13
	INNER(Y10, Y0, Y4)
	INNER(Y11, Y1, Y5)
	INNER(Y12, Y2, Y6)
	INNER(Y13, Y3, Y7)
done:
	SUM4(Y0, Y1, Y2, Y3)
	SUM4(Y4, Y5, Y6, Y7)
	MOVQ    sums+0(FP), DI
	VMOVUPD Y0, (DI)
	VMOVUPD Y4, 32(DI)
	VZEROUPPER
	RET
