package autograd

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"tobac/autograd/internal/gorgonia"
)

// Apply adds an op of gorgonia's, or of its user's. It runs through the op's own
// Do in every engine and has no derivative: reverse mode reports an error when
// it would have to pass through. Operands that carry mapped axes are handed to
// the op one index at a time.
func (b *Builder) Apply(op G.Op, operands ...*Node) *Node {
	if b.err != nil || len(operands) == 0 {
		return b.fail(nil, "foreign op %v without operands", op)
	}
	return b.apply(foreign, Attr{Any: op, Key: gorgonia.Identity(op)}, operands...)
}

// foreign is every op of gorgonia's.
var foreign = &Primitive{
	Name: "foreign",
	Shape: func(at Attr, in []Shape) (Shape, error) {
		s, err := gorgonia.InferShape(at.Any.(G.Op), in)
		if err != nil {
			err = fmt.Errorf("%v: %w", at.Any, err)
		}
		return s, err
	},
	Value: func(at Attr, out []float64, _ Shape, in [][]float64, shapes []Shape) error {
		return gorgonia.Eval(at.Any.(G.Op), out, in, shapes)
	},
	VJP: func(y, _ *Node) []*Node {
		y.b.fail(nil, "foreign: %v: a foreign op has no derivative rule", y.attr.Any)
		return nil
	},
}
