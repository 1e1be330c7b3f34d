package autograd

import (
	"fmt"

	"tobac/autograd/internal/lane/vm"
)

// VerifyLanes checks the element program of p, if it has one, as [vm.Group.Verify] does:
// group by group, in the order in which they run.
func VerifyLanes(p *Program) error {
	lp := p.lane
	if lp == nil {
		return nil
	}
	defined := make([]bool, max(lp.full, lp.stored))
	for _, in := range lp.inputs {
		for e := range in.v.live {
			defined[in.first+e] = true
		}
	}
	bounds := vm.Bounds{Set: lp.set, Size: lp.size(), Arena: p.arena, Defined: defined}
	for i, lv := range lp.levels {
		for j, g := range lv.groups {
			if g.mask != nil && !defined[g.mask.x] {
				return fmt.Errorf("level %d, group %d: its weights are in register %d, which nothing has written", i, j, g.mask.x)
			}
			if err := g.Verify(bounds, g.mask != nil); err != nil {
				return fmt.Errorf("level %d, group %d: %w", i, j, err)
			}
		}
	}
	return nil
}
