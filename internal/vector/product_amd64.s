//go:build !purego

#include "textflag.h"
#include "panel_amd64.h"

// A tile is four rows of three vectors of 4 columns, row r in Y(3r) to Y(3r+2), or,
// of what is left, of two vectors, row r in Y(2r) and Y(2r+1), of which Y14 and Y15
// mask the columns that there are.

#define LOAD3(c, x, y, z) \
	VMOVUPD (c), x    \
	VMOVUPD 32(c), y  \
	VMOVUPD 64(c), z

#define STORE3(c, x, y, z) \
	VMOVUPD x, (c)    \
	VMOVUPD y, 32(c)  \
	VMOVUPD z, 64(c)  \
	ADDQ    $96, c

#define LOAD2(c, x, y) \
	VMASKMOVPD (c), Y14, x    \
	VMASKMOVPD 32(c), Y15, y

#define STORE2(c, x, y) \
	VMASKMOVPD x, Y14, (c)    \
	VMASKMOVPD y, Y15, 32(c)  \
	ADDQ       $64, c

#define TERM3(a, x, y, z) \
	VBROADCASTSD (a)(AX*1), Y15  \
	VFMADD231PD  Y12, Y15, x     \
	VFMADD231PD  Y13, Y15, y     \
	VFMADD231PD  Y14, Y15, z

#define TERM2(a, x, y) \
	VBROADCASTSD (a)(AX*1), Y8  \
	VFMADD231PD  Y12, Y8, x     \
	VFMADD231PD  Y13, Y8, y

#define ZERO \
	VXORPD Y0, Y0, Y0 \
	VXORPD Y1, Y1, Y1 \
	VXORPD Y2, Y2, Y2 \
	VXORPD Y3, Y3, Y3 \
	VXORPD Y4, Y4, Y4 \
	VXORPD Y5, Y5, Y5 \
	VXORPD Y6, Y6, Y6 \
	VXORPD Y7, Y7, Y7

// func panelAVX2(x *panel)
TEXT ·panelAVX2(SB), NOSPLIT, $24-8
	PANEL
rows:
	ROWS
	SUBQ $12, CX
	JLT  rest
tile:
	ZERO
	VXORPD Y8, Y8, Y8
	VXORPD Y9, Y9, Y9
	VXORPD Y10, Y10, Y10
	VXORPD Y11, Y11, Y11
	MOVQ   x+0(FP), AX
	CMPQ   80(AX), $0
	JEQ    sum
	LOAD3(DI, Y0, Y1, Y2)
	LOAD3(SI, Y3, Y4, Y5)
	LOAD3(R12, Y6, Y7, Y8)
	LOAD3(R13, Y9, Y10, Y11)
sum:
	FIRST
term:
	LOAD3(BX, Y12, Y13, Y14)
	TERM3(R8, Y0, Y1, Y2)
	TERM3(R9, Y3, Y4, Y5)
	TERM3(R10, Y6, Y7, Y8)
	TERM3(R11, Y9, Y10, Y11)
	NEXT(term)
	STORE3(DI, Y0, Y1, Y2)
	STORE3(SI, Y3, Y4, Y5)
	STORE3(R12, Y6, Y7, Y8)
	STORE3(R13, Y9, Y10, Y11)
	ADDQ $96, R15
	SUBQ $12, CX
	JGE  tile
rest:
	ADDQ $12, CX
	JEQ  done
narrow:
	// The masks of CX columns are as many words before the end of the whole ones.
	MOVQ CX, BX
	CMPQ BX, $8
	JLE  masks
	MOVQ $8, BX
masks:
	NEGQ    BX
	MOVQ    x+0(FP), AX
	MOVQ    88(AX), R14
	VMOVUPD (R14)(BX*8), Y14
	VMOVUPD 32(R14)(BX*8), Y15
	MOVQ    72(AX), R14
	ZERO
	CMPQ    80(AX), $0
	JEQ     sumrest
	LOAD2(DI, Y0, Y1)
	LOAD2(SI, Y2, Y3)
	LOAD2(R12, Y4, Y5)
	LOAD2(R13, Y6, Y7)
sumrest:
	FIRST
restterm:
	LOAD2(BX, Y12, Y13)
	TERM2(R8, Y0, Y1)
	TERM2(R9, Y2, Y3)
	TERM2(R10, Y4, Y5)
	TERM2(R11, Y6, Y7)
	NEXT(restterm)
	STORE2(DI, Y0, Y1)
	STORE2(SI, Y2, Y3)
	STORE2(R12, Y4, Y5)
	STORE2(R13, Y6, Y7)
	ADDQ $64, R15
	SUBQ $8, CX
	JGT  narrow
done:
	CMPQ rows-24(SP), $0
	JGT  rows
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

// ROW4 adds the products of the number of X in Y4 with those of four rows.
#define ROW4 \
	VFMADD231PD (R8)(AX*8), Y4, Y0  \
	VFMADD231PD (R9)(AX*8), Y4, Y1  \
	VFMADD231PD (R10)(AX*8), Y4, Y2 \
	VFMADD231PD (R11)(AX*8), Y4, Y3

// func rowsAVX2(y, a *float64, pitch, rows int, x *float64, n int, tail *uint64)
// Inner products of x with rows, four at a time, each as four interleaved sums. The rows
// are pitch bytes apart; the last one stands for those that are missing from the last four.
// The masks of the tails of y are as many words before the end of the whole ones.
TEXT ·rowsAVX2(SB), NOSPLIT, $0-56
	MOVQ    y+0(FP), DI
	MOVQ    a+8(FP), R8
	MOVQ    pitch+16(FP), R13
	MOVQ    rows+24(FP), CX
	MOVQ    x+32(FP), SI
	MOVQ    tail+48(FP), R12
	VMOVUPD (R12), Y14
	LEAQ    ·tails+64(SB), R12
four:
	LEAQ    (R8)(R13*1), R9
	LEAQ    (R8)(R13*2), R10
	LEAQ    (R9)(R13*2), R11
	LEAQ    (R8)(R13*4), R15
	CMPQ    CX, $2
	CMOVQLT R8, R9
	CMPQ    CX, $3
	CMOVQLT R9, R10
	CMPQ    CX, $4
	CMOVQLT R10, R11
	VXORPD  Y0, Y0, Y0
	VXORPD  Y1, Y1, Y1
	VXORPD  Y2, Y2, Y2
	VXORPD  Y3, Y3, Y3
	XORQ    AX, AX
	MOVQ    n+40(FP), DX
	SUBQ    $4, DX
	JLT     last
sums:
	VMOVUPD (SI)(AX*8), Y4
	ROW4
	ADDQ $4, AX
	SUBQ $4, DX
	JGE  sums
last:
	CMPQ       DX, $-4
	JEQ        sum
	VMASKMOVPD (SI)(AX*8), Y14, Y4
	VMASKMOVPD (R8)(AX*8), Y14, Y5
	VMASKMOVPD (R9)(AX*8), Y14, Y6
	VMASKMOVPD (R10)(AX*8), Y14, Y7
	VMASKMOVPD (R11)(AX*8), Y14, Y8
	VFMADD231PD Y5, Y4, Y0
	VFMADD231PD Y6, Y4, Y1
	VFMADD231PD Y7, Y4, Y2
	VFMADD231PD Y8, Y4, Y3
sum:
	SUM4(Y0, Y1, Y2, Y3)
	MOVQ R15, R8
	CMPQ CX, $4
	JLT  part
	VMOVUPD Y0, (DI)
	ADDQ    $32, DI
	SUBQ    $4, CX
	JNE     four
	VZEROUPPER
	RET
part:
	NEGQ       CX
	VMOVUPD    (R12)(CX*8), Y13
	VMASKMOVPD Y0, Y13, (DI)
	VZEROUPPER
	RET
