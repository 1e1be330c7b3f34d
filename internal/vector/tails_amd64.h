// The last, shorter vector of a loop over numbers with n elements.

// Lanes behind the end hold 0.5, of which no kernel makes an exception.
DATA ordinary<>+0(SB)/8, $0.5
GLOBL ordinary<>(SB), RODATA|NOPTR, $8

// LOAD_TAIL_ loads the numbers at from, by halves of vectors from the end on: a masked load
// would wait for what was last written behind the end. It takes R8, Y12, Y13 and Y14.
#define LOAD_TAIL_AVX2(n, from, x, y) \
	VBROADCASTSD ordinary<>(SB), Y13; \
	VMOVAPD Y13, Y14; \
	TESTQ $1, n; \
	JE 4(PC); \
	MOVQ n, R8; \
	ANDQ $6, R8; \
	VMOVLPD (from)(R8*8), X13, X14; \
	TESTQ $2, n; \
	JE 6(PC); \
	MOVQ n, R8; \
	ANDQ $4, R8; \
	VMOVUPD (from)(R8*8), x; \
	VINSERTF128 $1, X14, y, y; \
	JMP 2(PC); \
	VINSERTF128 $0, X14, Y13, y

#define LOAD_TAIL_AVX512(n, from, x, y, z) \
	LOAD_TAIL_AVX2(n, from, X12, Y12); \
	TESTQ $4, n; \
	JE 4(PC); \
	VMOVUPD (from), y; \
	VINSERTF64X4 $1, Y12, z, z; \
	JMP 3(PC); \
	VBROADCASTSD ordinary<>(SB), z; \
	VINSERTF64X4 $0, Y12, z, z

// STORE_TAIL_ stores them at to, by halves of vectors: masked stores take longer on some
// processors. It overwrites the vector and to.
#define STORE_TAIL_AVX2(n, to, x, y) \
	TESTQ $2, n; \
	JE 4(PC); \
	VMOVUPD x, (to); \
	VEXTRACTF128 $1, y, x; \
	ADDQ $16, to; \
	TESTQ $1, n; \
	JE 2(PC); \
	VMOVSD x, (to)

#define STORE_TAIL_AVX512(n, to, x, y, z) \
	TESTQ $4, n; \
	JE 4(PC); \
	VMOVUPD y, (to); \
	VEXTRACTF64X4 $1, z, y; \
	ADDQ $32, to; \
	STORE_TAIL_AVX2(n, to, x, y)

// GOTO leaves a function for another one with the same parameters.
#define GOTO(to) JMP to
