package dense

import "tobac/autograd/internal/ir"

// same copies numbers.
var same = &ir.Unary{Form: ir.Same, Vec: func(dst, x []float64) { copy(dst, x) }}

// lowerPicked makes the instruction of a value whose elements are elements of its operands; nil if
// all of these are in their place.
func (p *Plan) lowerPicked(v *ir.Value) Instruction {
	in, picks := &unaryInstr{Unary: same, width: p.width(v)}, v.Picks()
	in.runs, in.single = p.scatter(p.join(v, 1, 0, v.Len(), func(e int, next *run) bool {
		next.src[0] = operand{off: ZeroOffset, width: 1}
		if k := picks[e]; k.At >= 0 {
			next.src[0] = p.operand(v.Args[k.Arg], int(k.At))
		}
		return next.src[0].off != p.Offset(v, e)
	}), in.width, 1, 1)
	if in.elements() == 0 && p.homes != nil {
		return nil
	}
	return in
}
