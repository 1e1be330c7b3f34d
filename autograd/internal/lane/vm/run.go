package vm

// Run executes the group on all lanes, of which the first count go into sums over the
// lanes. Its registers are those of Full.
func (x *Machine) Run(g *Group, count int) { x.run(g, x.Full, x.width, count, nil) }

// RunPacked executes the group on selected lanes, at least one, as Select returned them:
// in registers of its own, into which Gather packs what registers of all lanes have.
func (x *Machine) RunPacked(g *Group, selected []int32) {
	n := (len(selected) + VectorLen - 1) / VectorLen * VectorLen
	active := selected
	for len(active) < n { // there is room: the width is a multiple of VectorLen
		active = append(active, selected[0])
	}
	x.run(g, x.packed, n, len(selected), active)
}

// tailMasks has, from index VectorLen−c on, masks of VectorLen lanes of which
// the first c count.
var tailMasks = [2 * VectorLen]uint64{0: ^uint64(0), 1: ^uint64(0), 2: ^uint64(0), 3: ^uint64(0),
	4: ^uint64(0), 5: ^uint64(0), 6: ^uint64(0), 7: ^uint64(0)}

// run executes the group in registers of n lanes.
func (x *Machine) run(g *Group, regs []float64, n, count int, active []int32) {
	x.group, x.active, x.count = g, active, count
	if len(regs) == 0 { // nothing but constants
		regs = x.buffer
	}
	s := &x.state
	*s = state{
		code: &g.Code[0], r: &regs[0], buffer: &x.buffer[0],
		tail: &tailMasks[n-count], n: n, stride: 8 * n, fullStride: 8 * x.width,
	}
	if len(x.Arena) > 0 {
		s.m = &x.Arena[0]
	}
	if len(g.Args) > 0 {
		s.args = &g.Args[0]
	}
	if len(x.Streams) > 0 {
		s.streams = &x.Streams[0]
	}
	if active != nil {
		s.full, s.active = &x.Full[0], &active[0]
	}
	for pc := 0; ; pc++ {
		pc = assembled(x.set, s, pc)
		op := &g.Code[pc]
		if op.Code == End {
			return
		}
		table[op.Code].run(x, op)
	}
}

// Each runs a group operation by operation, on all lanes or packed ones, and calls after
// with the number of each.
func (x *Machine) Each(g *Group, packed bool, selected []int32, count int, after func(op int)) {
	for i := range g.Code {
		if g.Code[i].Code == End {
			return
		}
		one := Group{Code: []Op{g.Code[i], {Code: End}}, Args: g.Args, Unary: g.Unary,
			Binary: g.Binary}
		if packed {
			x.RunPacked(&one, selected)
		} else {
			x.Run(&one, count)
		}
		after(i)
	}
}

// Written shows what operation i of a group that has just run wrote: registers, and
// numbers of the arena.
func (x *Machine) Written(g *Group, i int, packed bool, f func(x []float64, register bool)) {
	op := g.Code[i]
	op.operands(g.Args, func(o operand, p *int32, n int) {
		switch o {
		case written, updated:
			f(x.r(*p), true)
		case result:
			f(x.Arena[*p:][:1], false)
		}
	})
}
