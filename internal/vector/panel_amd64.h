// What the kernels of panels have in common. The frame holds the rows of C that are
// left, and where they and those of A start. In a tile R8 to R11 point behind the terms
// of four rows of A, which are R14 bytes apart, DI, SI, R12 and R13 to the tile in the
// rows of C; R15 points to its columns in the first row of B, DX is the number of
// bytes between rows of B, CX the number of columns from the tile on.

#define PANEL \
	MOVQ x+0(FP), DX     \
	MOVQ 0(DX), AX       \
	MOVQ AX, c-8(SP)     \
	MOVQ 8(DX), AX       \
	SUBQ 40(DX), AX      \
	MOVQ AX, a-16(SP)    \
	MOVQ 24(DX), AX      \
	MOVQ AX, rows-24(SP)

// ROWS goes on to the next four rows. The last one stands for those that are missing.
#define ROWS \
	MOVQ    x+0(FP), DX       \
	MOVQ    48(DX), AX        \
	MOVQ    56(DX), BX        \
	MOVQ    rows-24(SP), CX   \
	MOVQ    c-8(SP), DI       \
	MOVQ    a-16(SP), R8      \
	LEAQ    (DI)(AX*1), SI    \
	LEAQ    (R8)(BX*1), R9    \
	LEAQ    (DI)(AX*2), R12   \
	LEAQ    (R8)(BX*2), R10   \
	LEAQ    (SI)(AX*2), R13   \
	LEAQ    (R9)(BX*2), R11   \
	LEAQ    (DI)(AX*4), AX    \
	LEAQ    (R8)(BX*4), BX    \
	MOVQ    AX, c-8(SP)       \
	MOVQ    BX, a-16(SP)      \
	CMPQ    CX, $2            \
	CMOVQLT DI, SI            \
	CMOVQLT R8, R9            \
	CMPQ    CX, $3            \
	CMOVQLT SI, R12           \
	CMOVQLT R9, R10           \
	CMPQ    CX, $4            \
	CMOVQLT R12, R13          \
	CMOVQLT R10, R11          \
	SUBQ    $4, CX            \
	MOVQ    CX, rows-24(SP)   \
	MOVQ    16(DX), R15       \
	MOVQ    72(DX), R14       \
	MOVQ    32(DX), CX        \
	MOVQ    64(DX), DX

// FIRST leaves the first term of A at AX, behind the row, and of B at BX.
#define FIRST \
	MOVQ x+0(FP), AX  \
	MOVQ 40(AX), AX   \
	MOVQ R15, BX

// NEXT goes on to the next term.
#define NEXT(term) \
	ADDQ DX, BX   \
	ADDQ R14, AX  \
	JNE  term
