// Lane operations for AVX-512, for files of them. Every lane is
// computed as for AVX2, rounding by rounding. Lengths are in bytes, vectors have 64 of
// them, and registers a multiple of that. A file defines WORD, the bytes of a number,
// and the instructions for its precision: VADD, VSUB, VMUL, VDIV, VCMP, VFMA
// (231), VFMA213, VFMABCST (231, of a number in memory), VMOVE and VBROADCAST.

// EACH runs BODY on all vectors of a register: on a first one if their number is odd,
// then on two at a time. BODY(off, x, t, k) computes from what is off bytes from SI, and
// perhaps DX, the vector x, which goes to DI; t and k are free.
#define EACH(BODY) \
	MOVQ    R12, CX      \
	TESTQ   $64, CX      \
	JEQ     two          \
	BODY(0, Z0, Z2, K1)  \
	VMOVUPD Z0, (DI)     \
	ADDQ    $64, SI      \
	ADDQ    $64, DX      \
	ADDQ    $64, DI      \
	SUBQ    $64, CX      \
	JEQ     done         \
two:                     \
	BODY(0, Z0, Z2, K1)  \
	BODY(64, Z1, Z3, K2) \
	VMOVUPD Z0, (DI)     \
	VMOVUPD Z1, 64(DI)   \
	ADDQ    $128, SI     \
	ADDQ    $128, DX     \
	ADDQ    $128, DI     \
	SUBQ    $128, CX     \
	JNE     two          \
done:                    \
	NEXT

// UNARY finds register a, BINARY registers a and b, and SCALAR register a and the
// number m[b], which it loads into all lanes of Z8.
#define UNARY \
	REG(4, DI) \
	REG(8, SI)

#define BINARY \
	UNARY       \
	REG(12, DX)

#define SCALAR \
	UNARY                        \
	MOVLQSX    12(R13), DX       \
	VBROADCAST (R8)(DX*WORD), Z8

#define COPY(off, x, t, k) \
	VMOVUPD off(SI), x

#define NEG(off, x, t, k) \
	VXORPD off(SI), Z8, x

#define ADD(off, x, t, k) \
	VMOVUPD off(SI), x    \
	VADD    off(DX), x, x

#define SUB(off, x, t, k) \
	VMOVUPD off(SI), x    \
	VSUB    off(DX), x, x

#define MUL(off, x, t, k) \
	VMOVUPD off(SI), x    \
	VMUL    off(DX), x, x

#define MULADD(off, x, t, k) \
	VMOVUPD off(SI), t    \
	VMOVUPD off(DI), x    \
	VFMA    off(DX), t, x

#define SCALE(off, x, t, k) \
	VMUL off(SI), Z8, x

// POSITIVEPART keeps t where it is above 0, which zero is, or NaN; elsewhere x is +0.
#define POSITIVEPART(t, zero, k, x) \
	VCMP    $0x16, zero, t, k \
	VMOVE.Z t, k, x

#define RELU(off, x, t, k) \
	VMOVUPD off(SI), t \
	POSITIVEPART(t, Z8, k, x)

// POSITIVE is 1 where x > 0, else 0, NaN where x is.
#define POSITIVE(off, x, t, k) \
	VMOVUPD off(SI), t      \
	VCMP    $0x1E, Z8, t, k \
	VMOVE.Z Z9, k, x        \
	VCMP    $0x03, t, t, k  \
	VMOVE   t, k, x

// SHIFT replaces x by p·x/(p·x + q·(1−x)). Z8 is p, Z9 is q and Z10 is 1.
#define SHIFT(x, t) \
	VSUB    x, Z10, t \
	VMUL    Z8, x, x  \
	VFMA213 x, Z9, t  \
	VDIV    t, x, x

#define SIGMOIDSHIFT(off, x, t, k) \
	VMOVUPD off(SI), x \
	SHIFT(x, t)

// LESS is 1 where x < m[b], else 0, NaN where either is.
#define LESS(off, x, t, k) \
	VMOVUPD off(SI), t      \
	VCMP    $0x11, Z8, t, k \
	VMOVE.Z Z9, k, x        \
	VCMP    $0x03, Z8, t, k \
	VADD    Z8, t, k, x

// Sums of products with one, two, four or eight vectors of lanes in Z0 to Z7.
#define ZERO1 \
	VXORPD X0, X0, X0

#define ZERO2 \
	ZERO1             \
	VXORPD X1, X1, X1

#define ZERO4 \
	ZERO2             \
	VXORPD X2, X2, X2 \
	VXORPD X3, X3, X3

#define ZERO8 \
	ZERO4             \
	VXORPD X4, X4, X4 \
	VXORPD X5, X5, X5 \
	VXORPD X6, X6, X6 \
	VXORPD X7, X7, X7

#define STORE1 \
	VMOVUPD Z0, (DI)

#define STORE2 \
	STORE1             \
	VMOVUPD Z1, 64(DI)

#define STORE4 \
	STORE2              \
	VMOVUPD Z2, 128(DI) \
	VMOVUPD Z3, 192(DI)

#define STORE8 \
	STORE4              \
	VMOVUPD Z4, 256(DI) \
	VMOVUPD Z5, 320(DI) \
	VMOVUPD Z6, 384(DI) \
	VMOVUPD Z7, 448(DI)

// PASS computes the sums of lanes of as many bytes while so many are left. TERM adds
// one product to each.
#define PASS(bytes, ZERO, TERM, STORE, pass, term, next) \
pass:                \
	CMPQ CX, $bytes  \
	JLT  next        \
	ZERO             \
	MOVQ SI, R14     \
term:                \
	TERM             \
	CMPQ R14, DX     \
	JNE  term        \
	STORE            \
	ADDQ $bytes, DI  \
	ADDQ $bytes, R15 \
	SUBQ $bytes, CX  \
	JMP  pass        \
next:

// TERMS starts a sum over b pairs at args[a], from SI to DX. R15 points to the
// lanes at work of register 0.
#define TERMS \
	REG(4, DI)              \
	MOVLQSX 8(R13), SI      \
	LEAQ    (R10)(SI*4), SI \
	MOVLQSX 12(R13), DX     \
	LEAQ    (SI)(DX*8), DX  \
	MOVQ    R12, CX         \
	MOVQ    R9, R15

// PAIR leaves the two numbers of a pair in AX and BX.
#define PAIR \
	MOVQ (R14), BX \
	MOVL BX, AX    \
	SHRQ $32, BX   \
	ADDQ $8, R14

#define FACTOR \
	PAIR                         \
	IMULQ      R12, AX           \
	VBROADCAST (R8)(BX*WORD), Z8 \
	ADDQ       R15, AX

#define DOT1 \
	FACTOR            \
	VFMA (AX), Z8, Z0

#define DOT2 \
	DOT1                \
	VFMA 64(AX), Z8, Z1

#define DOT4 \
	DOT2                 \
	VFMA 128(AX), Z8, Z2 \
	VFMA 192(AX), Z8, Z3

#define DOT8 \
	DOT4                 \
	VFMA 256(AX), Z8, Z4 \
	VFMA 320(AX), Z8, Z5 \
	VFMA 384(AX), Z8, Z6 \
	VFMA 448(AX), Z8, Z7

// DOT is dst = Σ m[factor]·r[reg].
#define DOT \
	TERMS                                                \
	PASS(512, ZERO8, DOT8, STORE8, pass8, term8, next8)  \
	PASS(256, ZERO4, DOT4, STORE4, pass4, term4, next4)  \
	PASS(128, ZERO2, DOT2, STORE2, pass2, term2, next2)  \
	PASS(64, ZERO1, DOT1, STORE1, pass1, term1, next1)   \
	NEXT

#define BOTH \
	PAIR          \
	IMULQ R12, AX \
	IMULQ R12, BX \
	ADDQ  R15, AX \
	ADDQ  R15, BX

#define PRODUCT1 \
	BOTH                 \
	VMOVUPD (AX), Z8     \
	VFMA    (BX), Z8, Z0

#define PRODUCT2 \
	PRODUCT1               \
	VMOVUPD 64(AX), Z9     \
	VFMA    64(BX), Z9, Z1

#define PRODUCT4 \
	PRODUCT2                 \
	VMOVUPD 128(AX), Z10     \
	VMOVUPD 192(AX), Z11     \
	VFMA    128(BX), Z10, Z2 \
	VFMA    192(BX), Z11, Z3

// DOTPAIRS is dst = Σ r·r.
#define DOTPAIRS \
	TERMS                                                    \
	PASS(256, ZERO4, PRODUCT4, STORE4, pass4, term4, next4)  \
	PASS(128, ZERO2, PRODUCT2, STORE2, pass2, term2, next2)  \
	PASS(64, ZERO1, PRODUCT1, STORE1, pass1, term1, next1)   \
	NEXT

// A tile holds four rows of four vectors of lanes in Z0 to Z15, or of one vector in
// Z0, Z4, Z8 and Z12. Its layout at SI is that of tile.go: joint at 0,
// panel at 4, extra at 8, dst at 24, bias at 44, registers from 60 on. R15 points to
// the lanes at work of register 0.

// TILESTART finds the tile.
#define TILESTART \
	MOVLQSX 8(R13), SI      \
	LEAQ    (R10)(SI*4), SI \
	MOVQ    R12, CX         \
	MOVQ    R9, R15

// BIASES starts the rows and finds the joint registers, from DX to AX, and their
// factors at BX.
#define BIASES \
	MOVLQSX    44(SI), AX          \
	MOVLQSX    48(SI), BX          \
	MOVLQSX    52(SI), DX          \
	MOVLQSX    56(SI), R14         \
	VBROADCAST (R8)(AX*WORD), Z0   \
	VBROADCAST (R8)(BX*WORD), Z4   \
	VBROADCAST (R8)(DX*WORD), Z8   \
	VBROADCAST (R8)(R14*WORD), Z12 \
	MOVLQSX    (SI), AX            \
	MOVLQSX    4(SI), BX           \
	LEAQ       60(SI), DX          \
	LEAQ       (R8)(BX*WORD), BX   \
	LEAQ       (DX)(AX*4), AX

// SPREAD copies a row's first vector.
#define SPREAD(a, b, c, d) \
	VMOVAPD a, b \
	VMOVAPD a, c \
	VMOVAPD a, d

#define JOINTROW(factor, a, b, c, d) \
	VFMA Z16, factor, a \
	VFMA Z17, factor, b \
	VFMA Z18, factor, c \
	VFMA Z19, factor, d

// WIDEJOINT starts four vectors of the rows with their biases and adds the products
// that they have in common. DX moves to the end of the registers.
#define WIDEJOINT(joint, rows) \
	BIASES                            \
	SPREAD(Z0, Z1, Z2, Z3)            \
	SPREAD(Z4, Z5, Z6, Z7)            \
	SPREAD(Z8, Z9, Z10, Z11)          \
	SPREAD(Z12, Z13, Z14, Z15)        \
	CMPQ       DX, AX                 \
	JEQ        rows                   \
joint:                                \
	MOVLQSX    (DX), R14              \
	IMULQ      R12, R14               \
	VBROADCAST (BX), Z20              \
	VBROADCAST (1*WORD)(BX), Z21      \
	VBROADCAST (2*WORD)(BX), Z22      \
	VBROADCAST (3*WORD)(BX), Z23      \
	ADDQ       R15, R14               \
	VMOVUPD    (R14), Z16             \
	VMOVUPD    64(R14), Z17           \
	VMOVUPD    128(R14), Z18          \
	VMOVUPD    192(R14), Z19          \
	ADDQ       $4, DX                 \
	ADDQ       $(4*WORD), BX          \
	JOINTROW(Z20, Z0, Z1, Z2, Z3)     \
	JOINTROW(Z21, Z4, Z5, Z6, Z7)     \
	JOINTROW(Z22, Z8, Z9, Z10, Z11)   \
	JOINTROW(Z23, Z12, Z13, Z14, Z15) \
	CMPQ       DX, AX                 \
	JNE        joint                  \
rows:

// JOINT is the same for one vector.
#define JOINT(joint, rows) \
	BIASES                          \
	CMPQ     DX, AX                 \
	JEQ      rows                   \
joint:                              \
	MOVLQSX  (DX), R14              \
	IMULQ    R12, R14               \
	VMOVUPD  (R15)(R14*1), Z16      \
	VFMABCST (BX), Z16, Z0          \
	VFMABCST (1*WORD)(BX), Z16, Z4  \
	VFMABCST (2*WORD)(BX), Z16, Z8  \
	VFMABCST (3*WORD)(BX), Z16, Z12 \
	ADDQ     $4, DX                 \
	ADDQ     $(4*WORD), BX          \
	CMPQ     DX, AX                 \
	JNE      joint                  \
rows:

// WIDEROW adds the products of one row alone, their number being at off.
#define WIDEROW(off, a, b, c, d, loop, done) \
	MOVLQSX    off(SI), AX        \
	TESTQ      AX, AX             \
	JEQ        done               \
loop:                             \
	MOVLQSX    (DX), R14          \
	MOVLQSX    4(DX), BX          \
	IMULQ      R12, R14           \
	VBROADCAST (R8)(BX*WORD), Z20 \
	ADDQ       R15, R14           \
	ADDQ       $8, DX             \
	VFMA       (R14), Z20, a      \
	VFMA       64(R14), Z20, b    \
	VFMA       128(R14), Z20, c   \
	VFMA       192(R14), Z20, d   \
	DECQ       AX                 \
	JNE        loop               \
done:

#define ROW(off, a, loop, done) \
	MOVLQSX    off(SI), AX          \
	TESTQ      AX, AX               \
	JEQ        done                 \
loop:                               \
	MOVLQSX    (DX), R14            \
	MOVLQSX    4(DX), BX            \
	IMULQ      R12, R14             \
	VBROADCAST (R8)(BX*WORD), Z20   \
	ADDQ       $8, DX               \
	VFMA       (R15)(R14*1), Z20, a \
	DECQ       AX                   \
	JNE        loop                 \
done:

#define WIDETILE \
	WIDEJOINT(widejoint, widerows)                       \
	WIDEROW(8, Z0, Z1, Z2, Z3, widerow0, widedone0)      \
	WIDEROW(12, Z4, Z5, Z6, Z7, widerow1, widedone1)     \
	WIDEROW(16, Z8, Z9, Z10, Z11, widerow2, widedone2)   \
	WIDEROW(20, Z12, Z13, Z14, Z15, widerow3, widedone3)

#define NARROWTILE \
	JOINT(joint, rows)        \
	ROW(8, Z0, row0, done0)   \
	ROW(12, Z4, row1, done1)  \
	ROW(16, Z8, row2, done2)  \
	ROW(20, Z12, row3, done3)

// WIDESTORE and STORE store one row in the register whose number is at off.
#define WIDESTORE(off, a, b, c, d) \
	MOVLQSX off(SI), R14 \
	IMULQ   R12, R14     \
	ADDQ    R15, R14     \
	VMOVUPD a, (R14)     \
	VMOVUPD b, 64(R14)   \
	VMOVUPD c, 128(R14)  \
	VMOVUPD d, 192(R14)

#define STORE(off, a) \
	MOVLQSX off(SI), R14    \
	IMULQ   R12, R14        \
	VMOVUPD a, (R15)(R14*1)

#define WIDESTORES \
	WIDESTORE(24, Z0, Z1, Z2, Z3)     \
	WIDESTORE(28, Z4, Z5, Z6, Z7)     \
	WIDESTORE(32, Z8, Z9, Z10, Z11)   \
	WIDESTORE(36, Z12, Z13, Z14, Z15)

#define STORES \
	STORE(24, Z0)  \
	STORE(28, Z4)  \
	STORE(32, Z8)  \
	STORE(36, Z12)

// BLOCKS runs WIDE while four vectors are left, then NARROW on one at a time.
#define BLOCKS(WIDE, NARROW) \
	SUBQ $256, CX  \
	JLT  rest      \
block:             \
	WIDE           \
	ADDQ $256, R15 \
	SUBQ $256, CX  \
	JGE  block     \
rest:              \
	ADDQ $256, CX  \
	JEQ  end       \
narrow:            \
	NARROW         \
	ADDQ $64, R15  \
	SUBQ $64, CX   \
	JNE  narrow    \
end:               \
	NEXT

#define WIDEPLAIN \
	WIDETILE   \
	WIDESTORES

#define PLAIN \
	NARROWTILE  \
	STORES

#define RELU4(a, b, c, d) \
	POSITIVEPART(a, Z24, K1, a) \
	POSITIVEPART(b, Z24, K2, b) \
	POSITIVEPART(c, Z24, K3, c) \
	POSITIVEPART(d, Z24, K4, d)

#define WIDERELU \
	WIDETILE                  \
	RELU4(Z0, Z1, Z2, Z3)     \
	RELU4(Z4, Z5, Z6, Z7)     \
	RELU4(Z8, Z9, Z10, Z11)   \
	RELU4(Z12, Z13, Z14, Z15) \
	WIDESTORES

#define NARROWRELU \
	NARROWTILE             \
	RELU4(Z0, Z4, Z8, Z12) \
	STORES

// SQUARES adds the squares of one vector of each row and stores their sum, or adds
// it to what is there, if K1 is set.
#define SQUARES(off, a, b, c, d) \
	VMUL    a, a, a           \
	VMUL    b, b, b           \
	VFMA    c, c, a           \
	VFMA    d, d, b           \
	VADD    b, a, a           \
	VADD    off(DI), a, K1, a \
	VMOVUPD a, off(DI)

#define WIDESQUARES \
	WIDETILE                       \
	SQUARES(0, Z0, Z4, Z8, Z12)    \
	SQUARES(64, Z1, Z5, Z9, Z13)   \
	SQUARES(128, Z2, Z6, Z10, Z14) \
	SQUARES(192, Z3, Z7, Z11, Z15) \
	ADDQ $256, DI

#define NARROWSQUARES \
	NARROWTILE                  \
	SQUARES(0, Z0, Z4, Z8, Z12) \
	ADDQ $64, DI

// TILESQUARES is the operation; K1 is set if b is not 0.
#define TILESQUARES \
	REG(4, DI)                         \
	TILESTART                          \
	XORL  BX, BX                       \
	CMPL  12(R13), $0                  \
	SETNE BX                           \
	NEGL  BX                           \
	KMOVW BX, K1                       \
	BLOCKS(WIDESQUARES, NARROWSQUARES)

// A block of a product of lanes holds four rows of four columns of a vector of
// lanes in Z0 to Z15. Its layout at SI is that of block.go: dst from 8 on, registers from 72 on.
#define BLOCKROW(a, b, c, d, row) \
	VFMA Z20, row, a \
	VFMA Z21, row, b \
	VFMA Z22, row, c \
	VFMA Z23, row, d

// FACTORS loads two of the eight factors of a term.
#define FACTORS(off, x, y) \
	MOVQ    off(R14), AX     \
	MOVQ    (off+8)(R14), BX \
	VMOVUPD (R15)(AX*1), x   \
	VMOVUPD (R15)(BX*1), y

#define BLOCKSTORE(off, x, y) \
	MOVQ    off(DI), AX     \
	MOVQ    (off+8)(DI), BX \
	VMOVUPD x, (R15)(AX*1)  \
	VMOVUPD y, (R15)(BX*1)

// NEXTLANES fetches the same factors of the lanes that follow.
#define NEXTLANES \
	PREFETCHT0 64(R15)(AX*1) \
	PREFETCHT0 64(R15)(BX*1)

// BLOCK is the operation. The buffer takes how far the registers are from the first
// one, in bytes. Factors of columns are fetched ahead, since blocks in a row of the
// product share those of rows.
#define BLOCK \
	TILESTART                            \
	MOVLQSX      12(R13), AX             \
	LEAQ         8(SI), BX               \
	ADDQ         $2, AX                  \
	MOVQ         state_buffer(R11), DI \
	MOVQ         DI, DX                  \
	VPBROADCASTQ R12, Z0                 \
offset:                                  \
	VPMOVZXDQ    (BX), Z1                \
	VPMULUDQ     Z0, Z1, Z1              \
	VMOVDQU64    Z1, (DX)                \
	ADDQ         $32, BX                 \
	ADDQ         $64, DX                 \
	DECQ         AX                      \
	JNE          offset                  \
lanes:                                   \
	ZERO8                                \
	VXORPD       X8, X8, X8              \
	VXORPD       X9, X9, X9              \
	VXORPD       X10, X10, X10           \
	VXORPD       X11, X11, X11           \
	VXORPD       X12, X12, X12           \
	VXORPD       X13, X13, X13           \
	VXORPD       X14, X14, X14           \
	VXORPD       X15, X15, X15           \
	LEAQ         128(DI), R14            \
term:                                    \
	FACTORS(32, Z20, Z21)                \
	NEXTLANES                            \
	FACTORS(48, Z22, Z23)                \
	NEXTLANES                            \
	FACTORS(0, Z16, Z17)                 \
	FACTORS(16, Z18, Z19)                \
	BLOCKROW(Z0, Z1, Z2, Z3, Z16)        \
	BLOCKROW(Z4, Z5, Z6, Z7, Z17)        \
	BLOCKROW(Z8, Z9, Z10, Z11, Z18)      \
	BLOCKROW(Z12, Z13, Z14, Z15, Z19)    \
	ADDQ         $64, R14                \
	CMPQ         R14, DX                 \
	JNE          term                    \
	BLOCKSTORE(0, Z0, Z1)                \
	BLOCKSTORE(16, Z2, Z3)               \
	BLOCKSTORE(32, Z4, Z5)               \
	BLOCKSTORE(48, Z6, Z7)               \
	BLOCKSTORE(64, Z8, Z9)               \
	BLOCKSTORE(80, Z10, Z11)             \
	BLOCKSTORE(96, Z12, Z13)             \
	BLOCKSTORE(112, Z14, Z15)            \
	ADDQ         $64, R15                \
	SUBQ         $64, CX                 \
	JNE          lanes                   \
	NEXT

// LOADSTREAM finds register dst, stream a and the number of lanes. Z0 to Z3 hold the
// state words of the eight generators.
#define LOADSTREAM \
	REG(4, DI)                         \
	MOVLQSX   8(R13), SI               \
	SHLQ      $8, SI                   \
	ADDQ      state_streams(R11), SI \
	MOVQ      state_n(R11), CX       \
	VMOVDQU64 (SI), Z0                 \
	VMOVDQU64 64(SI), Z1               \
	VMOVDQU64 128(SI), Z2              \
	VMOVDQU64 192(SI), Z3

#define STORESTREAM \
	VMOVDQU64 Z0, (SI)    \
	VMOVDQU64 Z1, 64(SI)  \
	VMOVDQU64 Z2, 128(SI) \
	VMOVDQU64 Z3, 192(SI)

// STEP advances the generators; their outputs are in o.
#define STEP(o) \
	VPADDQ     Z0, Z3, o          \
	VPSLLQ     $17, Z1, Z14       \
	VPXORQ     Z1, Z3, Z3         \
	VPROLQ     $23, o, o          \
	VPTERNLOGQ $0x96, Z0, Z2, Z1  \
	VPADDQ     Z0, o, o           \
	VPTERNLOGQ $0x96, Z0, Z14, Z2 \
	VPXORQ     Z3, Z0, Z0         \
	VPROLQ     $45, Z3, Z3
