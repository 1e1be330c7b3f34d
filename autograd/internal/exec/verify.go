package exec

import "fmt"

// Verify reports the first fault of the function of a part, or of the element program that
// computes it: see [tobac/autograd/internal/ir.Func.Verify] and
// [tobac/autograd/internal/lane.Program.Verify].
func (p *Program) Verify() error {
	for i, q := range p.parts {
		if err := q.verify(len(p.arrays)); err != nil {
			return fmt.Errorf("exec: graph %q, part %d: %w", p.F.Name, i, err)
		}
	}
	return nil
}

func (q *part) verify(arrays int) error {
	if err := q.f.Verify(); err != nil {
		return err
	}
	for _, in := range q.inputs {
		if in.array < 0 || in.array >= arrays {
			return fmt.Errorf("an input is read from array %d of %d", in.array, arrays)
		}
	}
	for _, out := range q.outputs {
		if out.array < 0 || out.array >= arrays {
			return fmt.Errorf("an output is written to array %d of %d", out.array, arrays)
		}
	}
	if q.lane == nil {
		return nil
	}
	return q.lane.Verify()
}
