package lane

import (
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

// A softmaxGroup is one of those that a softmax normalises over.
type softmaxGroup struct {
	v     *ir.Value
	group int
}

// A linearTerm is a product of what is in a register with the uniform number at
// an offset.
type linearTerm struct {
	x      ref
	factor int32
}

func newEmitter(c *compiler, weight int32) *emitter {
	return &emitter{c: c, weight: weight, equal: map[vm.Op]int32{}, unaryAt: map[string]int32{},
		binaryAt: map[string]int32{}, groups: map[softmaxGroup][2]int32{},
		logSums: map[string]int32{}, at: none}
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
	case ir.Sum, ir.MatMul: // without terms that are zero
		c.eachTerm(v, e, func(t term) bool {
			visit(t[0])
			visit(t[1])
			return true
		})
	default:
		v.Reads(e, func(arg, at int) { visit(c.ref(v.Args[arg], at)) })
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

// keep turns the register that the last operation has written into a kept one.
func (em *emitter) keep(k, r int32) int32 {
	register := em.newKept()
	em.c.keep[k] = register
	if last := &em.code[len(em.code)-1]; last.Dst == r {
		last.Dst = keptBase + register
	} else {
		em.emit(vm.Op{Code: vm.Copy, Dst: keptBase + register, A: r})
	}
	return keptBase + register
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

// single reports whether r is an element that is read once and may be fused
// with its reader.
func (em *emitter) single(r ref) bool {
	if r.kind != refLane || !em.fuses() || em.kept(r.at) || em.uses(r.at) != 1 {
		return false
	}
	return em.c.reg[r.at] < 0
}

// onceRead reports whether r is an element that is read once, though it may have been
// computed already.
func (em *emitter) onceRead(r ref) bool {
	return r.kind == refLane && em.fuses() && !em.kept(r.at) && em.uses(r.at) == 1
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
	return numbered(v, em.unaryAt, &em.unaries,
		func() func(dst, x []float64) { return v.Unary().Vec })
}

func (em *emitter) binaryIndex(v *ir.Value) int32 {
	return numbered(v, em.binaryAt, &em.binaries,
		func() func(dst, a, b []float64) { return v.Binary().VV })
}

// numbered is the place of the function of v in a list, to which it is added the first time.
func numbered[F any](v *ir.Value, at map[string]int32, list *[]F, of func() F) int32 {
	key := v.Op.Key(v.Attr)
	i, ok := at[key]
	if !ok {
		i = int32(len(*list))
		*list = append(*list, of())
		at[key] = i
	}
	return i
}
