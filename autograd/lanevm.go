package autograd

import (
	"fmt"

	"tobac/autograd/internal/lane/vm"
)

// size is what a machine needs for the program.
func (lp *laneProgram) size() vm.Size {
	return vm.Size{Width: lp.width, Full: max(lp.full, lp.stored), Packed: lp.packed, Buffer: lp.buffer, Streams: len(lp.draws)}
}

// run runs the levels of the lane program in a frame.
func (lp *laneProgram) run(f *frame, lanes int) error {
	for i := range lp.levels {
		lv := &lp.levels[i]
		for j := range lv.uniform {
			if err := lv.uniform[j].ins.run(f); err != nil {
				return fmt.Errorf("%v: %w", lv.uniform[j].v.n, err)
			}
		}
		lv.prepare(f)
		for j := range lv.groups {
			g := &lv.groups[j]
			if g.mask == nil {
				f.machine.Run(&g.Group, lanes)
				continue
			}
			f.machine.RunPacked(&g.Group, f.machine.Select(g.mask.x, lanes))
		}
	}
	return nil
}

// prepare computes the numbers that operations of the level take in another
// form: factors of sigmoid shifts, products, and panels.
func (lv *laneLevel) prepare(f *frame) {
	f.machine.ShiftFactors(lv.shiftsAt, lv.shifts)
	for _, p := range lv.products {
		x := f.m[p.a] * f.m[p.b]
		if p.neg {
			x = -x
		}
		f.m[p.at] = x
	}
	f.machine.ScalePanels(lv.scaleTo, lv.scaleFrom, lv.scales)
	gather(f.m, lv.panels)
}

// gather copies the factors of panels to where tiles read them.
func gather(m []float64, panels []*panel) {
	for _, p := range panels {
		to := m[p.off:][:len(p.factors)]
		for i, s := range p.factors {
			to[i] = m[s]
		}
	}
}
