package lane

import (
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/lane/vm"
	"tobac/autograd/internal/passes"
)

// An input of uniform numbers is drawn where it is used if each of its elements
// is read once, by an element-wise operation of one operand, or of two of which the other
// is the same in all lanes. The results are kept in its stead, so that later stages, which run on
// some of the lanes, need no draw again.

// findDrawn reports whether input v is drawn where it is used, and marks what is
// kept.
func (c *compiler) findDrawn(v *ir.Value) bool {
	if !c.plan.Has(passes.DrawInPlace) || !v.Uniform || c.plan.Count%vm.VectorLen != 0 ||
		!c.inOrder(v) {
		return false
	}
	results := map[int32]int32{}
	for _, w := range c.f.Values {
		if !w.Computed() {
			continue
		}
		for i, a := range w.Args {
			if a.Origin() != v {
				continue
			}
			if !c.readsDraws(w, i) {
				return false
			}
			for e, live := range w.Live {
				if r := c.operand(w, i, e); live && r.kind == refLane {
					if _, twice := results[r.at]; twice {
						return false
					}
					results[r.at] = c.element(w, e)
				}
			}
		}
	}
	for _, o := range c.f.Outputs {
		if o.Origin() == v {
			return false
		}
	}
	for draw, result := range results {
		c.reader[draw], c.store[result] = result, true
	}
	return true
}

// readsDraws reports whether w can be computed where its operand i is drawn.
func (c *compiler) readsDraws(w *ir.Value, i int) bool {
	switch w.Op.Class {
	case ir.Elementwise1:
		return c.level[w.ID] == 0
	case ir.Elementwise2:
		return c.level[w.ID] == 0 && !c.plan.Varies(w.Args[1-i])
	}
	return false
}

// inOrder reports whether the numbers that one index of the loop draws for v are those
// of one stream, lanes innermost.
func (c *compiler) inOrder(v *ir.Value) bool {
	return c.loop != nil && c.loop.ID() < c.lane.ID() &&
		v.Axes == ir.AxisSet(0).With(c.loop).With(c.lane)
}

// ofDraws emits an operation of register A, together with the draws of that register
// if they have just been emitted, because nothing else reads them.
func (em *emitter) ofDraws(op vm.Op) int32 {
	fused := map[vm.Code]vm.Code{vm.Less: vm.DrawLess, vm.SigmoidShift: vm.DrawShift}[op.Code]
	n := len(em.code)
	if n == 0 || em.code[n-1].Code != vm.Draw || em.code[n-1].Dst != op.A || !em.fuses() {
		return em.share(op)
	}
	last := &em.code[n-1]
	last.Code, last.B = fused, op.B
	return last.Dst
}
