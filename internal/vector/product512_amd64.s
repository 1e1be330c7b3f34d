//go:build !purego

#include "textflag.h"
#include "panel_amd64.h"

// A tile is four rows of up to four vectors of 8 columns: vector v of row r in
// Z(4v+r). K1 to K4 mask the columns that there are, K7 those whose sums start
// with what C holds. Terms are added in the order of product_amd64.s.

// LOADC loads a vector of each row, or zeros; STOREC stores it. at is its place.
#define LOADC(at, K, r0, r1, r2, r3) \
	KANDW     K, K7, K6       \
	VMOVUPD.Z at(DI), K6, r0  \
	VMOVUPD.Z at(SI), K6, r1  \
	VMOVUPD.Z at(R12), K6, r2 \
	VMOVUPD.Z at(R13), K6, r3

#define STOREC(at, K, r0, r1, r2, r3) \
	VMOVUPD r0, K, at(DI)   \
	VMOVUPD r1, K, at(SI)   \
	VMOVUPD r2, K, at(R12)  \
	VMOVUPD r3, K, at(R13)

// FACTORS loads a term of the four rows of A.
#define FACTORS \
	VBROADCASTSD (R8)(AX*1), Z16   \
	VBROADCASTSD (R9)(AX*1), Z17   \
	VBROADCASTSD (R10)(AX*1), Z18  \
	VBROADCASTSD (R11)(AX*1), Z19

#define ADDTERM(b, r0, r1, r2, r3) \
	VFMADD231PD b, Z16, r0  \
	VFMADD231PD b, Z17, r1  \
	VFMADD231PD b, Z18, r2  \
	VFMADD231PD b, Z19, r3

// func panelAVX512(x *panel)
TEXT ·panelAVX512(SB), NOSPLIT, $24-8
	PANEL
	XORL  BX, BX
	CMPQ  80(DX), $0
	SETNE BX
	NEGL  BX
	KMOVW BX, K7
rows:
	ROWS
tile:
	MOVL $-1, AX
	CMPQ CX, $32
	JGE  whole
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
whole:
	KMOVW AX, K1
	LOADC(0, K1, Z0, Z1, Z2, Z3)
	CMPQ  CX, $8
	JLE   one
	SHRL  $8, AX
	KMOVW AX, K2
	LOADC(64, K2, Z4, Z5, Z6, Z7)
	CMPQ  CX, $16
	JLE   two
	SHRL  $8, AX
	KMOVW AX, K3
	LOADC(128, K3, Z8, Z9, Z10, Z11)
	CMPQ  CX, $24
	JLE   three
	SHRL  $8, AX
	KMOVW AX, K4
	LOADC(192, K4, Z12, Z13, Z14, Z15)
	FIRST
four:
	VMOVUPD   (BX), Z20
	VMOVUPD   64(BX), Z21
	VMOVUPD   128(BX), Z22
	VMOVUPD.Z 192(BX), K4, Z23
	FACTORS
	ADDTERM(Z20, Z0, Z1, Z2, Z3)
	ADDTERM(Z21, Z4, Z5, Z6, Z7)
	ADDTERM(Z22, Z8, Z9, Z10, Z11)
	ADDTERM(Z23, Z12, Z13, Z14, Z15)
	NEXT(four)
	STOREC(192, K4, Z12, Z13, Z14, Z15)
	JMP store3
three:
	FIRST
term3:
	VMOVUPD   (BX), Z20
	VMOVUPD   64(BX), Z21
	VMOVUPD.Z 128(BX), K3, Z22
	FACTORS
	ADDTERM(Z20, Z0, Z1, Z2, Z3)
	ADDTERM(Z21, Z4, Z5, Z6, Z7)
	ADDTERM(Z22, Z8, Z9, Z10, Z11)
	NEXT(term3)
store3:
	STOREC(128, K3, Z8, Z9, Z10, Z11)
	JMP store2
two:
	FIRST
term2:
	VMOVUPD   (BX), Z20
	VMOVUPD.Z 64(BX), K2, Z21
	FACTORS
	ADDTERM(Z20, Z0, Z1, Z2, Z3)
	ADDTERM(Z21, Z4, Z5, Z6, Z7)
	NEXT(term2)
store2:
	STOREC(64, K2, Z4, Z5, Z6, Z7)
	JMP store1
one:
	FIRST
term1:
	VMOVUPD.Z (BX), K1, Z20
	FACTORS
	ADDTERM(Z20, Z0, Z1, Z2, Z3)
	NEXT(term1)
store1:
	STOREC(0, K1, Z0, Z1, Z2, Z3)
	ADDQ $256, DI
	ADDQ $256, SI
	ADDQ $256, R12
	ADDQ $256, R13
	ADDQ $256, R15
	SUBQ $32, CX
	JGT  tile
	CMPQ rows-24(SP), $0
	JGT  rows
	VZEROUPPER
	RET
