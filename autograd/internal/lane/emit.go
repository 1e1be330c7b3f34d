package lane

import (
	"fmt"
	"slices"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/lane/vm"
	"tobac/autograd/internal/passes"
)

// finish emits everything and assigns registers. It returns their number.
func (em *emitter) finish() (Group, int) {
	c := em.c
	c.emits++
	em.number = c.emits
	for _, k := range em.liveOut {
		em.count(k)
		c.uses[k]++ // never fused away
	}
	for _, p := range em.copies {
		em.count(p.element)
		c.uses[p.element]++
	}
	for _, s := range em.roots {
		if s.ref.kind == refLane {
			em.count(s.ref.at)
		}
	}
	for _, k := range em.drawn {
		em.count(k)
	}
	for _, k := range em.liveOut {
		em.keepAt(k, em.lane(k), em.newKept())
	}
	for _, p := range em.copies {
		r := em.lane(p.element)
		if em.kept(p.element) {
			em.emit(vm.Op{Code: vm.Copy, Dst: keptBase + p.register, A: r})
		} else {
			em.keepAt(p.element, r, p.register)
		}
	}
	for _, s := range em.roots {
		em.reduce(s)
	}
	for _, k := range em.drawn { // those that only later stages read
		em.lane(k)
	}
	em.at = none
	em.emit(vm.Op{Code: vm.End})
	g := Group{Group: vm.Group{Code: em.code, Args: em.args, Unary: em.unaries,
		Binary: em.binaries}, Of: em.of}
	for _, u := range em.panels {
		u.args = g.Args
		c.panelUses = append(c.panelUses, u)
	}
	if em.weight != none {
		w := &Weight{X: c.selector(em.weight)}
		var of []int32
		for _, s := range em.roots {
			w.roots = append(w.roots, s.at)
			of = append(of, c.boundNumber(s.v))
		}
		slices.Sort(of)
		w.bound = c.addBound(bound{kind: boundLargest, of: slices.Compact(of)})
		g.Weight = w
	}
	return g, em.assign(&g)
}

func (em *emitter) reduce(s root) {
	if s.over == ir.OverMax {
		em.emit(vm.Op{Code: vm.MaxLanes, Dst: s.at, A: em.register(s.ref)})
		return
	}
	if s.ref.kind != refLane { // the same number in every lane
		op := vm.Op{Code: vm.SumConst, Dst: s.at, A: s.ref.offset()}
		if s.over == ir.OverLogSumExp {
			op.Code, op.B = vm.ShiftConst, s.partsAt
		}
		em.emit(op)
		return
	}
	k := s.ref.at
	if s.over == ir.OverLogSumExp {
		r := em.lane(k)
		em.at = k
		em.emit(vm.Op{Code: vm.LogSumExp, Dst: s.at, A: r, B: s.partsAt})
		return
	}
	// Fuse the last product into the sum over the lanes.
	if v, e := em.c.of(k); em.single(s.ref) && v.Is(ir.Mul) {
		if x, y := em.c.both(v, e); x.kind == refLane && y.kind == refLane {
			a, b := em.lane(x.at), em.lane(y.at)
			em.at = k
			em.emit(vm.Op{Code: vm.SumProduct, Dst: s.at, A: a, B: b})
			return
		}
	}
	r := em.lane(k)
	em.at = k
	em.emit(vm.Op{Code: vm.Sum, Dst: s.at, A: r})
}

// lane emits the operations that compute an element and returns its register.
func (em *emitter) lane(k int32) int32 {
	if r, ok := em.done(k); ok {
		return r
	}
	outer := em.at
	em.at = k
	r := em.compute(k)
	if em.c.store[k] && !em.kept(k) {
		r = em.keep(k, r)
	}
	em.at = outer
	em.setRegister(k, r)
	return r
}

func (em *emitter) compute(k int32) int32 {
	c := em.c
	if em.kept(k) {
		if em.weight == none {
			return keptBase + c.keep[k]
		}
		return em.share(vm.Op{Code: vm.Gather, A: c.keep[k]})
	}
	v, e := c.of(k)
	if stream, ok := c.stream[v]; ok {
		return em.draw(v, stream, e)
	}
	if em.tile(k) || em.block(k) {
		return c.reg[k]
	}
	switch v.Op.Class {
	case ir.Sum, ir.MatMul:
		return em.products(v, c.terms(v, e), dense.ZeroOffset)
	case ir.LogSumExp:
		return em.logSumExp(v, e)
	case ir.Fold:
		return em.fold(v, v.Sources()[e])
	case ir.Softmax:
		return em.softmaxOf(v, e)
	case ir.Picked:
		return em.register(c.picked(v, e))
	case ir.Crossing:
		if v.Op.Over == ir.OverSoftmax {
			return em.softmax(c.ref(v.Args[0], e))
		}
		return em.register(c.ref(v.Args[0], e))
	case ir.Elementwise1:
		return em.unary(v, c.operand(v, 0, e))
	case ir.Select:
		a, x, y := em.register(c.operand(v, 0, e)), em.register(c.operand(v, 1, e)),
			em.register(c.operand(v, 2, e))
		dst := em.virtual()
		em.emit(vm.Op{Code: vm.Where, Dst: dst, A: a, B: em.pool(x, y)})
		return dst
	}
	return em.binary(v, e)
}

// softmax emits e^(x − max x − ln Σ e^(x − max x)), whose sum over the lanes is 1
// for any size of x.
func (em *emitter) softmax(x ref) int32 {
	parts := em.c.parts[x]
	shifted := em.share(vm.Op{Code: vm.SubS, A: em.register(x), B: parts})
	return em.share(vm.Op{Code: vm.Exp,
		A: em.share(vm.Op{Code: vm.SubS, A: shifted, B: parts + 1})})
}

// registers are those of some elements of the operand.
func (em *emitter) registers(v *ir.Value, sources []int) []int32 {
	var operands []int32
	for _, s := range sources {
		operands = append(operands, em.register(em.c.ref(v.Args[0], s)))
	}
	return operands
}

// logSumExp emits the log-sum-exp of some elements, unless one of the same registers was.
func (em *emitter) logSumExp(v *ir.Value, e int) int32 {
	operands := em.registers(v, v.Sources()[e])
	key := fmt.Sprint(operands)
	if r, ok := em.logSums[key]; ok && em.c.plan.Has(passes.CommonSubexpressions) {
		return r
	}
	dst := em.virtual()
	em.logSums[key] = dst
	em.emit(vm.Op{Code: vm.LogSumExpOf, Dst: dst, A: em.pool(operands...), B: int32(len(operands))})
	return dst
}

// softmaxOf emits an element of a softmax over elements, e^(x − max)/Σ e^(x − max). The
// largest is made finite, so that infinite ones become NaN and, beside them, finite ones 0.
// Of a group it and the sum are computed once.
func (em *emitter) softmaxOf(v *ir.Value, e int) int32 {
	group := v.Group(e)
	key := softmaxGroup{v, group}
	parts, ok := em.groups[key]
	power := func(r int32) int32 {
		return em.share(vm.Op{Code: vm.Exp, A: em.share(vm.Op{Code: vm.Sub, A: r, B: parts[0]})})
	}
	if !ok {
		operands := em.registers(v, v.Sources()[group])
		top := operands[0]
		for _, r := range operands[1:] {
			top = em.share(vm.Op{Code: vm.Larger, A: top, B: r})
		}
		parts[0] = em.share(vm.Op{Code: vm.Finite, A: top})
		parts[1] = power(operands[0])
		for _, r := range operands[1:] {
			parts[1] = em.share(vm.Op{Code: vm.Add, A: parts[1], B: power(r)})
		}
		em.groups[key] = parts
	}
	return em.share(vm.Op{Code: vm.Div, A: power(em.register(em.c.ref(v.Args[0], e))), B: parts[1]})
}

// fold emits the function of two operands over some elements, from the first on.
func (em *emitter) fold(v *ir.Value, sources []int) int32 {
	operands := em.registers(v, sources)
	sum := operands[0]
	code, ok := pairCodes[v.Binary().Form]
	for _, r := range operands[1:] {
		op := vm.Op{Code: code, A: sum, B: r}
		if !ok {
			op = vm.Op{Code: vm.Binary, A: sum, B: em.pool(r, em.binaryIndex(v))}
		}
		sum = em.share(op)
	}
	return sum
}

// register is a lane register that holds the operand, whatever its kind.
func (em *emitter) register(r ref) int32 {
	if r.kind == refLane {
		return em.lane(r.at)
	}
	return em.share(vm.Op{Code: vm.Fill, A: r.offset()})
}

func (em *emitter) unary(v *ir.Value, r ref) int32 {
	switch v.Op.Form {
	case ir.Neg:
		if x, f, ok := em.scaled(r); ok {
			return em.share(vm.Op{Code: vm.NegScale, A: em.lane(x.at), B: f})
		}
		return em.share(vm.Op{Code: vm.Neg, A: em.register(r)})
	case ir.Square:
		x := em.register(r)
		return em.share(vm.Op{Code: vm.Mul, A: x, B: x})
	case ir.Inverse:
		return em.share(vm.Op{Code: vm.RDivS, A: em.register(r), B: dense.OneOffset})
	}
	if code, ok := singleCodes[v.Op.Form]; ok {
		return em.share(vm.Op{Code: code, A: em.register(r)})
	}
	return em.share(vm.Op{Code: vm.Unary, A: em.register(r), B: em.unaryIndex(v)})
}

// singleCodes are the operations on one register of functions in these forms.
var singleCodes = map[ir.Form]vm.Code{
	ir.Exp: vm.Exp, ir.Relu: vm.Relu, ir.Positive: vm.Positive, ir.Sqrt: vm.Sqrt, ir.Abs: vm.Abs,
}

func (em *emitter) binary(v *ir.Value, e int) int32 {
	a, b := em.c.both(v, e)
	switch v.Op.Form {
	case ir.Add:
		return em.add(a, b)
	case ir.Sub:
		return em.sub(a, b)
	case ir.Mul:
		if a.kind != refLane {
			a, b = b, a
		}
		if b.kind == refUniform {
			return em.share(vm.Op{Code: vm.Scale, A: em.register(a), B: b.at})
		}
		return em.share(vm.Op{Code: vm.Mul, A: em.register(a), B: em.register(b)})
	case ir.Div:
		switch {
		case b.kind != refLane:
			return em.share(vm.Op{Code: vm.DivS, A: em.register(a), B: b.offset()})
		case a.kind != refLane:
			return em.share(vm.Op{Code: vm.RDivS, A: em.register(b), B: a.offset()})
		}
	case ir.Greater:
		if a.kind != refLane {
			return em.ofDraws(vm.Op{Code: vm.Less, A: em.register(b), B: a.offset()})
		}
	case ir.SigmoidShift:
		if a.kind == refUniform {
			return em.ofDraws(vm.Op{Code: vm.SigmoidShift, A: em.register(b),
				B: em.c.shiftFactors(a.at)})
		}
	}
	x, y := em.register(a), em.register(b)
	if code, ok := pairCodes[v.Op.Form]; ok {
		return em.share(vm.Op{Code: code, A: x, B: y})
	}
	dst := em.virtual()
	em.emit(vm.Op{Code: vm.Binary, Dst: dst, A: x, B: em.pool(y, em.binaryIndex(v))})
	return dst
}

// pairCodes are the operations on two registers of functions in these forms.
var pairCodes = map[ir.Form]vm.Code{
	ir.Div: vm.Div, ir.Maximum: vm.Maximum, ir.Minimum: vm.Minimum, ir.Larger: vm.Larger,
	ir.Smaller: vm.Smaller,
	ir.Greater: vm.Greater, ir.AtLeast: vm.AtLeast, ir.Equal: vm.Equal,
}

func (em *emitter) add(a, b ref) int32 {
	if a.kind != refLane {
		a, b = b, a
	}
	switch b.kind {
	case refZero:
		return em.register(a)
	case refUniform:
		if sum, e, ok := em.summed(a); ok {
			return em.products(sum, em.c.terms(sum, e), b.at)
		}
		return em.share(vm.Op{Code: vm.AddS, A: em.register(a), B: b.at})
	}
	x, f, ok := em.scaled(a)
	y, g, okToo := em.scaled(b)
	switch {
	case a == b:
	case ok && okToo:
		return em.dot(em.lane(x.at), f, em.lane(y.at), g)
	case ok:
		return em.dot(em.lane(x.at), f, em.lane(b.at), dense.OneOffset)
	case okToo:
		return em.dot(em.lane(a.at), dense.OneOffset, em.lane(y.at), g)
	}
	return em.share(vm.Op{Code: vm.Add, A: em.lane(a.at), B: em.lane(b.at)})
}

func (em *emitter) sub(a, b ref) int32 {
	switch {
	case b.kind == refZero:
		return em.register(a)
	case b.kind == refUniform:
		return em.share(vm.Op{Code: vm.SubS, A: em.register(a), B: b.at})
	case a.kind == refLane:
		return em.share(vm.Op{Code: vm.Sub, A: em.lane(a.at), B: em.lane(b.at)})
	case a.kind == refZero:
		if x, f, ok := em.scaled(b); ok {
			return em.share(vm.Op{Code: vm.NegScale, A: em.lane(x.at), B: f})
		}
		return em.share(vm.Op{Code: vm.Neg, A: em.lane(b.at)})
	}
	return em.share(vm.Op{Code: vm.RSubS, A: em.lane(b.at), B: a.at})
}

// draw emits the draws of v up to element e, which come in order, each but that one
// with what reads it.
func (em *emitter) draw(v *ir.Value, stream int32, e int) int32 {
	for {
		k := em.c.element(v, em.c.drawn[v])
		r := em.virtual()
		em.emit(vm.Op{Code: vm.Draw, Dst: r, A: stream})
		em.setRegister(k, r)
		em.c.drawn[v]++
		if k == em.c.element(v, e) {
			return r
		}
		if result, ok := em.c.reader[k]; ok {
			em.lane(result)
		}
	}
}
