package autograd

import (
	"slices"

	"tobac/autograd/internal/lane/vm"
)

// A sink is an element of a reduction over the lanes.
type sink struct {
	v   *value
	e   int
	ref operandRef
}

// An emitter compiles the operations of one group. Registers are virtual until
// finish assigns physical ones.
type emitter struct {
	c     *laneCompiler
	mask  elementKey
	sinks []sink
	pins  []elementKey
	drawn []elementKey // elements computed from draws
	uses  map[elementKey]int
	reg   map[elementKey]int32
	equal map[vm.Op]int32
	code  []vm.Op
	args  []int32
	next  int32

	panels   []panelUse
	unaries  []*unaryKernel
	binaries []*binaryKernel
}

// Virtual registers from here on are the kept ones, by their index.
const keptBase = int32(1) << 28

func newEmitter(c *laneCompiler, mask elementKey) *emitter {
	return &emitter{c: c, mask: mask, uses: map[elementKey]int{}, reg: map[elementKey]int32{}, equal: map[vm.Op]int32{}}
}

// pin keeps an element in a register of its own for later levels and outputs.
func (em *emitter) pin(k elementKey) {
	if _, ok := em.c.lp.keep[k]; ok || slices.Contains(em.pins, k) {
		return
	}
	em.pins = append(em.pins, k)
}

// children lists the lane elements that k is computed from.
func (em *emitter) children(k elementKey) []elementKey {
	v := em.c.value(k)
	if _, kept := em.c.lp.keep[k]; kept || v.n.op == nil {
		return nil
	}
	var out []elementKey
	add := func(rs ...operandRef) {
		for _, r := range rs {
			if r.kind == refLane {
				out = append(out, r.key)
			}
		}
	}
	switch v.n.op.kernel {
	case kernelSum, kernelMatMul:
		for _, pair := range v.products(int(k.e), em.c.sourcesOf(v)) {
			add(pair[0], pair[1])
		}
	case kernelOver: // expand_over
		add(v.args[0].ref(int(k.e)))
	default:
		add(v.refs(int(k.e))...)
	}
	return out
}

// count counts how often each element below k is read.
func (em *emitter) count(k elementKey) {
	em.uses[k]++
	if em.uses[k] > 1 {
		return
	}
	for _, child := range em.children(k) {
		em.count(child)
	}
}

// finish emits everything and assigns registers.
func (em *emitter) finish() (laneGroup, int) {
	for _, k := range em.pins {
		em.count(k)
		em.uses[k]++ // never fused away
	}
	for _, s := range em.sinks {
		if s.ref.kind == refLane {
			em.count(s.ref.key)
		}
	}
	for _, k := range em.drawn {
		em.count(k)
	}
	for _, k := range em.pins {
		r := em.lane(k)
		kept := int32(em.c.lp.stored)
		em.c.lp.stored++
		em.emit(vm.Op{Code: vm.Copy, Dst: keptBase + kept, A: r})
		em.c.lp.keep[k] = kept
		em.reg[k] = keptBase + kept
	}
	for _, s := range em.sinks {
		em.sink(s)
	}
	for _, k := range em.drawn { // those that only later levels read
		em.lane(k)
	}
	em.emit(vm.Op{Code: vm.End})
	g := laneGroup{Group: vm.Group{Code: em.code, Args: em.args}}
	for _, k := range em.unaries {
		g.Unary = append(g.Unary, k.vec)
	}
	for _, k := range em.binaries {
		g.Binary = append(g.Binary, k.vv)
	}
	for _, u := range em.panels {
		u.args = g.Args
		em.c.panelUses = append(em.c.panelUses, u)
	}
	if em.mask != none {
		x, _ := em.c.maskSource(em.mask)
		g.mask = &laneMask{x}
	}
	return g, em.assign(&g)
}

func (em *emitter) emit(op vm.Op) { em.code = append(em.code, op) }

func (em *emitter) virtual() int32 {
	em.next++
	return em.next - 1
}

// share emits op unless an equal one was, and returns its register.
func (em *emitter) share(op vm.Op) int32 {
	if r, ok := em.equal[op]; ok && em.c.p.runs(CommonSubexpressions) {
		return r
	}
	r := em.virtual()
	em.equal[op] = r
	op.Dst = r
	em.emit(op)
	return r
}

func (em *emitter) sink(s sink) {
	off := int32(s.v.offset(s.e))
	if s.ref.kind != refLane { // the same number in every lane
		op := vm.Op{Code: vm.SumConst, Dst: off, A: uniformOffset(s.ref)}
		if s.v.n.op.over == overLogSumExp {
			op.Code = vm.ShiftConst
		}
		em.emit(op)
		return
	}
	if s.v.n.op.over == overLogSumExp {
		em.emit(vm.Op{Code: vm.LogSumExp, Dst: off, A: em.lane(s.ref.key)})
		return
	}
	// Fuse the last product into the sum over the lanes.
	if v := em.c.value(s.ref.key); em.uses[s.ref.key] == 1 && v.n.op != nil && v.n.op.name == "mul" && em.c.p.runs(Fusion) {
		if r := v.refs(int(s.ref.key.e)); r[0].kind == refLane && r[1].kind == refLane {
			a, b := em.lane(r[0].key), em.lane(r[1].key)
			em.emit(vm.Op{Code: vm.SumProduct, Dst: off, A: a, B: b})
			return
		}
	}
	em.emit(vm.Op{Code: vm.Sum, Dst: off, A: em.lane(s.ref.key)})
}

// lane emits the operations that compute an element and returns its register.
func (em *emitter) lane(k elementKey) int32 {
	if r, ok := em.reg[k]; ok {
		return r
	}
	r := em.compute(k)
	if em.c.store[k] && !em.kept(k) {
		r = em.keep(k, r)
	}
	em.reg[k] = r
	return r
}

func (em *emitter) compute(k elementKey) int32 {
	if kept, ok := em.c.lp.keep[k]; ok {
		if em.mask == none {
			return keptBase + kept
		}
		return em.share(vm.Op{Code: vm.Gather, A: kept})
	}
	v := em.c.value(k)
	if stream, ok := em.c.stream[v]; ok {
		return em.draw(v, stream, int(k.e))
	}
	if em.tile(k) || em.block(k) {
		return em.reg[k]
	}
	e := int(k.e)
	switch v.n.op.kernel {
	case kernelSum, kernelMatMul:
		return em.products(v, v.products(e, em.c.sourcesOf(v)), zeroOffset)
	case kernelOver:
		return em.share(vm.Op{Code: vm.Fill, A: uniformOffset(v.args[0].ref(e))})
	case kernelUnary:
		return em.unary(v, v.refs(e)[0])
	case kernelWhere:
		r := v.refs(e)
		c, x, y := em.register(r[0]), em.register(r[1]), em.register(r[2])
		dst := em.virtual()
		em.emit(vm.Op{Code: vm.Where, Dst: dst, A: c, B: em.pool(x, y)})
		return dst
	}
	return em.binary(v, v.refs(e))
}

func uniformOffset(r operandRef) int32 {
	if r.kind == refZero {
		return zeroOffset
	}
	return r.off
}

// register is a lane register that holds the operand, whatever its kind.
func (em *emitter) register(r operandRef) int32 {
	if r.kind == refLane {
		return em.lane(r.key)
	}
	return em.share(vm.Op{Code: vm.Fill, A: uniformOffset(r)})
}

// scaled recognises an element that is read once and is lanes times a uniform
// factor.
func (em *emitter) scaled(r operandRef) (x operandRef, factor int32, ok bool) {
	if r.kind != refLane || em.uses[r.key] != 1 || !em.c.p.runs(Fusion) {
		return
	}
	if _, kept := em.c.lp.keep[r.key]; kept {
		return
	}
	v := em.c.value(r.key)
	if v.n.op == nil || v.n.op.name != "mul" {
		return
	}
	f := v.refs(int(r.key.e))
	switch {
	case f[0].kind == refLane && f[1].kind == refUniform:
		return f[0], f[1].off, true
	case f[1].kind == refLane && f[0].kind == refUniform:
		return f[1], f[0].off, true
	}
	return
}

func (em *emitter) unary(v *value, r operandRef) int32 {
	if v.n.op.name == "neg" {
		if x, f, ok := em.scaled(r); ok {
			return em.share(vm.Op{Code: vm.NegScale, A: em.lane(x.key), B: f})
		}
		return em.share(vm.Op{Code: vm.Neg, A: em.register(r)})
	}
	switch v.n.op.name {
	case "square":
		x := em.register(r)
		return em.share(vm.Op{Code: vm.Mul, A: x, B: x})
	case "exp":
		return em.share(vm.Op{Code: vm.Exp, A: em.register(r)})
	case "relu":
		return em.share(vm.Op{Code: vm.Relu, A: em.register(r)})
	case "positive":
		return em.share(vm.Op{Code: vm.Positive, A: em.register(r)})
	}
	return em.share(vm.Op{Code: vm.Unary, A: em.register(r), B: em.unaryIndex(v)})
}

func (em *emitter) binary(v *value, r []operandRef) int32 {
	a, b := r[0], r[1]
	switch v.n.op.name {
	case "add":
		if a.kind != refLane {
			a, b = b, a
		}
		switch b.kind {
		case refZero:
			return em.register(a)
		case refUniform:
			if sum, ok := em.summed(a); ok {
				return em.products(sum, sum.products(int(a.key.e), em.c.sourcesOf(sum)), b.off)
			}
			return em.share(vm.Op{Code: vm.AddS, A: em.register(a), B: b.off})
		}
		x, f, ok := em.scaled(a)
		y, g, okToo := em.scaled(b)
		switch {
		case a == b:
		case ok && okToo:
			return em.dot(em.lane(x.key), f, em.lane(y.key), g)
		case ok:
			return em.dot(em.lane(x.key), f, em.lane(b.key), oneOffset)
		case okToo:
			return em.dot(em.lane(a.key), oneOffset, em.lane(y.key), g)
		}
		return em.share(vm.Op{Code: vm.Add, A: em.lane(a.key), B: em.lane(b.key)})
	case "sub":
		switch {
		case b.kind == refZero:
			return em.register(a)
		case b.kind == refUniform:
			return em.share(vm.Op{Code: vm.SubS, A: em.register(a), B: b.off})
		case a.kind == refLane:
			return em.share(vm.Op{Code: vm.Sub, A: em.lane(a.key), B: em.lane(b.key)})
		case a.kind == refZero:
			if x, f, ok := em.scaled(b); ok {
				return em.share(vm.Op{Code: vm.NegScale, A: em.lane(x.key), B: f})
			}
			return em.share(vm.Op{Code: vm.Neg, A: em.lane(b.key)})
		}
		return em.share(vm.Op{Code: vm.RSubS, A: em.lane(b.key), B: a.off})
	case "mul":
		if a.kind != refLane {
			a, b = b, a
		}
		if b.kind == refUniform {
			if x, ok := em.negated(a); ok {
				return em.share(vm.Op{Code: vm.NegScale, A: em.lane(x.key), B: b.off})
			}
			return em.share(vm.Op{Code: vm.Scale, A: em.register(a), B: b.off})
		}
		return em.share(vm.Op{Code: vm.Mul, A: em.register(a), B: em.register(b)})
	case "greater":
		if a.kind != refLane {
			return em.ofDraws(vm.Op{Code: vm.Less, A: em.register(b), B: uniformOffset(a)})
		}
	case "sigmoid_shift":
		if a.kind == refUniform {
			return em.ofDraws(vm.Op{Code: vm.SigmoidShift, A: em.register(b), B: em.c.shiftFactors(a.off)})
		}
	}
	x, y := em.register(a), em.register(b)
	dst := em.virtual()
	em.emit(vm.Op{Code: vm.Binary, Dst: dst, A: x, B: em.pool(y, em.binaryIndex(v.n.op.binary))})
	return dst
}

// negated recognises an element that is read once and is the negative of another.
func (em *emitter) negated(r operandRef) (x operandRef, ok bool) {
	if !em.single(r) {
		return x, false
	}
	v := em.c.value(r.key)
	if v.n.op == nil || v.n.op.name != "neg" {
		return x, false
	}
	x = v.refs(int(r.key.e))[0]
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

// unaryIndex is the number of the kernel of v in the group.
func (em *emitter) unaryIndex(v *value) int32 {
	k := v.unaryKernel()
	if i := slices.Index(em.unaries, k); i >= 0 {
		return int32(i)
	}
	em.unaries = append(em.unaries, k)
	return int32(len(em.unaries) - 1)
}

func (em *emitter) binaryIndex(k *binaryKernel) int32 {
	if i := slices.Index(em.binaries, k); i >= 0 {
		return int32(i)
	}
	em.binaries = append(em.binaries, k)
	return int32(len(em.binaries) - 1)
}

// summed recognises an element that is read once and is a sum or an element of
// a matrix product with uniform numbers, to which one can be added as one more term.
func (em *emitter) summed(r operandRef) (*value, bool) {
	if !em.single(r) {
		return nil, false
	}
	v := em.c.value(r.key)
	return v, v.n.op != nil && (v.n.op.kernel == kernelMatMul && !v.ofLanes() || v.n.op.kernel == kernelSum)
}

// products emits a sum of products plus the uniform number at offset bias:
// first the lanes with uniform factors in one operation, then the others. Those
// of a matrix product, which are kept for other elements anyway, are one
// operation too; those of a sum follow one after the other, each as soon as it
// is computed.
func (em *emitter) products(v *value, pairs [][2]operandRef, bias int32) int32 {
	var linear []int32 // registers and factors
	var rest [][2]operandRef
	for _, pr := range pairs {
		switch {
		case pr[1].kind == refUniform:
			linear = append(linear, em.register(pr[0]), pr[1].off)
		case pr[1].kind == refLane:
			rest = append(rest, pr)
		case pr[0].kind == refUniform: // a plain summand that is no lane value
			linear = append(linear, em.register(pr[0]), oneOffset)
		default:
			if x, f, ok := em.scaled(pr[0]); ok {
				linear = append(linear, em.lane(x.key), f)
			} else if a, b, ok := em.factors(pr[0]); ok {
				rest = append(rest, [2]operandRef{a, b})
			} else {
				linear = append(linear, em.lane(pr[0].key), oneOffset)
			}
		}
	}
	if bias != zeroOffset {
		linear = append(linear, em.share(vm.Op{Code: vm.Fill, A: oneOffset}), bias)
	}
	dst := em.virtual()
	if len(linear) == 0 && len(rest) > 1 && v.n.op.kernel == kernelMatMul {
		var operands []int32
		for _, pr := range rest {
			operands = append(operands, em.register(pr[0]), em.register(pr[1]))
		}
		em.emit(vm.Op{Code: vm.DotPairs, Dst: dst, A: em.pool(operands...), B: int32(len(rest))})
		return dst
	}
	rest, started := em.squares(rest, dst)
	if n := len(linear) / 2; n > 0 {
		sum := dst
		if started {
			sum = em.virtual()
		}
		em.emit(vm.Op{Code: vm.Dot, Dst: sum, A: em.pool(linear...), B: int32(n)})
		if started {
			em.emit(vm.Op{Code: vm.Add, Dst: dst, A: dst, B: sum})
		}
		started = true
	}
	for _, pr := range rest {
		op := vm.Op{Code: vm.Mul, Dst: dst, A: em.register(pr[0]), B: em.register(pr[1])}
		if started {
			op.Code = vm.MulAdd
		}
		started = true
		em.emit(op)
	}
	if !started {
		em.emit(vm.Op{Code: vm.Fill, Dst: dst, A: zeroOffset})
	}
	return dst
}

// factors recognises an element that is read once and is a product or a square
// of lane values.
func (em *emitter) factors(r operandRef) (a, b operandRef, ok bool) {
	if em.uses[r.key] != 1 || !em.c.p.runs(Fusion) {
		return
	}
	if _, kept := em.c.lp.keep[r.key]; kept {
		return
	}
	v := em.c.value(r.key)
	if v.n.op == nil || v.n.op.name != "square" && v.n.op.name != "mul" {
		return
	}
	f := v.refs(int(r.key.e))
	switch {
	case v.n.op.name == "square" && f[0].kind == refLane:
		return f[0], f[0], true
	case v.n.op.name == "mul" && f[0].kind == refLane && f[1].kind == refLane:
		return f[0], f[1], true
	}
	return
}

// assign replaces virtual registers by physical ones, reusing a register after
// its last use, the most recently freed first. It returns their number.
func (em *emitter) assign(g *laneGroup) int {
	kept := int32(em.c.lp.stored)
	if em.mask != none {
		kept = 0
	}
	last := make([]int32, em.next)
	for i := range g.Code {
		g.Code[i].Registers(g.Args, func(r *int32) {
			if *r < keptBase {
				last[*r] = int32(i)
			}
		})
	}
	phys := make([]int32, em.next)
	for i := range phys {
		phys[i] = -1
	}
	var free []int32
	count := kept
	for i := range g.Code {
		op := &g.Code[i]
		// Operands freed here are reused from the next operation on, because
		// some operations write the result before they have read everything.
		var freed []int32
		op.Registers(g.Args, func(r *int32) {
			v := *r
			if v >= keptBase {
				*r = v - keptBase
				return
			}
			if phys[v] < 0 {
				if n := len(free); n > 0 {
					phys[v] = free[n-1]
					free = free[:n-1]
				} else {
					phys[v] = count
					count++
				}
			}
			*r = phys[v]
			if last[v] == int32(i) && em.c.p.runs(MemoryReuse) {
				last[v] = -1
				freed = append(freed, phys[v])
			}
		})
		free = append(free, freed...)
	}
	return int(count)
}
