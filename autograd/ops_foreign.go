package autograd

import (
	"errors"

	G "gorgonia.org/gorgonia"
)

// Apply adds an op that the table does not know. It runs through the op's own
// Do in every engine and has no derivative: reverse mode reports an error when
// it would have to pass through. Operands that carry mapped axes are handed to
// the op one index at a time.
func (b *Builder) Apply(op G.Op, operands ...*Node) *Node {
	if b.err != nil || len(operands) == 0 {
		return b.fail(nil, "foreign op %v without operands", op)
	}
	r := &rule{
		name:   "foreign:" + op.String(),
		native: func(_ attr, in []*G.Node) (*G.Node, error) { return G.ApplyOp(op, in...) },
		vjp: func(y, _ *Node) []*Node {
			y.b.fail(nil, "%s: a foreign op has no derivative rule", y.op.name)
			return nil
		},
	}
	r.shape = func(_ attr, in []Shape) (Shape, error) {
		sizes := make([]G.DimSizer, len(operands))
		for i, n := range operands {
			sizes[i] = n.g.Shape()
		}
		s, err := op.InferShape(sizes...)
		return append(Shape{}, s...), err
	}
	r.eval = func(_ attr, out []float64, _ Shape, in [][]float64, shapes []Shape) error {
		values := make([]G.Value, len(in))
		for i := range in {
			values[i] = newValue(shapes[i], append([]float64{}, in[i]...))
		}
		v, err := op.Do(values...)
		if err != nil {
			return err
		}
		data, err := valueData(v)
		if err != nil {
			return err
		}
		if copy(out, data) != len(out) {
			return errors.New("result is shorter than its inferred shape")
		}
		return nil
	}
	if op.Arity() >= 0 && op.Arity() != len(operands) {
		return b.fail(nil, "%v: got %d operands, want %d", op, len(operands), op.Arity())
	}
	return b.apply(r, attr{op: op}, operands...)
}
