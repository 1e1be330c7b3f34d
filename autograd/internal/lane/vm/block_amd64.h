// A block of a product of lanes in AVX2, for files of lane
// operations. Its layout at SI is that of block.go: height at 0, width at 4, dst from 8
// on, registers from 72 on. Two rows by two columns of 64 bytes of lanes are in Y0 to
// Y7, so that a line of the cache is read as a whole.

// BLOCKROW adds a term to one row; the factors of the columns are in Y8 to Y11.
#define BLOCKROW(FMA, off, a, b, c, d) \
	MOVQ    off(R14), AX       \
	VMOVUPS (R15)(AX*1), Y12   \
	VMOVUPS 32(R15)(AX*1), Y13 \
	FMA     Y8, Y12, a         \
	FMA     Y9, Y13, b         \
	FMA     Y10, Y12, c        \
	FMA     Y11, Y13, d

#define BLOCKSTORE(off, x, y) \
	MOVQ    off(DI), AX      \
	VMOVUPS x, (R15)(AX*1)   \
	VMOVUPS y, 32(R15)(AX*1)

// QUARTER computes two rows and columns from i and j on.
#define QUARTER(FMA, i, j, term) \
	VXORPS Y0, Y0, Y0                      \
	VXORPS Y1, Y1, Y1                      \
	VXORPS Y2, Y2, Y2                      \
	VXORPS Y3, Y3, Y3                      \
	VXORPS Y4, Y4, Y4                      \
	VXORPS Y5, Y5, Y5                      \
	VXORPS Y6, Y6, Y6                      \
	VXORPS Y7, Y7, Y7                      \
	LEAQ   128(DI), R14                    \
term:                                      \
	MOVQ    (32+8*j)(R14), AX              \
	MOVQ    (40+8*j)(R14), BX              \
	VMOVUPS (R15)(AX*1), Y8                \
	VMOVUPS 32(R15)(AX*1), Y9              \
	VMOVUPS (R15)(BX*1), Y10               \
	VMOVUPS 32(R15)(BX*1), Y11             \
	BLOCKROW(FMA, (8*i), Y0, Y1, Y2, Y3)   \
	BLOCKROW(FMA, (8*i+8), Y4, Y5, Y6, Y7) \
	ADDQ    $64, R14                       \
	CMPQ    R14, DX                        \
	JNE     term                           \
	BLOCKSTORE((32*i+8*j), Y0, Y1)         \
	BLOCKSTORE((32*i+8*j+8), Y2, Y3)       \
	BLOCKSTORE((32*i+8*j+32), Y4, Y5)      \
	BLOCKSTORE((32*i+8*j+40), Y6, Y7)

// BLOCK is the operation. The buffer takes how far the registers are from the first
// one, in bytes.
#define BLOCK(FMA) \
	MOVLQSX      8(R13), SI              \
	LEAQ         (R10)(SI*4), SI         \
	MOVLQSX      12(R13), AX             \
	LEAQ         8(SI), BX               \
	ADDQ         $2, AX                  \
	MOVQ         state_buffer(R11), DI \
	MOVQ         DI, DX                  \
	VMOVQ        R12, X0                 \
	VPBROADCASTQ X0, Y0                  \
offset:                                  \
	VPMOVZXDQ    (BX), Y1                \
	VPMOVZXDQ    16(BX), Y2              \
	VPMULUDQ     Y0, Y1, Y1              \
	VPMULUDQ     Y0, Y2, Y2              \
	VMOVDQU      Y1, (DX)                \
	VMOVDQU      Y2, 32(DX)              \
	ADDQ         $32, BX                 \
	ADDQ         $64, DX                 \
	DECQ         AX                      \
	JNE          offset                  \
	MOVQ         R9, R15                 \
	MOVQ         R12, CX                 \
lanes:                                   \
	QUARTER(FMA, 0, 0, term00)           \
	CMPL         4(SI), $2               \
	JLE          lower                   \
	QUARTER(FMA, 0, 2, term02)           \
lower:                                   \
	CMPL         (SI), $2                \
	JLE          next                    \
	QUARTER(FMA, 2, 0, term20)           \
	CMPL         4(SI), $2               \
	JLE          next                    \
	QUARTER(FMA, 2, 2, term22)           \
next:                                    \
	ADDQ         $64, R15                \
	SUBQ         $64, CX                 \
	JNE          lanes                   \
	NEXT
