package dense

import (
	"tobac/autograd/internal/ir"
)

// Step makes the instruction that computes v, with every offset resolved.
func (p *Plan) Step(v *ir.Value) Step { return Step{v, p.lower(v)} }

func (p *Plan) lower(v *ir.Value) Instruction {
	switch v.Op.Class {
	case ir.Elementwise1:
		return p.lowerUnary(v)
	case ir.Elementwise2:
		return p.lowerBinary(v)
	case ir.Select:
		return p.lowerSelect(v)
	case ir.Sum:
		return p.lowerReduce(v)
	case ir.LogSumExp, ir.Fold, ir.Softmax:
		if in := p.lowerGroups(v); in != nil {
			return in
		}
	case ir.MatMul:
		return p.lowerMatMul(v)
	case ir.Picked:
		return p.lowerPicked(v)
	case ir.Crossing:
		return p.lowerCrossing(v)
	}
	if p.triangularOfLanes(v) {
		return p.lowerTriangular(v)
	}
	if p.isSmallTriangular(v) {
		return p.lowerSmallTriangular(v)
	}
	return p.lowerOpaque(v)
}
