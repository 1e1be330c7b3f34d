//go:build !purego

#include "textflag.h"

// The operations of lane programs for AVX-512. Every lane is computed as in
// lanes_amd64.s, rounding by rounding, and sums over lanes are taken in its order,
// so that results agree to the bit. Loops take several vectors of 8 lanes at a
// time and end with single ones.

#define TABLE ·laneTable512(SB)
#include "lanes_amd64.h"

// func lanesAVX512(x *laneMachine, pc int) int
TEXT ·lanesAVX512(SB), NOSPLIT|NOFRAME, $0-24
	START
	DISPATCH

// EACH runs BODY on all lanes: on a first vector if their number is odd, then on
// two at a time. BODY(off, x, t, k) computes from what is off bytes from SI, and
// perhaps DX, the vector x, which goes to DI; t and k are free.
#define EACH(BODY) \
	MOVQ    machine_n(R11), CX \
	TESTQ   $8, CX             \
	JEQ     two                \
	BODY(0, Z0, Z2, K1)        \
	VMOVUPD Z0, (DI)           \
	ADDQ    $64, SI            \
	ADDQ    $64, DX            \
	ADDQ    $64, DI            \
	SUBQ    $8, CX             \
	JEQ     done               \
two:                           \
	BODY(0, Z0, Z2, K1)        \
	BODY(64, Z1, Z3, K2)       \
	VMOVUPD Z0, (DI)           \
	VMOVUPD Z1, 64(DI)         \
	ADDQ    $128, SI           \
	ADDQ    $128, DX           \
	ADDQ    $128, DI           \
	SUBQ    $16, CX            \
	JNE     two                \
done:                          \
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
	UNARY                            \
	MOVLQSX      12(R13), DX         \
	VBROADCASTSD (R8)(DX*8), Z8

#define COPY(off, x, t, k) \
	VMOVUPD off(SI), x

TEXT ·lane512Copy(SB), NOSPLIT|NOFRAME, $0
	UNARY
	EACH(COPY)

// PICK puts lanes at and at+1 of the selection at DX into x, from the register at
// SI.
#define PICK(at, x) \
	MOVLQSX (4*at)(DX), AX         \
	MOVLQSX (4*at+4)(DX), BX       \
	VMOVSD  (SI)(AX*8), x          \
	VMOVHPD (SI)(BX*8), x, x

// Single loads: the gather instructions are slow where microcode runs them.
TEXT ·lane512Gather(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX 8(R13), SI
	IMULQ   machine_fullStride(R11), SI
	ADDQ    machine_full(R11), SI
	MOVQ    machine_active(R11), DX
	MOVQ    machine_n(R11), CX
loop:
	PICK(0, X0)
	PICK(2, X1)
	PICK(4, X2)
	PICK(6, X3)
	VINSERTF128  $1, X1, Y0, Y0
	VINSERTF128  $1, X3, Y2, Y2
	VINSERTF64X4 $1, Y2, Z0, Z0
	VMOVUPD      Z0, (DI)
	ADDQ         $32, DX
	ADDQ         $64, DI
	SUBQ         $8, CX
	JNE          loop
	NEXT

TEXT ·lane512Fill(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	MOVLQSX      8(R13), SI
	MOVQ         machine_n(R11), CX
	VBROADCASTSD (R8)(SI*8), Z0
loop:
	VMOVUPD Z0, (DI)
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNE     loop
	NEXT

#define NEG(off, x, t, k) \
	VXORPD off(SI), Z8, x

TEXT ·lane512Neg(SB), NOSPLIT|NOFRAME, $0
	UNARY
	VBROADCASTSD ·laneConstants+8(SB), Z8
	EACH(NEG)

#define ADD(off, x, t, k) \
	VMOVUPD off(SI), x    \
	VADDPD  off(DX), x, x

TEXT ·lane512Add(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(ADD)

#define SUB(off, x, t, k) \
	VMOVUPD off(SI), x    \
	VSUBPD  off(DX), x, x

TEXT ·lane512Sub(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(SUB)

#define MUL(off, x, t, k) \
	VMOVUPD off(SI), x    \
	VMULPD  off(DX), x, x

TEXT ·lane512Mul(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(MUL)

#define MULADD(off, x, t, k) \
	VMOVUPD     off(SI), t    \
	VMOVUPD     off(DI), x    \
	VFMADD231PD off(DX), t, x

TEXT ·lane512MulAdd(SB), NOSPLIT|NOFRAME, $0
	BINARY
	EACH(MULADD)

#define SCALE(off, x, t, k) \
	VMULPD off(SI), Z8, x

TEXT ·lane512Scale(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	EACH(SCALE)

TEXT ·lane512NegScale(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSD ·laneConstants+8(SB), Z9
	VXORPD       Z9, Z8, Z8
	EACH(SCALE)

#define ADDS(off, x, t, k) \
	VADDPD off(SI), Z8, x

TEXT ·lane512AddS(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	EACH(ADDS)

#define SUBS(off, x, t, k) \
	VMOVUPD off(SI), x \
	VSUBPD  Z8, x, x

TEXT ·lane512SubS(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	EACH(SUBS)

#define RSUBS(off, x, t, k) \
	VSUBPD off(SI), Z8, x

TEXT ·lane512RSubS(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	EACH(RSUBS)

#define RELU(off, x, t, k) \
	VMAXPD off(SI), Z8, x

TEXT ·lane512Relu(SB), NOSPLIT|NOFRAME, $0
	UNARY
	VXORPD X8, X8, X8
	EACH(RELU)

// POSITIVE is 1 where x > 0, else 0, NaN where x is.
#define POSITIVE(off, x, t, k) \
	VMOVUPD   off(SI), t       \
	VCMPPD    $0x1E, Z8, t, k  \
	VMOVAPD.Z Z9, k, x         \
	VCMPPD    $0x03, t, t, k   \
	VMOVAPD   t, k, x

TEXT ·lane512Positive(SB), NOSPLIT|NOFRAME, $0
	UNARY
	VXORPD       X8, X8, X8
	VBROADCASTSD ·laneConstants+0(SB), Z9
	EACH(POSITIVE)

#define SIGMOIDSHIFT(off, x, t, k) \
	VMOVUPD     off(SI), x  \
	VSUBPD      x, Z10, t   \
	VMULPD      Z8, x, x    \
	VFMADD213PD x, Z9, t    \
	VDIVPD      t, x, x

TEXT ·lane512SigmoidShift(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSD 8(R8)(DX*8), Z9
	VBROADCASTSD ·laneConstants+0(SB), Z10
	EACH(SIGMOIDSHIFT)

#define LESS(off, x, t, k) \
	VMOVUPD   off(SI), t      \
	VCMPPD    $0x11, Z8, t, k \
	VMOVAPD.Z Z9, k, x

TEXT ·lane512Less(SB), NOSPLIT|NOFRAME, $0
	SCALAR
	VBROADCASTSD ·laneConstants+0(SB), Z9
	EACH(LESS)

// SUMLANES adds the lanes of Z10 and stores the sum at m[dst].
#define SUMLANES \
	VEXTRACTF64X4 $1, Z10, Y11     \
	VADDPD        Y11, Y10, Y10    \
	VEXTRACTF128  $1, Y10, X11     \
	VADDPD        X11, X10, X10    \
	VHADDPD       X10, X10, X10    \
	MOVLQSX       4(R13), DI       \
	VMOVSD        X10, (R8)(DI*8)  \
	NEXT

// TAIL loads the mask of the lanes of the last vector that count into K1.
#define TAIL \
	MOVQ      machine_tail(R11), AX \
	VMOVDQU64 (AX), Z9              \
	VPMOVQ2M  Z9, K1

TEXT ·lane512Sum(SB), NOSPLIT|NOFRAME, $0
	REG(8, SI)
	MOVQ   machine_n(R11), CX
	VXORPD X10, X10, X10
	TAIL
loop:
	SUBQ   $8, CX
	JEQ    last
	VADDPD (SI), Z10, Z10
	ADDQ   $64, SI
	JMP    loop
last:
	VADDPD (SI), Z10, K1, Z10
	SUMLANES

TEXT ·lane512SumProduct(SB), NOSPLIT|NOFRAME, $0
	REG(8, SI)
	REG(12, DX)
	MOVQ   machine_n(R11), CX
	VXORPD X10, X10, X10
	TAIL
loop:
	VMOVUPD     (SI), Z0
	SUBQ        $8, CX
	JEQ         last
	VFMADD231PD (DX), Z0, Z10
	ADDQ        $64, SI
	ADDQ        $64, DX
	JMP         loop
last:
	VMULPD (DX), Z0, Z0
	VADDPD Z0, Z10, K1, Z10
	SUMLANES

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

// PASS computes the sums of as many lanes while so many are left. TERM adds one
// product to each.
#define PASS(lanes, ZERO, TERM, STORE, pass, term, next) \
pass:                     \
	CMPQ CX, $lanes       \
	JLT  next             \
	ZERO                  \
	MOVQ SI, R14          \
term:                     \
	TERM                  \
	CMPQ R14, DX          \
	JNE  term             \
	STORE                 \
	ADDQ $(8*lanes), DI   \
	ADDQ $(8*lanes), R15  \
	SUBQ $lanes, CX       \
	JMP  pass             \
next:

// TERMS starts a sum over b pairs at args[a], from SI to DX. R15 points to the
// lanes at work of register 0.
#define TERMS \
	REG(4, DI)                 \
	MOVLQSX 8(R13), SI         \
	LEAQ    (R10)(SI*4), SI    \
	MOVLQSX 12(R13), DX        \
	LEAQ    (SI)(DX*8), DX     \
	MOVQ    machine_n(R11), CX \
	MOVQ    R9, R15

// PAIR leaves the two numbers of a pair in AX and BX.
#define PAIR \
	MOVQ (R14), BX \
	MOVL BX, AX    \
	SHRQ $32, BX   \
	ADDQ $8, R14

#define FACTOR \
	PAIR                         \
	IMULQ        R12, AX         \
	VBROADCASTSD (R8)(BX*8), Z8  \
	ADDQ         R15, AX

#define DOT1 \
	FACTOR                       \
	VFMADD231PD (AX), Z8, Z0

#define DOT2 \
	DOT1                         \
	VFMADD231PD 64(AX), Z8, Z1

#define DOT4 \
	DOT2                         \
	VFMADD231PD 128(AX), Z8, Z2  \
	VFMADD231PD 192(AX), Z8, Z3

#define DOT8 \
	DOT4                         \
	VFMADD231PD 256(AX), Z8, Z4  \
	VFMADD231PD 320(AX), Z8, Z5  \
	VFMADD231PD 384(AX), Z8, Z6  \
	VFMADD231PD 448(AX), Z8, Z7

// dst = Σ m[factor]·r[reg].
TEXT ·lane512Dot(SB), NOSPLIT|NOFRAME, $0
	TERMS
	PASS(64, ZERO8, DOT8, STORE8, pass64, term64, next64)
	PASS(32, ZERO4, DOT4, STORE4, pass32, term32, next32)
	PASS(16, ZERO2, DOT2, STORE2, pass16, term16, next16)
	PASS(8, ZERO1, DOT1, STORE1, pass8, term8, next8)
	NEXT

#define BOTH \
	PAIR          \
	IMULQ R12, AX \
	IMULQ R12, BX \
	ADDQ  R15, AX \
	ADDQ  R15, BX

#define PRODUCT1 \
	BOTH                        \
	VMOVUPD     (AX), Z8        \
	VFMADD231PD (BX), Z8, Z0

#define PRODUCT2 \
	PRODUCT1                    \
	VMOVUPD     64(AX), Z9      \
	VFMADD231PD 64(BX), Z9, Z1

#define PRODUCT4 \
	PRODUCT2                    \
	VMOVUPD     128(AX), Z10    \
	VMOVUPD     192(AX), Z11    \
	VFMADD231PD 128(BX), Z10, Z2 \
	VFMADD231PD 192(BX), Z11, Z3

// dst = Σ r·r.
TEXT ·lane512DotPairs(SB), NOSPLIT|NOFRAME, $0
	TERMS
	PASS(32, ZERO4, PRODUCT4, STORE4, pass32, term32, next32)
	PASS(16, ZERO2, PRODUCT2, STORE2, pass16, term16, next16)
	PASS(8, ZERO1, PRODUCT1, STORE1, pass8, term8, next8)
	NEXT

// A tile holds four rows of 32 lanes in Z0 to Z15, four vectors to a row, or of 8
// lanes in Z0, Z4, Z8 and Z12. Its layout at SI is that of tile.go: joint at 0,
// panel at 4, extra at 8, dst at 24, bias at 44, registers from 60 on. R15 points to
// the lanes at work of register 0.

// TILESTART finds the tile.
#define TILESTART \
	MOVLQSX 8(R13), SI         \
	LEAQ    (R10)(SI*4), SI    \
	MOVQ    machine_n(R11), CX \
	MOVQ    R9, R15

// BIASES starts the rows and finds the joint registers, from DX to AX, and their
// factors at BX.
#define BIASES \
	MOVLQSX      44(SI), AX        \
	MOVLQSX      48(SI), BX        \
	MOVLQSX      52(SI), DX        \
	MOVLQSX      56(SI), R14       \
	VBROADCASTSD (R8)(AX*8), Z0    \
	VBROADCASTSD (R8)(BX*8), Z4    \
	VBROADCASTSD (R8)(DX*8), Z8    \
	VBROADCASTSD (R8)(R14*8), Z12  \
	MOVLQSX      (SI), AX          \
	MOVLQSX      4(SI), BX         \
	LEAQ         60(SI), DX        \
	LEAQ         (R8)(BX*8), BX    \
	LEAQ         (DX)(AX*4), AX

// SPREAD copies a row's first vector.
#define SPREAD(a, b, c, d) \
	VMOVAPD a, b \
	VMOVAPD a, c \
	VMOVAPD a, d

#define JOINTROW(factor, a, b, c, d) \
	VFMADD231PD Z16, factor, a \
	VFMADD231PD Z17, factor, b \
	VFMADD231PD Z18, factor, c \
	VFMADD231PD Z19, factor, d

// WIDEJOINT starts 32 lanes of the rows with their biases and adds the products
// that they have in common. DX moves to the end of the registers.
#define WIDEJOINT(joint, rows) \
	BIASES                        \
	SPREAD(Z0, Z1, Z2, Z3)              \
	SPREAD(Z4, Z5, Z6, Z7)              \
	SPREAD(Z8, Z9, Z10, Z11)            \
	SPREAD(Z12, Z13, Z14, Z15)          \
	CMPQ         DX, AX                 \
	JEQ          rows                   \
joint:                                  \
	MOVLQSX      (DX), R14              \
	IMULQ        R12, R14               \
	VBROADCASTSD (BX), Z20              \
	VBROADCASTSD 8(BX), Z21             \
	VBROADCASTSD 16(BX), Z22            \
	VBROADCASTSD 24(BX), Z23            \
	ADDQ         R15, R14               \
	VMOVUPD      (R14), Z16             \
	VMOVUPD      64(R14), Z17           \
	VMOVUPD      128(R14), Z18          \
	VMOVUPD      192(R14), Z19          \
	ADDQ         $4, DX                 \
	ADDQ         $32, BX                \
	JOINTROW(Z20, Z0, Z1, Z2, Z3)       \
	JOINTROW(Z21, Z4, Z5, Z6, Z7)       \
	JOINTROW(Z22, Z8, Z9, Z10, Z11)     \
	JOINTROW(Z23, Z12, Z13, Z14, Z15)   \
	CMPQ         DX, AX                 \
	JNE          joint                  \
rows:

// JOINT is the same for 8 lanes.
#define JOINT(joint, rows) \
	BIASES                          \
	CMPQ             DX, AX               \
	JEQ              rows                 \
joint:                                    \
	MOVLQSX          (DX), R14            \
	IMULQ            R12, R14             \
	VMOVUPD          (R15)(R14*1), Z16    \
	VFMADD231PD.BCST (BX), Z16, Z0        \
	VFMADD231PD.BCST 8(BX), Z16, Z4       \
	VFMADD231PD.BCST 16(BX), Z16, Z8      \
	VFMADD231PD.BCST 24(BX), Z16, Z12     \
	ADDQ             $4, DX               \
	ADDQ             $32, BX              \
	CMPQ             DX, AX               \
	JNE              joint                \
rows:

// WIDEROW adds the products of one row alone, their number being at off.
#define WIDEROW(off, a, b, c, d, loop, done) \
	MOVLQSX      off(SI), AX        \
	TESTQ        AX, AX             \
	JEQ          done               \
loop:                               \
	MOVLQSX      (DX), R14          \
	MOVLQSX      4(DX), BX          \
	IMULQ        R12, R14           \
	VBROADCASTSD (R8)(BX*8), Z20    \
	ADDQ         R15, R14           \
	ADDQ         $8, DX             \
	VFMADD231PD  (R14), Z20, a      \
	VFMADD231PD  64(R14), Z20, b    \
	VFMADD231PD  128(R14), Z20, c   \
	VFMADD231PD  192(R14), Z20, d   \
	DECQ         AX                 \
	JNE          loop               \
done:

#define ROW(off, a, loop, done) \
	MOVLQSX      off(SI), AX          \
	TESTQ        AX, AX               \
	JEQ          done                 \
loop:                                 \
	MOVLQSX      (DX), R14            \
	MOVLQSX      4(DX), BX            \
	IMULQ        R12, R14             \
	VBROADCASTSD (R8)(BX*8), Z20      \
	ADDQ         $8, DX               \
	VFMADD231PD  (R15)(R14*1), Z20, a \
	DECQ         AX                   \
	JNE          loop                 \
done:

#define WIDETILE \
	WIDEJOINT(widejoint, widerows)                            \
	WIDEROW(8, Z0, Z1, Z2, Z3, widerow0, widedone0)           \
	WIDEROW(12, Z4, Z5, Z6, Z7, widerow1, widedone1)          \
	WIDEROW(16, Z8, Z9, Z10, Z11, widerow2, widedone2)        \
	WIDEROW(20, Z12, Z13, Z14, Z15, widerow3, widedone3)

#define NARROWTILE \
	JOINT(joint, rows)          \
	ROW(8, Z0, row0, done0)     \
	ROW(12, Z4, row1, done1)    \
	ROW(16, Z8, row2, done2)    \
	ROW(20, Z12, row3, done3)

// WIDESTORE and STORE store one row in the register whose number is at off.
#define WIDESTORE(off, a, b, c, d) \
	MOVLQSX off(SI), R14           \
	IMULQ   R12, R14               \
	ADDQ    R15, R14               \
	VMOVUPD a, (R14)               \
	VMOVUPD b, 64(R14)             \
	VMOVUPD c, 128(R14)            \
	VMOVUPD d, 192(R14)

#define STORE(off, a) \
	MOVLQSX off(SI), R14           \
	IMULQ   R12, R14               \
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

// BLOCKS runs WIDE while 32 lanes are left, then NARROW on 8 at a time.
#define BLOCKS(WIDE, NARROW) \
	SUBQ $32, CX   \
	JLT  rest      \
block:             \
	WIDE           \
	ADDQ $256, R15 \
	SUBQ $32, CX   \
	JGE  block     \
rest:              \
	ADDQ $32, CX   \
	JEQ  end       \
narrow:            \
	NARROW         \
	ADDQ $64, R15  \
	SUBQ $8, CX    \
	JNE  narrow    \
end:               \
	NEXT

#define WIDEPLAIN \
	WIDETILE   \
	WIDESTORES

#define PLAIN \
	NARROWTILE \
	STORES

TEXT ·lane512Tile(SB), NOSPLIT|NOFRAME, $0
	TILESTART
	BLOCKS(WIDEPLAIN, PLAIN)

#define RELU4(a, b, c, d) \
	VMAXPD a, Z24, a \
	VMAXPD b, Z24, b \
	VMAXPD c, Z24, c \
	VMAXPD d, Z24, d

#define WIDERELU \
	WIDETILE                     \
	RELU4(Z0, Z1, Z2, Z3)        \
	RELU4(Z4, Z5, Z6, Z7)        \
	RELU4(Z8, Z9, Z10, Z11)      \
	RELU4(Z12, Z13, Z14, Z15)    \
	WIDESTORES

#define NARROWRELU \
	NARROWTILE                   \
	RELU4(Z0, Z4, Z8, Z12)       \
	STORES

TEXT ·lane512TileRelu(SB), NOSPLIT|NOFRAME, $0
	TILESTART
	VPXORQ Z24, Z24, Z24
	BLOCKS(WIDERELU, NARROWRELU)

// SQUARES adds the squares of one vector of each row and stores their sum, or adds
// it to what is there, if K1 is set.
#define SQUARES(off, a, b, c, d) \
	VMULPD      a, a, a             \
	VMULPD      b, b, b             \
	VFMADD231PD c, c, a             \
	VFMADD231PD d, d, b             \
	VADDPD      b, a, a             \
	VADDPD      off(DI), a, K1, a   \
	VMOVUPD     a, off(DI)

#define WIDESQUARES \
	WIDETILE                        \
	SQUARES(0, Z0, Z4, Z8, Z12)     \
	SQUARES(64, Z1, Z5, Z9, Z13)    \
	SQUARES(128, Z2, Z6, Z10, Z14)  \
	SQUARES(192, Z3, Z7, Z11, Z15)  \
	ADDQ $256, DI

#define NARROWSQUARES \
	NARROWTILE                  \
	SQUARES(0, Z0, Z4, Z8, Z12) \
	ADDQ $64, DI

TEXT ·lane512TileSquares(SB), NOSPLIT|NOFRAME, $0
	REG(4, DI)
	TILESTART
	XORL  BX, BX
	CMPL  12(R13), $0
	SETNE BX
	NEGL  BX
	KMOVW BX, K1
	BLOCKS(WIDESQUARES, NARROWSQUARES)

// A block of a product of lanes holds four rows of four columns of 8 lanes in Z0 to
// Z15. Its layout at SI is that of pairs.go: dst from 8 on, registers from 72 on.
#define BLOCKROW(a, b, c, d, row) \
	VFMADD231PD Z20, row, a \
	VFMADD231PD Z21, row, b \
	VFMADD231PD Z22, row, c \
	VFMADD231PD Z23, row, d

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

// The buffer takes how far the registers are from the first one, in bytes. Factors of
// columns are fetched ahead, since blocks in a row of the product share those of rows.
TEXT ·lane512Block(SB), NOSPLIT|NOFRAME, $0
	TILESTART
	MOVLQSX      12(R13), AX
	LEAQ         8(SI), BX
	ADDQ         $2, AX
	MOVQ         machine_buffer(R11), DI
	MOVQ         DI, DX
	VPBROADCASTQ R12, Z0
offset:
	VPMOVZXDQ (BX), Z1
	VPMULUDQ  Z0, Z1, Z1
	VMOVDQU64 Z1, (DX)
	ADDQ      $32, BX
	ADDQ      $64, DX
	DECQ      AX
	JNE       offset
lanes:
	ZERO8
	VXORPD X8, X8, X8
	VXORPD X9, X9, X9
	VXORPD X10, X10, X10
	VXORPD X11, X11, X11
	VXORPD X12, X12, X12
	VXORPD X13, X13, X13
	VXORPD X14, X14, X14
	VXORPD X15, X15, X15
	LEAQ   128(DI), R14
term:
	FACTORS(32, Z20, Z21)
	NEXTLANES
	FACTORS(48, Z22, Z23)
	NEXTLANES
	FACTORS(0, Z16, Z17)
	FACTORS(16, Z18, Z19)
	BLOCKROW(Z0, Z1, Z2, Z3, Z16)
	BLOCKROW(Z4, Z5, Z6, Z7, Z17)
	BLOCKROW(Z8, Z9, Z10, Z11, Z18)
	BLOCKROW(Z12, Z13, Z14, Z15, Z19)
	ADDQ $64, R14
	CMPQ R14, DX
	JNE  term
	BLOCKSTORE(0, Z0, Z1)
	BLOCKSTORE(16, Z2, Z3)
	BLOCKSTORE(32, Z4, Z5)
	BLOCKSTORE(48, Z6, Z7)
	BLOCKSTORE(64, Z8, Z9)
	BLOCKSTORE(80, Z10, Z11)
	BLOCKSTORE(96, Z12, Z13)
	BLOCKSTORE(112, Z14, Z15)
	ADDQ $64, R15
	SUBQ $8, CX
	JNE  lanes
	NEXT

// LOADSTREAM finds register dst, stream a and the number of lanes. Z0 to Z3 hold the
// state words of the eight generators.
#define LOADSTREAM \
	REG(4, DI)                            \
	MOVLQSX      8(R13), SI               \
	SHLQ         $8, SI                   \
	ADDQ         machine_streams(R11), SI \
	MOVQ         machine_n(R11), CX       \
	VMOVDQU64    (SI), Z0                 \
	VMOVDQU64    64(SI), Z1               \
	VMOVDQU64    128(SI), Z2              \
	VMOVDQU64    192(SI), Z3

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

// UNIFORM turns outputs into uniform numbers. Z12 has the bits of 1 in every lane,
// Z13 is 1 − 2⁻⁵³.
#define UNIFORM(o) \
	VPSRLQ $12, o, o  \
	VPORQ  Z12, o, o  \
	VSUBPD Z13, o, o

#define UNIFORMCONSTANTS \
	VBROADCASTSD ·laneConstants+0(SB), Z12  \
	VBROADCASTSD ·laneConstants+16(SB), Z13

// dst = the next numbers of stream a, as package vector draws them.
TEXT ·lane512Draw(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	UNIFORMCONSTANTS
loop:
	STEP(Z8)
	UNIFORM(Z8)
	VMOVUPD Z8, (DI)
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNE     loop
	STORESTREAM
	NEXT

// See laneOpDrawLess. Without a bound all lanes are 0.
TEXT ·lane512DrawLess(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	LESSBOUND
	VBROADCASTSD ·laneConstants+0(SB), Z12
	TESTQ        AX, AX
	JNE          some
	VPXORQ       Z12, Z12, Z12
some:
	SHLQ         $12, AX
	DECQ         AX
	VPBROADCASTQ AX, Z13
loop:
	STEP(Z8)
	VPCMPUQ   $2, Z13, Z8, K1
	VMOVAPD.Z Z12, K1, Z8
	VMOVUPD   Z8, (DI)
	ADDQ      $64, DI
	SUBQ      $8, CX
	JNE       loop
	STORESTREAM
	NEXT

// NEXTSHIFT leaves p·u in o and p·u + q·(1−u) in t for the next numbers u. Z8 is p
// and Z9 is q.
#define NEXTSHIFT(o, t) \
	STEP(o)                \
	UNIFORM(o)             \
	VSUBPD      o, Z12, t  \
	VMULPD      Z8, o, o   \
	VFMADD213PD o, Z9, t

// REFINE replaces y, which is about 1/b, by y + y·(1 − b·y).
#define REFINE(b, y, e) \
	VMOVAPD      Z12, e   \
	VFNMADD231PD y, b, e  \
	VFMADD231PD  e, y, y

// DIVIDE replaces a by a/b as division rounds it, without the divider: the third
// refinement rounds 1/b correctly, and then the residual of a·(1/b) corrects the
// quotient to the last bit (Markstein 1990). The exception, b with a mantissa of
// ones and a a power of two, takes a u of which p·u and p·u + q·(1−u) are
// neighbours. Nothing here underflows: a is 0 or, like b, at least 2⁻⁵⁵³.
#define DIVIDE(a, b, y, e) \
	VRCP14PD     b, y     \
	REFINE(b, y, e)       \
	REFINE(b, y, e)       \
	REFINE(b, y, e)       \
	VMULPD       y, a, e  \
	VFNMADD231PD e, b, a  \
	VFMADD213PD  e, y, a

// LARGE jumps to small unless the number at x is in [2⁻⁵⁰⁰, 1].
#define LARGE(x, small) \
	MOVQ x, AX                      \
	MOVQ $0x20B0000000000000, BX    \
	SUBQ BX, AX                     \
	MOVQ $0x1F40000000000000, BX    \
	CMPQ AX, BX                     \
	JHI  small

// The divider takes every other vector, arithmetic the others at the same time.
TEXT ·lane512DrawShift(SB), NOSPLIT|NOFRAME, $0
	LOADSTREAM
	UNIFORMCONSTANTS
	MOVLQSX      12(R13), DX
	LEAQ         (R8)(DX*8), DX
	VBROADCASTSD (DX), Z8
	VBROADCASTSD 8(DX), Z9
	LARGE((DX), single)
	LARGE(8(DX), single)
	SUBQ         $16, CX
	JLT          rest
pair:
	NEXTSHIFT(Z4, Z5)
	VDIVPD  Z5, Z4, Z4
	NEXTSHIFT(Z6, Z7)
	DIVIDE(Z6, Z7, Z10, Z11)
	VMOVUPD Z4, (DI)
	VMOVUPD Z6, 64(DI)
	ADDQ    $128, DI
	SUBQ    $16, CX
	JGE     pair
rest:
	ADDQ    $16, CX
	JEQ     done
single:
	NEXTSHIFT(Z4, Z5)
	VDIVPD  Z5, Z4, Z4
	VMOVUPD Z4, (DI)
	ADDQ    $64, DI
	SUBQ    $8, CX
	JNE     single
done:
	STORESTREAM
	NEXT

// laneTable512 has one entry for each laneCode.
DATA ·laneTable512+0(SB)/8, $·laneStop(SB)
DATA ·laneTable512+8(SB)/8, $·lane512Copy(SB)
DATA ·laneTable512+16(SB)/8, $·lane512Gather(SB)
DATA ·laneTable512+24(SB)/8, $·lane512Fill(SB)
DATA ·laneTable512+32(SB)/8, $·lane512Neg(SB)
DATA ·laneTable512+40(SB)/8, $·lane512Add(SB)
DATA ·laneTable512+48(SB)/8, $·lane512Sub(SB)
DATA ·laneTable512+56(SB)/8, $·lane512Mul(SB)
DATA ·laneTable512+64(SB)/8, $·lane512MulAdd(SB)
DATA ·laneTable512+72(SB)/8, $·lane512Scale(SB)
DATA ·laneTable512+80(SB)/8, $·lane512NegScale(SB)
DATA ·laneTable512+88(SB)/8, $·lane512AddS(SB)
DATA ·laneTable512+96(SB)/8, $·lane512SubS(SB)
DATA ·laneTable512+104(SB)/8, $·lane512RSubS(SB)
DATA ·laneTable512+112(SB)/8, $·lane512Dot(SB)
DATA ·laneTable512+120(SB)/8, $·lane512DotPairs(SB)
DATA ·laneTable512+128(SB)/8, $·lane512Tile(SB)
DATA ·laneTable512+136(SB)/8, $·lane512TileRelu(SB)
DATA ·laneTable512+144(SB)/8, $·lane512TileSquares(SB)
DATA ·laneTable512+152(SB)/8, $·lane512Block(SB)
DATA ·laneTable512+160(SB)/8, $·lane512Relu(SB)
DATA ·laneTable512+168(SB)/8, $·lane512Positive(SB)
DATA ·laneTable512+176(SB)/8, $·lane512SigmoidShift(SB)
DATA ·laneTable512+184(SB)/8, $·lane512Less(SB)
DATA ·laneTable512+192(SB)/8, $·lane512Sum(SB)
DATA ·laneTable512+200(SB)/8, $·lane512SumProduct(SB)
DATA ·laneTable512+208(SB)/8, $·lane512Draw(SB)
DATA ·laneTable512+216(SB)/8, $·lane512DrawLess(SB)
DATA ·laneTable512+224(SB)/8, $·lane512DrawShift(SB)
DATA ·laneTable512+232(SB)/8, $·laneStop(SB)
DATA ·laneTable512+240(SB)/8, $·laneStop(SB)
DATA ·laneTable512+248(SB)/8, $·laneStop(SB)
DATA ·laneTable512+256(SB)/8, $·laneStop(SB)
DATA ·laneTable512+264(SB)/8, $·laneStop(SB)
DATA ·laneTable512+272(SB)/8, $·laneStop(SB)
DATA ·laneTable512+280(SB)/8, $·laneStop(SB)
GLOBL ·laneTable512(SB), NOPTR, $288
