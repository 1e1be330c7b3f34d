package lane

import (
	"fmt"
	"slices"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/lane/vm"
	"tobac/autograd/internal/passes"
)

// An emitter compiles the operations of one group. Registers are virtual until
// finish assigns physical ones.
type emitter struct {
	c       *compiler
	weight  int32 // that lanes are selected by, or none
	roots   []root
	liveOut []int32 // elements to keep
	copies  []kept  // elements to keep in registers that the emitter chooses
	drawn   []int32 // elements computed from draws
	number  int32   // of the emitter, in the compiler's stamps
	equal   map[vm.Op]int32
	code    []vm.Op
	of      []int32
	at      int32 // element that is being computed
	args    []int32
	next    int32

	panels   []panelUse
	unaries  []func(dst, x []float64)
	binaries []func(dst, a, b []float64)
	unaryAt  map[string]int32
	binaryAt map[string]int32
	groups   map[softmaxGroup][2]int32 // registers of the largest and of the sum
	logSums  map[string]int32          // registers of log-sum-exps, by those of their operands
	slab     []linearTerm              // of the linear forms that are being looked at
}

// kept is an element and the register that keeps it.
type kept struct{ element, register int32 }

// Virtual registers from here on are the kept ones, by their index.
const keptBase = int32(1) << 28

func newEmitter(c *compiler, weight int32) *emitter {
	return &emitter{c: c, weight: weight, equal: map[vm.Op]int32{}, unaryAt: map[string]int32{}, binaryAt: map[string]int32{}, groups: map[softmaxGroup][2]int32{}, logSums: map[string]int32{}, at: none}
}

// keepLive keeps an element in a register of its own for later stages and outputs.
func (em *emitter) keepLive(k int32) {
	if em.c.keep[k] < 0 {
		em.c.keep[k] = pending
		em.liveOut = append(em.liveOut, k)
	}
}

// pending is the register of an element that is live-out and not yet computed.
const pending = int32(-3)

// copy keeps an element in the given register.
func (em *emitter) copy(k, register int32) { em.copies = append(em.copies, kept{k, register}) }

// fuses reports whether operations may be joined.
func (em *emitter) fuses() bool { return em.c.plan.Has(passes.Fusion) }

// touch makes what is known of an element that of this emitter.
func (em *emitter) touch(k int32) {
	if em.c.stamp[k] != em.number {
		em.c.stamp[k], em.c.uses[k], em.c.reg[k] = em.number, 0, none
	}
}

// uses is the number of readers of an element in the group.
func (em *emitter) uses(k int32) int32 {
	em.touch(k)
	return em.c.uses[k]
}

// done reports whether the element has been computed, and the register it is in.
func (em *emitter) done(k int32) (int32, bool) {
	em.touch(k)
	return em.c.reg[k], em.c.reg[k] >= 0
}

func (em *emitter) setRegister(k, r int32) {
	em.touch(k)
	em.c.reg[k] = r
}

// kept reports whether the element is in a register of its own for the whole
// run.
func (em *emitter) kept(k int32) bool { return em.c.keep[k] >= 0 }

// children calls f for the elements that k is computed from.
func (em *emitter) children(k int32, f func(int32)) {
	c := em.c
	v, e := c.of(k)
	if em.kept(k) || v.Op == nil {
		return
	}
	visit := func(r ref) {
		if r.kind == refLane {
			f(r.at)
		}
	}
	switch v.Op.Class {
	case ir.Sum, ir.MatMul:
		c.eachTerm(v, e, func(t term) bool {
			visit(t[0])
			visit(t[1])
			return true
		})
	case ir.LogSumExp, ir.Fold:
		for _, s := range c.sourcesOf(v)[e] {
			visit(c.ref(v.Args[0], s))
		}
	case ir.Softmax:
		for _, s := range c.sourcesOf(v)[c.groupOf(v, e)] {
			visit(c.ref(v.Args[0], s))
		}
	case ir.Crossing:
		visit(c.ref(v.Args[0], e))
	default:
		for i := range v.Args {
			visit(c.operand(v, i, e))
		}
	}
}

// count counts how often each element below k is read.
func (em *emitter) count(k int32) {
	em.touch(k)
	em.c.uses[k]++
	if em.c.uses[k] == 1 {
		em.children(k, em.count)
	}
}

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
	g := Group{Group: vm.Group{Code: em.code, Args: em.args, Unary: em.unaries, Binary: em.binaries}, Of: em.of}
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

// newKept reserves a register that keeps an element.
func (em *emitter) newKept() int32 {
	em.c.prog.Kept++
	return int32(em.c.prog.Kept - 1)
}

// keepAt copies an element that has been computed to the register that keeps it.
func (em *emitter) keepAt(k, r, register int32) {
	em.emit(vm.Op{Code: vm.Copy, Dst: keptBase + register, A: r})
	em.c.keep[k] = register
	em.setRegister(k, keptBase+register)
}

func (em *emitter) emit(op vm.Op) {
	em.code = append(em.code, op)
	em.of = append(em.of, em.at)
}

func (em *emitter) virtual() int32 {
	em.next++
	return em.next - 1
}

// share emits op unless an equal one was, and returns its register.
func (em *emitter) share(op vm.Op) int32 {
	if r, ok := em.equal[op]; ok && em.c.plan.Has(passes.CommonSubexpressions) {
		return r
	}
	r := em.virtual()
	em.equal[op] = r
	op.Dst = r
	em.emit(op)
	return r
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
		return em.fold(v, c.sourcesOf(v)[e])
	case ir.Softmax:
		return em.softmaxOf(v, e)
	case ir.Crossing:
		if v.Op.Over == ir.OverSoftmax {
			return em.softmax(c.ref(v.Args[0], e))
		}
		return em.register(c.ref(v.Args[0], e))
	case ir.Elementwise1:
		return em.unary(v, c.operand(v, 0, e))
	case ir.Select:
		a, x, y := em.register(c.operand(v, 0, e)), em.register(c.operand(v, 1, e)), em.register(c.operand(v, 2, e))
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
	return em.share(vm.Op{Code: vm.Exp, A: em.share(vm.Op{Code: vm.SubS, A: shifted, B: parts + 1})})
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
	operands := em.registers(v, em.c.sourcesOf(v)[e])
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
	group := em.c.groupOf(v, e)
	key := softmaxGroup{v, group}
	parts, ok := em.groups[key]
	power := func(r int32) int32 {
		return em.share(vm.Op{Code: vm.Exp, A: em.share(vm.Op{Code: vm.Sub, A: r, B: parts[0]})})
	}
	if !ok {
		operands := em.registers(v, em.c.sourcesOf(v)[group])
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

// A softmaxGroup is one of those that a softmax normalises over.
type softmaxGroup struct {
	v     *ir.Value
	group int
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

// single reports whether r is an element that is read once and may be fused
// with its reader.
func (em *emitter) single(r ref) bool {
	if r.kind != refLane || !em.fuses() || em.kept(r.at) || em.uses(r.at) != 1 {
		return false
	}
	return em.c.reg[r.at] < 0
}

// scaled recognises an element that is read once and is lanes times a uniform
// factor.
func (em *emitter) scaled(r ref) (x ref, factor int32, ok bool) {
	if !em.onceRead(r) {
		return
	}
	v, e := em.c.of(r.at)
	if !v.Is(ir.Mul) {
		return
	}
	a, b := em.c.both(v, e)
	switch {
	case a.kind == refLane && b.kind == refUniform:
		return a, b.at, true
	case b.kind == refLane && a.kind == refUniform:
		return b, a.at, true
	}
	return
}

// onceRead reports whether r is an element that is read once, though it may have been
// computed already.
func (em *emitter) onceRead(r ref) bool {
	return r.kind == refLane && em.fuses() && !em.kept(r.at) && em.uses(r.at) == 1
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
	case ir.Exp:
		return em.share(vm.Op{Code: vm.Exp, A: em.register(r)})
	case ir.Relu:
		return em.share(vm.Op{Code: vm.Relu, A: em.register(r)})
	case ir.Positive:
		return em.share(vm.Op{Code: vm.Positive, A: em.register(r)})
	case ir.Sqrt:
		return em.share(vm.Op{Code: vm.Sqrt, A: em.register(r)})
	case ir.Abs:
		return em.share(vm.Op{Code: vm.Abs, A: em.register(r)})
	case ir.Inverse:
		return em.share(vm.Op{Code: vm.RDivS, A: em.register(r), B: dense.OneOffset})
	}
	return em.share(vm.Op{Code: vm.Unary, A: em.register(r), B: em.unaryIndex(v)})
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
			if x, ok := em.negated(a); ok {
				return em.share(vm.Op{Code: vm.NegScale, A: em.lane(x.at), B: b.at})
			}
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
			return em.ofDraws(vm.Op{Code: vm.SigmoidShift, A: em.register(b), B: em.c.shiftFactors(a.at)})
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
	ir.Div: vm.Div, ir.Maximum: vm.Maximum, ir.Minimum: vm.Minimum, ir.Larger: vm.Larger, ir.Smaller: vm.Smaller,
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

// negated recognises an element that is read once and is the negative of another.
func (em *emitter) negated(r ref) (x ref, ok bool) {
	if !em.single(r) {
		return x, false
	}
	v, e := em.c.of(r.at)
	if !v.Is(ir.Neg) {
		return x, false
	}
	x = em.c.operand(v, 0, e)
	return x, x.kind == refLane
}

// dot emits a sum of registers times uniform numbers.
func (em *emitter) dot(operands ...int32) int32 {
	dst := em.virtual()
	em.emit(vm.Op{Code: vm.Dot, Dst: dst, A: em.pool(operands...), B: int32(len(operands) / 2)})
	return dst
}

// pool puts operands into the pool of the group and returns where they start.
func (em *emitter) pool(operands ...int32) int32 {
	at := int32(len(em.args))
	em.args = append(em.args, operands...)
	return at
}

// unaryIndex is the number of the function of v in the group.
func (em *emitter) unaryIndex(v *ir.Value) int32 {
	key := v.Op.Key(v.Attr)
	i, ok := em.unaryAt[key]
	if !ok {
		i = int32(len(em.unaries))
		em.unaries = append(em.unaries, v.Unary().Vec)
		em.unaryAt[key] = i
	}
	return i
}

func (em *emitter) binaryIndex(v *ir.Value) int32 {
	key := v.Op.Key(v.Attr)
	i, ok := em.binaryAt[key]
	if !ok {
		i = int32(len(em.binaries))
		em.binaries = append(em.binaries, v.Binary().VV)
		em.binaryAt[key] = i
	}
	return i
}
