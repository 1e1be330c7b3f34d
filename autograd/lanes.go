package autograd

import (
	"math"
	"slices"
)

// The lane program is the compiled form of the part of a graph that differs
// between lanes. Every element of every such value is a register of one float64
// per lane, and the program a list of operations on registers, scheduled depth
// first so that a register is used while it is in the first cache.
//
// The program runs in levels. Level k first computes the uniform values of that
// level, then the lane values that the reductions over the lanes of that level
// read. A lane value of an earlier level is computed again rather than kept,
// unless it is the operand of a log-sum-exp, because of sparsity: a gradient
// enters the lanes through the softmax weights exp(x − logsumexp x) of the
// samples. A lane whose weight is below 2⁻⁵³ of the largest adds nothing in
// float64 to a sum of terms proportional to the weight, so such sums run on the
// other lanes only, packed together.
type laneProgram struct {
	width  int // lanes, rounded up to whole vectors
	inputs []laneInput
	stored int // registers that keep a value for later levels or for output
	levels []laneLevel
	full   int // registers of the widest level on all lanes
	packed int // registers of the widest group on packed lanes
	keep   map[elementKey]int32
}

// laneInput is a varying input: its elements are registers first and following.
type laneInput struct {
	v     *value
	index int // in spec.inputs
	first int
}

type laneLevel struct {
	uniform []step
	groups  []laneGroup
}

// A laneGroup is a list of operations on one set of lanes.
type laneGroup struct {
	mask  *laneMask // nil: all lanes
	code  []laneOp
	terms []laneTerm
}

// A laneMask selects the lanes whose weight exp(x − max x) is not negligible.
type laneMask struct{ x int32 } // register of x

// elementKey names one element of one varying value.
type elementKey struct{ v, e int32 }

// vectorLen is the number of lanes that registers are rounded up to.
const vectorLen = 8

// laneLimit and termLimit are the numbers of varying elements, and of terms of
// their sums, up to which they are scheduled one by one.
const (
	laneLimit = 300_000
	termLimit = 8_000_000
)

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// negligible is ln 2⁻⁵³: terms this far below the largest do not change a sum.
var negligible = -53 * math.Ln2

// compileLanes builds the lane program of a laneable graph.
func (p *Program) compileLanes() *laneProgram {
	lp := &laneProgram{width: roundUp(p.lanes, vectorLen), keep: map[elementKey]int32{}}
	level := p.levels()
	for i, n := range p.inputs {
		if v := p.byNode[n]; v != nil && v.varying {
			lp.inputs = append(lp.inputs, laneInput{v, i, lp.stored})
			for e := range v.live {
				lp.keep[elementKey{int32(v.id), int32(e)}] = int32(lp.stored)
				lp.stored++
			}
		}
	}
	top := 0
	for _, l := range level {
		top = max(top, l)
	}
	c := &laneCompiler{p: p, lp: lp, level: level, masks: p.findMasks()}
	for k := 0; k <= top; k++ {
		c.addLevel(k)
	}
	return lp
}

// laneable reports whether there is one lane axis, every varying value has an
// operation for one element, and there are not too many of them. Other graphs
// run value by value.
func (p *Program) laneable() bool {
	if len(p.laneAxes) != 1 {
		return false
	}
	count, terms := 0, 0
	for _, v := range p.values {
		over := v.n.op != nil && v.n.op.over != within
		if over && (v.n.op.over == overStack || v.n.op.over == overUnstack) {
			return false
		}
		if !v.varying || v.isView() || v.n.op == nil {
			continue
		}
		switch v.n.op.kernel {
		case kernelGeneric, kernelLogSumExp:
			return false
		}
		own := 0
		for _, live := range v.live {
			if live {
				own++
			}
		}
		count += own
		switch v.n.op.kernel {
		case kernelMatMul:
			terms += own * v.args[0].n.shape[1]
		case kernelSum:
			terms += len(v.args[0].live)
		}
	}
	return count > 0 && count <= laneLimit && terms <= termLimit
}

// levels counts, for every value, the reductions over the lanes below it.
func (p *Program) levels() []int {
	level := make([]int, len(p.values))
	for i, v := range p.values {
		for _, a := range v.args {
			level[i] = max(level[i], level[a.id])
		}
		if v.reducesLanes() {
			level[i]++
		}
	}
	return level
}

// reducesLanes reports whether v is a reduction of a varying value over the
// lanes.
func (v *value) reducesLanes() bool {
	return v.n.op != nil && (v.n.op.over == overSum || v.n.op.over == overLogSumExp) && v.args[0].varying && !v.varying
}

// findMasks finds the softmax weights: values exp(x − logsumexp_over(x)). The
// result maps them to x.
func (p *Program) findMasks() map[*value]*value {
	masks := map[*value]*value{}
	if !p.runs(SparseCotangents) {
		return masks
	}
	for _, v := range p.values {
		if !v.varying || v.n.op == nil || v.n.op.name != "exp" {
			continue
		}
		d := v.args[0]
		if d.n.op == nil || d.n.op.name != "sub" {
			continue
		}
		x, l := d.args[0], d.args[1]
		if l.n.op != nil && l.n.op.over == overLogSumExp && l.args[0] == x && l.reducesLanes() {
			masks[v] = x
		}
	}
	return masks
}

// An operandRef is what an element reads: nothing (a zero), a number of the
// uniform arena, or an element of a varying value.
type operandRef struct {
	kind refKind
	off  int32      // refUniform
	key  elementKey // refLane
}

type refKind uint8

const (
	refZero refKind = iota
	refUniform
	refLane
)

// ref resolves element e of v through views.
func (v *value) ref(e int) operandRef {
	for v.isView() {
		e = v.index[e]
		if e < 0 {
			return operandRef{}
		}
		v = v.args[0]
	}
	switch {
	case !v.support[e]:
		return operandRef{}
	case v.varying:
		return operandRef{kind: refLane, key: elementKey{int32(v.id), int32(e)}}
	default:
		return operandRef{kind: refUniform, off: int32(v.offset(e))}
	}
}

// refs lists the operands of element e of an element-wise value.
func (v *value) refs(e int) []operandRef {
	out := make([]operandRef, len(v.args))
	for i, a := range v.args {
		out[i] = a.ref(v.at(i, e))
	}
	return out
}

// products lists the factor pairs of an element of a sum or matrix product; a
// sum's second factor is refZero, which stands for 1.
func (v *value) products(e int, sources [][]int) (pairs [][2]operandRef) {
	a := v.args[0]
	if v.n.op.kernel != kernelMatMul {
		for _, s := range sources[e] {
			if r := a.ref(s); r.kind != refZero {
				pairs = append(pairs, [2]operandRef{r})
			}
		}
		return pairs
	}
	b := v.args[1]
	k, n := a.n.shape[1], v.n.shape[1]
	for l := range k {
		x, y := a.ref(e/n*k+l), b.ref(l*n+e%n)
		if x.kind == refZero || y.kind == refZero {
			continue
		}
		if x.kind == refUniform { // the varying factor first
			x, y = y, x
		}
		pairs = append(pairs, [2]operandRef{x, y})
	}
	return pairs
}

// laneCompiler builds the levels of a lane program.
type laneCompiler struct {
	p       *Program
	lp      *laneProgram
	level   []int
	masks   map[*value]*value
	zero    map[elementKey]elementKey // mask that an element is proportional to
	sources map[*value][][]int
}

// none is the mask of an element that is proportional to no weight.
var none = elementKey{-1, -1}

func (c *laneCompiler) value(k elementKey) *value { return c.p.values[k.v] }

func (c *laneCompiler) sourcesOf(v *value) [][]int {
	if v.n.op.kernel != kernelSum {
		return nil
	}
	if c.sources == nil {
		c.sources = map[*value][][]int{}
	}
	s, ok := c.sources[v]
	if !ok {
		s = v.n.op.sources(v.n.attr, v.n.shape, v.args[0].n.shape)
		c.sources[v] = s
	}
	return s
}

// proportional is the softmax weight that the element is a multiple of, or
// none.
func (c *laneCompiler) proportional(k elementKey) elementKey {
	if m, ok := c.zero[k]; ok {
		return m
	}
	if c.zero == nil {
		c.zero = map[elementKey]elementKey{}
	}
	m := c.findProportional(k)
	c.zero[k] = m
	return m
}

func (c *laneCompiler) findProportional(k elementKey) elementKey {
	v := c.value(k)
	if _, ok := c.masks[v]; ok {
		return k
	}
	if v.n.op == nil {
		return none
	}
	of := func(r operandRef) elementKey {
		if r.kind == refLane {
			return c.proportional(r.key)
		}
		return none
	}
	switch v.n.op.kernel {
	case kernelUnary:
		if v.n.op.name == "neg" {
			return of(v.refs(int(k.e))[0])
		}
	case kernelBinary:
		r := v.refs(int(k.e))
		a, b := of(r[0]), of(r[1])
		switch v.n.op.name {
		case "mul":
			if a != none {
				return a
			}
			return b
		case "div":
			return a
		case "add", "sub":
			switch {
			case a == b, r[1].kind == refZero:
				return a
			case r[0].kind == refZero:
				return b
			}
		}
	case kernelWhere:
		r := v.refs(int(k.e))
		a, b := of(r[1]), of(r[2])
		switch {
		case a == b, r[2].kind == refZero:
			return a
		case r[1].kind == refZero:
			return b
		}
	case kernelSum, kernelMatMul:
		common := none
		for i, pair := range v.products(int(k.e), c.sourcesOf(v)) {
			m := of(pair[0])
			if m == none {
				m = of(pair[1])
			}
			if i > 0 && m != common || m == none {
				return none
			}
			common = m
		}
		return common
	}
	return none
}

// addLevel compiles the uniform values of level k and the lane values below the
// reductions of level k+1 and below the outputs.
func (c *laneCompiler) addLevel(k int) {
	var lv laneLevel
	for i, v := range c.p.values {
		if c.level[i] != k || v.varying || v.n.op == nil || v.isView() || v.known != nil || v.store == nil || v.reducesLanes() {
			continue
		}
		lv.uniform = append(lv.uniform, step{v, c.p.lower(v)})
	}
	// Sinks on all lanes, and by the weight they are proportional to.
	all := newEmitter(c, none)
	packed := map[elementKey]*emitter{}
	var order []elementKey
	for i, v := range c.p.values {
		if !v.reducesLanes() || c.level[i] != k+1 {
			continue
		}
		for e, live := range v.live {
			if !live {
				continue
			}
			r := v.args[0].ref(e)
			if r.kind != refLane {
				all.sinks = append(all.sinks, sink{v: v, e: e, ref: r})
				continue
			}
			em := all
			if m := c.proportional(r.key); m != none && v.n.op.over == overSum && c.stores(m) {
				if packed[m] == nil {
					packed[m] = newEmitter(c, m)
					order = append(order, m)
				}
				em = packed[m]
			}
			em.sinks = append(em.sinks, sink{v: v, e: e, ref: r})
			if v.n.op.over == overLogSumExp {
				all.pin(r.key)
			}
		}
	}
	for _, n := range c.p.outputs {
		if v := c.p.byNode[n]; v.varying && c.level[v.id] == k {
			for e := range v.live {
				if r := v.ref(e); r.kind == refLane {
					all.pin(r.key)
				}
			}
		}
	}
	if len(all.sinks)+len(all.pins) > 0 {
		g, regs := all.finish()
		lv.groups = append(lv.groups, g)
		c.lp.full = max(c.lp.full, regs)
	}
	for _, m := range order {
		g, regs := packed[m].finish()
		lv.groups = append(lv.groups, g)
		c.lp.packed = max(c.lp.packed, regs)
	}
	c.lp.levels = append(c.lp.levels, lv)
}

// stores reports whether the exponent's operand of the mask element m is kept,
// so that its lanes can be selected.
func (c *laneCompiler) stores(m elementKey) bool {
	_, ok := c.maskSource(m)
	return ok
}

// maskSource is the register of x of the mask element exp(x − logsumexp x).
func (c *laneCompiler) maskSource(m elementKey) (int32, bool) {
	r := c.masks[c.value(m)].ref(int(m.e))
	if r.kind != refLane {
		return 0, false
	}
	reg, ok := c.lp.keep[r.key]
	return reg, ok
}

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
	uses  map[elementKey]int
	reg   map[elementKey]int32
	equal map[laneOp]int32
	code  []laneOp
	terms []laneTerm
	next  int32
}

// Virtual registers from here on are the kept ones, by their index.
const keptBase = int32(1) << 28

func newEmitter(c *laneCompiler, mask elementKey) *emitter {
	return &emitter{c: c, mask: mask, uses: map[elementKey]int{}, reg: map[elementKey]int32{}, equal: map[laneOp]int32{}}
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
	for _, k := range em.pins {
		r := em.lane(k)
		kept := int32(em.c.lp.stored)
		em.c.lp.stored++
		em.emit(laneOp{code: laneCopy, dst: keptBase + kept, a: r})
		em.c.lp.keep[k] = kept
		em.reg[k] = keptBase + kept
	}
	for _, s := range em.sinks {
		em.sink(s)
	}
	g := laneGroup{code: em.code, terms: em.terms}
	if em.mask != none {
		x, _ := em.c.maskSource(em.mask)
		g.mask = &laneMask{x}
	}
	return g, em.assign(&g)
}

func (em *emitter) emit(op laneOp) { em.code = append(em.code, op) }

func (em *emitter) virtual() int32 {
	em.next++
	return em.next - 1
}

// share emits op unless an equal one was, and returns its register.
func (em *emitter) share(op laneOp) int32 {
	if r, ok := em.equal[op]; ok && em.c.p.runs(CommonSubexpressions) {
		return r
	}
	r := em.virtual()
	em.equal[op] = r
	op.dst = r
	em.emit(op)
	return r
}

func (em *emitter) sink(s sink) {
	off := int32(s.v.offset(s.e))
	if s.ref.kind != refLane { // the same number in every lane
		n := float64(em.c.p.lanes)
		op := laneOp{code: laneSumConst, dst: off, s: s.ref.off, f: n}
		if s.v.n.op.over == overLogSumExp {
			op.code, op.f = laneShiftConst, math.Log(n)
		}
		if s.ref.kind == refZero {
			op.s = zeroOffset
		}
		em.emit(op)
		return
	}
	if s.v.n.op.over == overLogSumExp {
		em.emit(laneOp{code: laneLogSumExp, dst: off, a: em.lane(s.ref.key)})
		return
	}
	// Fuse the last product into the sum over the lanes.
	if v := em.c.value(s.ref.key); em.uses[s.ref.key] == 1 && v.n.op != nil && v.n.op.name == "mul" && em.c.p.runs(Fusion) {
		if r := v.refs(int(s.ref.key.e)); r[0].kind == refLane && r[1].kind == refLane {
			a, b := em.lane(r[0].key), em.lane(r[1].key)
			em.emit(laneOp{code: laneSumProduct, dst: off, a: a, b: b})
			return
		}
	}
	em.emit(laneOp{code: laneSum, dst: off, a: em.lane(s.ref.key)})
}

// lane emits the operations that compute an element and returns its register.
func (em *emitter) lane(k elementKey) int32 {
	if r, ok := em.reg[k]; ok {
		return r
	}
	r := em.compute(k)
	em.reg[k] = r
	return r
}

func (em *emitter) compute(k elementKey) int32 {
	if kept, ok := em.c.lp.keep[k]; ok {
		if em.mask == none {
			return keptBase + kept
		}
		return em.share(laneOp{code: laneGather, a: kept})
	}
	v := em.c.value(k)
	e := int(k.e)
	switch v.n.op.kernel {
	case kernelSum, kernelMatMul:
		return em.products(v, v.products(e, em.c.sourcesOf(v)), zeroOffset)
	case kernelOver:
		return em.share(laneOp{code: laneFill, s: uniformOffset(v.args[0].ref(e))})
	case kernelUnary:
		return em.unary(v, v.refs(e)[0])
	case kernelWhere:
		r := v.refs(e)
		return em.share(laneOp{code: laneWhere, a: em.register(r[0]), b: em.register(r[1]), s: em.register(r[2])})
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
	return em.share(laneOp{code: laneFill, s: uniformOffset(r)})
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
			return em.share(laneOp{code: laneScale, a: em.lane(x.key), s: f, f: -1})
		}
		return em.share(laneOp{code: laneNeg, a: em.register(r)})
	}
	switch v.n.op.name {
	case "exp":
		return em.share(laneOp{code: laneExp, a: em.register(r)})
	case "relu":
		return em.share(laneOp{code: laneRelu, a: em.register(r)})
	case "positive":
		return em.share(laneOp{code: lanePositive, a: em.register(r)})
	}
	return em.share(laneOp{code: laneUnary, a: em.register(r), unary: v.unaryKernel()})
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
			return em.share(laneOp{code: laneAddS, a: em.register(a), s: b.off, f: 1})
		}
		return em.share(laneOp{code: laneAdd, a: em.lane(a.key), b: em.lane(b.key)})
	case "sub":
		switch {
		case b.kind == refZero:
			return em.register(a)
		case b.kind == refUniform:
			return em.share(laneOp{code: laneAddS, a: em.register(a), s: b.off, f: -1})
		case a.kind == refLane:
			return em.share(laneOp{code: laneSub, a: em.lane(a.key), b: em.lane(b.key)})
		case a.kind == refZero:
			if x, f, ok := em.scaled(b); ok {
				return em.share(laneOp{code: laneScale, a: em.lane(x.key), s: f, f: -1})
			}
			return em.share(laneOp{code: laneNeg, a: em.lane(b.key)})
		}
		return em.share(laneOp{code: laneRSubS, a: em.lane(b.key), s: a.off})
	case "mul":
		if a.kind != refLane {
			a, b = b, a
		}
		if b.kind == refUniform {
			return em.share(laneOp{code: laneScale, a: em.register(a), s: b.off, f: 1})
		}
		return em.share(laneOp{code: laneMul, a: em.register(a), b: em.register(b)})
	case "greater":
		if a.kind != refLane {
			return em.share(laneOp{code: laneLess, a: em.register(b), s: uniformOffset(a)})
		}
	case "sigmoid_shift":
		if a.kind == refUniform {
			return em.share(laneOp{code: laneSigmoidShift, a: em.register(b), s: a.off})
		}
	}
	return em.share(laneOp{code: laneBinary, a: em.register(a), b: em.register(b), binary: v.n.op.binary})
}

// summed recognises an element that is read once and is a sum or an element of
// a matrix product, to which a uniform number can be added as one more term.
func (em *emitter) summed(r operandRef) (*value, bool) {
	if r.kind != refLane || em.uses[r.key] != 1 || !em.c.p.runs(Fusion) {
		return nil, false
	}
	if _, kept := em.c.lp.keep[r.key]; kept {
		return nil, false
	}
	v := em.c.value(r.key)
	return v, v.n.op != nil && (v.n.op.kernel == kernelMatMul || v.n.op.kernel == kernelSum)
}

// products emits a sum of products plus the uniform number at offset bias:
// first the lanes with uniform factors in one operation, then the others. Those
// of a matrix product, which are kept for other elements anyway, are one
// operation too; those of a sum follow one after the other, each as soon as it
// is computed.
func (em *emitter) products(v *value, pairs [][2]operandRef, bias int32) int32 {
	var linear []laneTerm
	type product struct{ a, b operandRef }
	var rest []product
	one := int32(oneOffset)
	for _, pr := range pairs {
		switch {
		case pr[1].kind == refUniform:
			linear = append(linear, laneTerm{em.register(pr[0]), pr[1].off})
		case pr[1].kind == refLane:
			rest = append(rest, product{pr[0], pr[1]})
		case pr[0].kind == refUniform: // a plain summand that is no lane value
			linear = append(linear, laneTerm{em.register(pr[0]), one})
		default:
			if x, f, ok := em.scaled(pr[0]); ok {
				linear = append(linear, laneTerm{em.lane(x.key), f})
			} else if a, b, ok := em.factors(pr[0]); ok {
				rest = append(rest, product{a, b})
			} else {
				linear = append(linear, laneTerm{em.lane(pr[0].key), one})
			}
		}
	}
	if bias != zeroOffset {
		linear = append(linear, laneTerm{em.share(laneOp{code: laneFill, s: oneOffset}), bias})
	}
	if len(linear) == 0 && len(rest) > 1 && v.n.op.kernel == kernelMatMul {
		var terms []laneTerm
		for _, pr := range rest {
			terms = append(terms, laneTerm{em.register(pr.a), em.register(pr.b)})
		}
		dst := em.virtual()
		em.emit(laneOp{code: laneDotPairs, dst: dst, a: int32(len(em.terms)), b: int32(len(em.terms) + len(terms))})
		em.terms = append(em.terms, terms...)
		return dst
	}
	dst := em.virtual()
	started := len(linear) > 0
	if started {
		em.emit(laneOp{code: laneDot, dst: dst, a: int32(len(em.terms)), b: int32(len(em.terms) + len(linear))})
		em.terms = append(em.terms, linear...)
	}
	for _, pr := range rest {
		a, b := em.register(pr.a), em.register(pr.b)
		op := laneOp{code: laneMul, dst: dst, a: a, b: b}
		if started {
			op.code = laneMulAdd
		}
		started = true
		em.emit(op)
	}
	if !started {
		em.emit(laneOp{code: laneFill, dst: dst, s: zeroOffset})
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
	for i := range g.code {
		g.code[i].registers(g.terms, func(r *int32) {
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
	for i := range g.code {
		op := &g.code[i]
		// Operands freed here are reused from the next operation on, because
		// some operations write the result before they have read everything.
		var freed []int32
		op.registers(g.terms, func(r *int32) {
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
