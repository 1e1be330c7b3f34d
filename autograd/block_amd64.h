// A block of a product of lanes in AVX2, in either precision, for files of lane
// operations. Its layout at SI is that of pairs.go: width at 4, dst from 8 on,
// registers from 72 on. Two columns of 32 bytes of lanes are in Y0 to Y7.

// BLOCKROW adds a term to one row; the factors of the columns are in Y8 and Y9.
#define BLOCKROW(FMA, off, x, y) \
	MOVQ    off(R14), AX        \
	VMOVUPS (R15)(AX*1), Y10    \
	FMA     Y8, Y10, x          \
	FMA     Y9, Y10, y

#define BLOCKSTORE(off, x) \
	MOVQ    off(DI), AX        \
	VMOVUPS x, (R15)(AX*1)

// HALFBLOCK computes two columns, from column at on.
#define HALFBLOCK(FMA, at, term) \
	VXORPS Y0, Y0, Y0              \
	VXORPS Y1, Y1, Y1              \
	VXORPS Y2, Y2, Y2              \
	VXORPS Y3, Y3, Y3              \
	VXORPS Y4, Y4, Y4              \
	VXORPS Y5, Y5, Y5              \
	VXORPS Y6, Y6, Y6              \
	VXORPS Y7, Y7, Y7              \
	LEAQ   128(DI), R14            \
term:                              \
	MOVQ    (32+8*at)(R14), AX     \
	MOVQ    (40+8*at)(R14), BX     \
	VMOVUPS (R15)(AX*1), Y8        \
	VMOVUPS (R15)(BX*1), Y9        \
	BLOCKROW(FMA, 0, Y0, Y1)       \
	BLOCKROW(FMA, 8, Y2, Y3)       \
	BLOCKROW(FMA, 16, Y4, Y5)      \
	BLOCKROW(FMA, 24, Y6, Y7)      \
	ADDQ    $64, R14               \
	CMPQ    R14, DX                \
	JNE     term                   \
	BLOCKSTORE((0+8*at), Y0)       \
	BLOCKSTORE((8+8*at), Y1)      \
	BLOCKSTORE((32+8*at), Y2)      \
	BLOCKSTORE((40+8*at), Y3)      \
	BLOCKSTORE((64+8*at), Y4)      \
	BLOCKSTORE((72+8*at), Y5)      \
	BLOCKSTORE((96+8*at), Y6)      \
	BLOCKSTORE((104+8*at), Y7)

// BLOCK is the operation. The buffer takes how far the registers are from the first
// one, in bytes.
#define BLOCK(FMA) \
	MOVLQSX      8(R13), SI              \
	LEAQ         (R10)(SI*4), SI         \
	MOVLQSX      12(R13), AX             \
	LEAQ         8(SI), BX               \
	ADDQ         $2, AX                  \
	MOVQ         machine_buffer(R11), DI \
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
	HALFBLOCK(FMA, 0, left)              \
	CMPL         4(SI), $2               \
	JLE          next                    \
	HALFBLOCK(FMA, 2, right)             \
next:                                    \
	ADDQ         $32, R15                \
	SUBQ         $32, CX                 \
	JNE          lanes                   \
	NEXT
