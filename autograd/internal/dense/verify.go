package dense

import (
	"fmt"

	"tobac/autograd/internal/ir"
)

// Verify reports the first step, in the order in which they run, that reads a number which is
// not there: because nothing has written it, or because another value lies in its place by then.
func (p *Plan) Verify(steps []Step) error {
	holds := make([]*Storage, p.Arena)
	// each calls f for the places of the live elements of v.
	each := func(v *ir.Value, f func(e int, numbers []*Storage)) {
		for e, live := range v.Live {
			if live && p.Offset(v, e) != ZeroOffset {
				f(e, holds[p.Offset(v, e):][:p.Width(v, e)])
			}
		}
	}
	write := func(v *ir.Value) {
		each(v, func(_ int, numbers []*Storage) {
			for i := range numbers {
				numbers[i] = p.places[v.ID].Store
			}
		})
	}
	read := func(v *ir.Value) (err error) {
		each(v, func(e int, numbers []*Storage) {
			for _, s := range numbers {
				if s != p.places[v.ID].Store && err == nil {
					err = fmt.Errorf("element %d of %s is read, which is not in its place", e,
						p.F.Describe(v))
				}
			}
		})
		return err
	}
	for _, v := range p.F.Values {
		if v.IsInput() || v.Const != nil {
			write(v)
		}
	}
	for _, s := range steps {
		for _, a := range s.V.Args {
			if err := read(a); err != nil {
				return fmt.Errorf("dense: step %s: %w", p.F.Describe(s.V), err)
			}
		}
		write(s.V)
	}
	for _, v := range p.F.Outputs {
		if err := read(v); err != nil {
			return fmt.Errorf("dense: output: %w", err)
		}
	}
	return nil
}
