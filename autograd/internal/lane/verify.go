package lane

import (
	"fmt"

	"tobac/autograd/internal/lane/vm"
)

// Verify reports the first operation of the program that does not keep to the registers,
// numbers and operands that there are, as [vm.Group.Verify] does.
func (p *Program) Verify() error {
	b := vm.Bounds{Set: p.Set, Size: p.size(), Numbers: p.RegistersAt}
	for i := range p.Stages {
		st := &p.Stages[i]
		for j := range st.Groups {
			g := &st.Groups[j]
			err := g.Verify(b, g.Weight != nil)
			if w := g.Weight; w != nil && (w.X < 0 || int(w.X) >= b.Size.Full ||
				w.bound < 0 || int(w.bound) >= len(st.bounds)) {
				err = fmt.Errorf("weights in register %d with bound %d", w.X, w.bound)
			}
			if len(g.Of) != len(g.Code) {
				err = fmt.Errorf("elements of %d operations, want %d", len(g.Of), len(g.Code))
			}
			if err != nil {
				return fmt.Errorf("lane: stage %d, group %d: %w", i, j, err)
			}
		}
	}
	return nil
}
