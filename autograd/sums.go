package autograd

import "slices"

// findSums finds the sums that are computed in the place of their first operand, with
// nothing to do where the other is zero: gradients that are made of parts, for example.
// No program with lanes reuses that place, nothing else may read the operand, and no
// lane the sum, since the compiler of lane programs looks at what operands are made of.
func (p *Program) findSums() {
	reads := make(map[*value]int)
	lanes := make(map[*value]bool) // read by lanes, perhaps through views
	for _, v := range slices.Backward(p.values) {
		for _, a := range v.args {
			reads[a]++
			lanes[a] = lanes[a] || v.varying || v.isView() && lanes[v]
		}
	}
	for _, n := range p.outputs {
		reads[p.byNode[n]]++
	}
	for _, v := range p.values {
		computed := func(x *value) bool { return !x.varying && x.known == nil && !x.isView() && x.n.op != nil }
		if !computed(v) || v.n.op.name != "add" || lanes[v] {
			continue
		}
		a, b := v.args[0], v.args[1]
		if !computed(a) || reads[a] > 1 || len(a.live) != len(v.live) {
			continue
		}
		whole, zero := true, false
		for e, live := range v.live {
			whole = whole && (!live || a.live[e])
			zero = zero || live && !b.live[v.at(1, e)]
		}
		v.onto = whole && zero
	}
}
