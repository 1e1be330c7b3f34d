package autograd

import "tobac/autograd/internal/lane/vm"

// An input of uniform numbers is drawn where it is used if each of its elements
// is read once, by an element-wise operation whose other operand is the same in
// all lanes. The results are kept in its stead, so that later levels, which run on
// some of the lanes, need no draw again.

// findDrawn reports whether input v is drawn where it is used, and marks what is
// kept.
func (c *laneCompiler) findDrawn(v *value) bool {
	p := c.p
	if !p.runs(DrawInPlace) || !v.n.uniform || p.lanes%vm.VectorLen != 0 || p.loop == nil || !v.n.axes.has(p.loop) || v.n.axes.without(p.loop) == 0 {
		return false
	}
	results := map[elementKey]elementKey{}
	for _, w := range p.values {
		if w.isView() || w.n.op == nil {
			continue
		}
		for i, a := range w.args {
			if origin(a) != v {
				continue
			}
			if w.n.op.kernel != kernelBinary || w.args[1-i].varying || c.level[w.id] != 0 {
				return false
			}
			for e, live := range w.live {
				if r := a.ref(w.at(i, e)); live && r.kind == refLane {
					if _, twice := results[r.key]; twice {
						return false
					}
					results[r.key] = elementKey{int32(w.id), int32(e)}
				}
			}
		}
	}
	for _, n := range p.outputs {
		if origin(p.byNode[n]) == v {
			return false
		}
	}
	if c.stream == nil {
		c.stream, c.drawn = map[*value]int32{}, map[*value]int{}
		c.reader, c.store = map[elementKey]elementKey{}, map[elementKey]bool{}
	}
	for draw, result := range results {
		c.reader[draw], c.store[result] = result, true
	}
	return true
}

// origin is the value that v is a view of, or v.
func origin(v *value) *value {
	for v.isView() {
		v = v.args[0]
	}
	return v
}

// draw emits the draws of v up to element e, which come in order, each but that one
// with what reads it.
func (em *emitter) draw(v *value, stream int32, e int) int32 {
	for {
		k := elementKey{int32(v.id), int32(em.c.drawn[v])}
		r := em.virtual()
		em.emit(vm.Op{Code: vm.Draw, Dst: r, A: stream})
		em.reg[k] = r
		em.c.drawn[v]++
		if int(k.e) == e {
			return r
		}
		if result, ok := em.c.reader[k]; ok {
			em.lane(result)
		}
	}
}

// ofDraws emits an operation of register a, together with the draws of that register
// if they have just been emitted, because nothing else reads them.
func (em *emitter) ofDraws(op vm.Op) int32 {
	fused := map[vm.Code]vm.Code{vm.Less: vm.DrawLess, vm.SigmoidShift: vm.DrawShift}[op.Code]
	n := len(em.code)
	if n == 0 || em.code[n-1].Code != vm.Draw || em.code[n-1].Dst != op.A || !em.c.p.runs(Fusion) {
		return em.share(op)
	}
	last := &em.code[n-1]
	last.Code, last.B = fused, op.B
	return last.Dst
}

// keep turns the register that the last operation has written into a kept one.
func (em *emitter) keep(k elementKey, r int32) int32 {
	kept := int32(em.c.lp.stored)
	em.c.lp.stored++
	em.c.lp.keep[k] = kept
	if last := &em.code[len(em.code)-1]; last.Dst == r {
		last.Dst = keptBase + kept
	} else {
		em.emit(vm.Op{Code: vm.Copy, Dst: keptBase + kept, A: r})
	}
	return keptBase + kept
}
