// The generators of package vector in AVX2, for files of lane operations: eight of
// them with state words in Y0 to Y7, lanes 0 to 3 in Y0 to Y3.

// ROTL replaces x by x rotated left by k bits.
#define ROTL(x, k, t) \
	VPSLLQ $k, x, t        \
	VPSRLQ $(64-k), x, x   \
	VPOR   t, x, x

// STEP advances four generators with state a, b, c, d; their output is in o.
#define STEP(a, b, c, d, o, t) \
	VPADDQ a, d, o      \
	ROTL(o, 23, t)      \
	VPADDQ a, o, o      \
	VPSLLQ $17, b, Y14  \
	VPXOR  a, c, c      \
	VPXOR  b, d, d      \
	VPXOR  c, b, b      \
	VPXOR  d, a, a      \
	VPXOR  Y14, c, c    \
	ROTL(d, 45, t)

// STEP8 advances all of them; their outputs are in Y8 and Y9.
#define STEP8 \
	STEP(Y0, Y1, Y2, Y3, Y8, Y10) \
	STEP(Y4, Y5, Y6, Y7, Y9, Y11)

// UNIFORM8 turns outputs into uniform numbers. Y12 has the bits of 1 in every lane,
// Y13 is 1 − 2⁻⁵³.
#define UNIFORM8 \
	VPSRLQ  $12, Y8, Y8   \
	VPSRLQ  $12, Y9, Y9   \
	VPOR    Y12, Y8, Y8   \
	VPOR    Y12, Y9, Y9   \
	VSUBPD  Y13, Y8, Y8   \
	VSUBPD  Y13, Y9, Y9

// LOADSTREAM finds register dst, stream a and the number of lanes.
#define LOADSTREAM \
	REG(4, DI)                            \
	MOVLQSX      8(R13), SI               \
	SHLQ         $8, SI                   \
	ADDQ         state_streams(R11), SI \
	MOVQ         state_n(R11), CX       \
	VMOVDQU      (SI), Y0                 \
	VMOVDQU      64(SI), Y1               \
	VMOVDQU      128(SI), Y2              \
	VMOVDQU      192(SI), Y3              \
	VMOVDQU      32(SI), Y4               \
	VMOVDQU      96(SI), Y5               \
	VMOVDQU      160(SI), Y6              \
	VMOVDQU      224(SI), Y7

#define STORESTREAM \
	VMOVDQU Y0, (SI)     \
	VMOVDQU Y1, 64(SI)   \
	VMOVDQU Y2, 128(SI)  \
	VMOVDQU Y3, 192(SI)  \
	VMOVDQU Y4, 32(SI)   \
	VMOVDQU Y5, 96(SI)   \
	VMOVDQU Y6, 160(SI)  \
	VMOVDQU Y7, 224(SI)
