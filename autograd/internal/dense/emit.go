package dense

import (
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/native"
)

// An emission is a list of operations of machine code.
type emission struct {
	ops         []native.Op
	temporaries int32      // where they are in the arena
	used        int32      // by the present instruction
	pivots      []int32    // of a factorisation, which ends the stretch
	wide        uint8      // matrices that are computed at a time
	loaded      []*Storage // what is loaded from arrays
	stored      []*Storage // what nothing reads once it is stored in arrays
}

// mostTemporaries is how many numbers an instruction may need.
const mostTemporaries = 4 * (mostRows*mostRows + 1)

// A coded instruction has a form in machine code, with the same bits as its own.
type coded interface {
	// emit appends its operations. ok is false if it is too large.
	emit(e *emission) (ok bool)
}

// add appends the operations of an instruction, if it has some.
func (e *emission) add(in Instruction) bool {
	c, ok := in.(coded)
	n := len(e.ops)
	e.used = 0
	if !ok || !c.emit(e) {
		e.ops, e.pivots = e.ops[:n], nil
		return false
	}
	return true
}

// temporary is the place of n numbers.
func (e *emission) temporary(n int32) int32 {
	e.used += n
	return e.temporaries + e.used - n
}

// op appends an operation on single numbers.
func (e *emission) op(code native.Code, dst, a, b int32) {
	e.ops = append(e.ops, native.Op{Code: code, N: 1, Dst: dst, A: a, B: b})
}

// fits are as many of left numbers as one operation takes.
func fits(left int) int {
	switch {
	case left >= 4:
		return 4
	case left >= 2:
		return 2
	}
	return 1
}

// each appends operations on n neighbouring numbers. Operands have stride 0 or 1.
func (e *emission) each(code native.Code, n int, dst int, a, b operand) {
	for i := 0; i < n; {
		k := fits(n - i)
		e.ops = append(e.ops, native.Op{
			Code: code, N: uint8(k), Dst: int32(dst + i), A: int32(a.off + i*a.stride),
			B:    int32(b.off + i*b.stride),
			AOne: a.stride == 0, BOne: b.stride == 0,
		})
		i += k
	}
}

// elementwise appends a function of runs and of single elements.
func (e *emission) elementwise(code native.Code, width int, runs []run, single *scattered,
	operands func(src [3]operand) (a, b operand)) bool {
	if width != 1 || runElements(runs)+len(single.dst) > mostCoded {
		return false
	}
	for i := range runs {
		a, b := operands(runs[i].src)
		e.each(code, runs[i].n, runs[i].dst, a, b)
	}
	for i, dst := range single.dst {
		var src [3]operand
		for k, s := range single.src {
			if len(s) > 0 {
				src[k].off = int(s[i])
			}
		}
		a, b := operands(src)
		e.op(code, dst, int32(a.off), int32(b.off))
	}
	return true
}

// nativeCodes are the operations of machine code of functions in these forms.
var nativeCodes = map[ir.Form]native.Code{
	ir.Same: native.Copy, ir.Neg: native.Neg, ir.Abs: native.Abs, ir.Sqrt: native.Sqrt,
	ir.Square: native.Mul, ir.Inverse: native.Div,
	ir.Add: native.Add, ir.Sub: native.Sub, ir.Mul: native.Mul, ir.Div: native.Div,
	ir.Barrier: native.Copy,
}

func (in *unaryInstr) emit(e *emission) bool {
	code, ok := nativeCodes[in.Form]
	return ok && e.elementwise(code, in.width, in.runs, in.single,
		func(src [3]operand) (a, b operand) {
			if in.Form == ir.Inverse {
				return operand{off: OneOffset}, src[0]
			}
			return src[0], src[0]
		})
}

func (in *binaryInstr) emit(e *emission) bool {
	code, ok := nativeCodes[in.form]
	return ok && e.elementwise(code, in.width, in.runs, in.single,
		func(src [3]operand) (a, b operand) { return src[0], src[1] })
}

// mostCoded is the number of elements up to which an instruction becomes machine code, where
// every operation is written out.
const mostCoded = 128

// mostRows is the size of matrices up to which a factorisation or solution of single numbers
// has a form in machine code.
const mostRows = 8
