package autograd

import (
	"tobac/autograd/internal/lane/vm"
	"tobac/internal/vector"
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
	set    vector.Set // the kernels it is written for
	width  int        // lanes, rounded up to whole vectors
	inputs []laneInput
	stored int // registers that keep a value for later levels or for output
	levels []laneLevel
	full   int // registers of the widest level on all lanes
	packed int // registers of the widest group on packed lanes
	keep   map[elementKey]int32

	draws []int // inputs of uniform numbers that are drawn where they are used

	panels   []float64 // constant panels, which frames hold from panelsAt on
	panelsAt int
	buffer   int // that operations need
}

// laneInput is a varying input: its elements are registers first and following.
type laneInput struct {
	v     *value
	index int // in spec.inputs
	first int
}

type laneLevel struct {
	uniform  []step
	shifts   []int32 // offsets of x, whose factors of sigmoid shifts lie from shiftsAt on
	shiftsAt int
	products []storedProduct
	panels   []*panel // of which prepare makes copies
	groups   []laneGroup

	scales             []int32 // of the panels that prepare scales: constants from scaleFrom on, results from scaleTo on
	scaleFrom, scaleTo int
}

// A laneGroup is a list of operations on one set of lanes.
type laneGroup struct {
	mask *laneMask // nil: all lanes
	vm.Group
}

// A laneMask selects the lanes whose weight exp(x − max x) is not negligible.
type laneMask struct{ x int32 } // register of x

// elementKey names one element of one varying value.
type elementKey struct{ v, e int32 }

// Varying elements are scheduled one by one up to laneLimit of them for every
// lane, since that pays by the number of lanes, but not above laneMost; and up to
// termLimit terms of their sums for every lane.
const (
	laneLimit = 25_000
	laneMost  = 3_000_000
	termLimit = 600_000
)

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// compileLanes builds the lane program of a laneable graph.
func (p *Program) compileLanes() *laneProgram {
	lp := &laneProgram{set: kernels, width: roundUp(p.lanes, vm.VectorLen), keep: map[elementKey]int32{}}
	level := p.levels()
	c := &laneCompiler{p: p, lp: lp, level: level, masks: p.findMasks(), tileRows: vm.RowsPerTile(lp.set)}
	for i, n := range p.inputs {
		if v := p.byNode[n]; v != nil && v.varying {
			if c.findDrawn(v) {
				c.stream[v] = int32(len(lp.draws))
				lp.draws = append(lp.draws, i)
				continue
			}
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
	if n := c.countProducts(); n <= foldLimit && p.runs(AlgebraicSimplification) {
		c.fold, c.productsAt, c.productRoom = true, p.arena, n
		p.arena += n
	}
	for k := 0; k <= top; k++ {
		c.addLevel(k)
	}
	c.layPanels()
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
	return count > 0 && count <= min(laneLimit*p.lanes, laneMost) && terms <= termLimit*p.lanes
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

	shift  map[int32]int32           // offset of the factors of a sigmoid shift by x's offset
	shifts []int32                   // those of the level
	stream map[*value]int32          // inputs drawn where they are used
	drawn  map[*value]int            // their elements drawn so far
	reader map[elementKey]elementKey // of drawn elements: the element computed from each
	store  map[elementKey]bool       // those, which are kept

	fold      bool // multiply uniform factors of lanes with those of matrix products
	productAt map[uniformProduct]int32
	products  []storedProduct // those of the level
	reads     map[int32]bool  // offsets that something reads
	panels    map[[vm.MaxTileRows]int32][]*panel
	allPanels []*panel

	tileRows int

	productsAt, productRoom int // in the arena
	panelUses               []panelUse
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
	lv := laneLevel{shiftsAt: c.p.arena}
	c.shifts, c.products = nil, nil
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
	if k == 0 {
		for _, v := range c.p.values {
			for e := range v.live {
				if key := (elementKey{int32(v.id), int32(e)}); c.store[key] {
					all.drawn = append(all.drawn, key)
				}
			}
		}
	}
	if len(all.sinks)+len(all.pins)+len(all.drawn) > 0 {
		g, regs := all.finish()
		lv.groups = append(lv.groups, g)
		c.lp.full = max(c.lp.full, regs)
	}
	for _, m := range order {
		g, regs := packed[m].finish()
		lv.groups = append(lv.groups, g)
		c.lp.packed = max(c.lp.packed, regs)
	}
	lv.shifts, lv.products = c.shifts, c.products
	c.lp.levels = append(c.lp.levels, lv)
}

// shiftFactors is where the factors of the sigmoid shift by the number at offset
// x are found; see [vm.Machine.ShiftFactors].
func (c *laneCompiler) shiftFactors(x int32) int32 {
	if at, ok := c.shift[x]; ok {
		return at
	}
	if c.shift == nil {
		c.shift = map[int32]int32{}
	}
	at := int32(c.p.arena)
	c.p.arena += 2
	c.shift[x] = at
	c.shifts = append(c.shifts, x)
	return at
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
