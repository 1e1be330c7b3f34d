// How operations begin and end: R9 is where registers are, R12 the bytes between them, R13
// the operation.

// REGISTER is the address of the register that a field of the operation names.
#define REGISTER(field, to) \
	MOVLQSX field, to; \
	IMULQ R12, to; \
	ADDQ R9, to

// DISPATCH jumps to where the operation starts, NEXT to where the one that follows does.
#define DISPATCH(table) \
	MOVLQSX Op_Code(R13), AX; \
	LEAQ table, CX; \
	MOVQ (CX)(AX*8), CX; \
	JMP CX

#define NEXT(table) \
	LEAQ Op__size(R13), R13; \
	DISPATCH(table)
