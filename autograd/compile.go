package autograd

import (
	"fmt"
	"math"
)

// A Program is a graph compiled for its outputs: instructions over one flat
// arena of float64, with the innermost mapped axis laid out innermost, so that
// every scalar operation of the expression is a contiguous vector operation.
// It is immutable; any number of evaluators may run it at the same time.
type Program struct {
	*spec
	values   []*value
	byNode   map[*Node]*value
	steps    []step       // value by value, if there is no lane program
	lane     *laneProgram // nil if the graph is run value by value
	constant []float64    // initial content of the arena: zero, then the constants
	arena    int          // length of the arena in float64
	scratch  int          // length of the scratch area for gathered operands
	laneAxes []*Axis      // axes laid out innermost, outermost of them first
	lanes    int          // their number of index combinations
	strip    bool         // the loop axis itself is laid out innermost, in strips
	outer    int          // runs of the instruction list per evaluation
	without  Pass         // passes left out

}

// A step is one instruction and the value it computes.
type step struct {
	v   *value
	ins instruction
}

// A value is a node in the program. Element e of it lies at offset(e) of the
// arena, over width consecutive float64: one per lane, or a single one if it
// is the same in every lane. Elements known to be zero are not stored, nor are
// those that nothing reads; views share the storage of their operand.
type value struct {
	id      int // position in Program.values
	n       *Node
	args    []*value
	known   []float64 // the value if it is constant, else nil
	support []bool    // elements that may differ from zero
	live    []bool    // elements that are stored: support that is also read
	index   []int     // views: the operand's element of each element, or -1
	store   *storage
	slot    []int // slot in the storage of each element, -1 for a zero
	varying bool  // differs between lanes
	dense   bool  // a matrix product computed as a whole: the slot of an element is its number
	onto    bool  // in the place of its first operand, see findSums
}

// A storage is a range of the arena.
type storage struct {
	off, slots, width int
	first, last       int // steps between which it holds a value
}

func (s *storage) size() int { return s.slots * s.width }

// zeroOffset is the arena offset of the number 0, which stands for every
// element that is structurally zero.
const zeroOffset = 0

// oneOffset is the arena offset of the number 1.
const oneOffset = 1

// offset of element e in the arena; missing elements point to the zero.
func (v *value) offset(e int) int {
	if v.slot[e] < 0 {
		return zeroOffset
	}
	return v.store.off + v.slot[e]*v.store.width
}

// width of element e: the number of lanes stored.
func (v *value) width(e int) int {
	if v.slot[e] < 0 {
		return 1
	}
	return v.store.width
}

// offsets lists where the elements lie, nil if one behind the other.
func (v *value) offsets() []int32 {
	index := make([]int32, len(v.slot))
	contiguous := true
	for e := range index {
		index[e] = int32(v.offset(e))
		contiguous = contiguous && int(index[e]) == v.offset(0)+e
	}
	if contiguous {
		return nil
	}
	return index
}

func (v *value) isView() bool { return v.index != nil }

// stripLanes is the number of indices of a lone mapped axis that are computed
// together. It does not depend on the number of workers, nor do results.
const stripLanes = 64

// Compile turns the outputs, as functions of the inputs, into a program. Passes in
// without are left out: the program computes the same, slower. That is for measuring
// and testing them.
func Compile(inputs, outputs []*Node, without ...Pass) (*Program, error) {
	if errKernels != nil {
		return nil, errKernels
	}
	s, err := newSpec(inputs, outputs)
	if err != nil {
		return nil, err
	}
	p := &Program{spec: s, byNode: make(map[*Node]*value, len(s.nodes))}
	for _, pass := range without {
		p.without |= pass
	}
	p.chooseLanes()
	if err := p.addValues(); err != nil {
		return nil, err
	}
	p.inferSupport()
	p.inferLive()
	lanes := p.runs(ElementSchedule) && p.laneable()
	if lanes && p.runs(MemoryReuse) {
		p.findSums()
	}
	p.place(lanes)
	if lanes {
		p.allocateUniform()
		p.lane = p.compileLanes()
		return p, nil
	}
	p.allocate()
	for _, v := range p.values {
		if v.store == nil || v.n.op == nil || v.isView() || v.known != nil {
			continue
		}
		p.steps = append(p.steps, step{v, p.lower(v)})
	}
	return p, nil
}

// chooseLanes decides what is laid out innermost.
func (p *Program) chooseLanes() {
	var used axisSet
	for _, n := range p.nodes {
		used |= n.axes
	}
	p.outer, p.lanes = 1, 1
	lanes := used
	if p.loop != nil {
		if rest := used.without(p.loop); rest != 0 {
			lanes = rest
			p.outer = p.loop.size
		} else {
			p.strip = true
			p.lanes = min(p.loop.size, stripLanes)
			p.outer = (p.loop.size + p.lanes - 1) / p.lanes
			p.laneAxes = []*Axis{p.loop}
			return
		}
	}
	p.laneAxes = lanes.of(p.b)
	for _, a := range p.laneAxes {
		p.lanes *= a.size
	}
}

// varies reports whether n differs between lanes.
func (p *Program) varies(n *Node) bool {
	for _, a := range p.laneAxes {
		if n.axes.has(a) {
			return true
		}
	}
	return false
}

// addValues makes one value per node and folds the constant ones.
func (p *Program) addValues() error {
	readers, relus := map[*Node]int{}, map[*value]*value{}
	for _, n := range p.outputs {
		readers[n]++
	}
	for _, n := range p.nodes {
		for _, a := range n.args {
			readers[a]++
		}
	}
	for _, n := range p.nodes {
		v := &value{id: len(p.values), n: n, known: n.value, varying: p.varies(n)}
		constant := p.runs(ConstantFolding) && n.op != nil && n.op.over == within && n.attr.op == nil
		for _, a := range n.args {
			v.args = append(v.args, p.byNode[a])
			constant = constant && p.byNode[a].known != nil
		}
		if constant {
			v.known = make([]float64, n.shape.Len())
			in := make([][]float64, len(v.args))
			for i, a := range v.args {
				in[i] = a.known
			}
			if err := n.op.eval(n.attr, v.known, n.shape, in, argShapes(n)); err != nil {
				return fmt.Errorf("autograd: graph %q: %v of constants: %w", p.b.name, n, err)
			}
		}
		if n.op != nil && n.op.view != nil {
			v.index = n.op.view(n.attr, n.shape, n.args[0].shape)
		}
		if p.runs(AlgebraicSimplification) {
			p.simplify(v, readers, relus)
		}
		p.values = append(p.values, v)
		p.byNode[n] = v
	}
	return nil
}

// at is the element of operand i that element e of an element-wise result
// reads: the scalar, or the same element.
func (v *value) at(i, e int) int {
	if len(v.args[i].n.shape) == 0 {
		return 0
	}
	return e
}

// inferSupport finds the elements that are zero whatever the inputs: those of
// constants, and what products, sums and copies make of them.
func (p *Program) inferSupport() {
	for _, v := range p.values {
		v.support = make([]bool, v.n.shape.Len())
		for e := range v.support {
			v.support[e] = v.mayDiffer(e) || !p.runs(StructuralZeros) && !v.isView()
		}
	}
}

func (v *value) mayDiffer(e int) bool {
	r := v.n.op
	switch {
	case v.isView(): // of constants too, whose elements [value.ref] finds in the operand
		return v.index[e] >= 0 && v.args[0].support[v.index[e]]
	case v.known != nil:
		return v.known[e] != 0 || math.Signbit(v.known[e])
	case r == nil:
		return true
	}
	switch r.kernel {
	case kernelUnary:
		return r.unary == nil || !r.unary.zero || v.args[0].support[e]
	case kernelBinary:
		a, b := v.args[0].support[v.at(0, e)], v.args[1].support[v.at(1, e)]
		switch r.binary.zero {
		case zeroEither:
			return a && b
		case zeroBoth:
			return a || b
		case zeroFirst:
			return a
		}
		return true
	case kernelWhere:
		return v.args[1].support[v.at(1, e)] || v.args[2].support[v.at(2, e)]
	case kernelSum:
		// Filled by sumSupport on the first element asked for.
		return v.sumSupport(e)
	case kernelMatMul:
		a, b := v.args[0], v.args[1]
		k, n := a.n.shape[1], v.n.shape[1]
		for l := range k {
			if a.support[e/n*k+l] && b.support[l*n+e%n] {
				return true
			}
		}
		return false
	case kernelOver:
		switch r.over {
		case overSum, overExpand:
			return v.args[0].support[e]
		case overStack:
			return v.args[0].support[e%len(v.args[0].support)]
		case overUnstack:
			for i := range v.n.attr.axis.size {
				if v.args[0].support[i*len(v.support)+e] {
					return true
				}
			}
			return false
		}
	}
	return true
}

func (v *value) sumSupport(e int) bool {
	if e == 0 {
		a := v.args[0]
		for k, src := range v.n.op.sources(v.n.attr, v.n.shape, a.n.shape) {
			v.support[k] = false
			for _, s := range src {
				v.support[k] = v.support[k] || a.support[s]
			}
		}
	}
	return v.support[e]
}

// inferLive finds, from the outputs back, the elements that are read.
func (p *Program) inferLive() {
	for _, v := range p.values {
		v.live = make([]bool, len(v.support))
	}
	for _, n := range p.outputs {
		for e := range p.byNode[n].live {
			p.byNode[n].live[e] = true
		}
	}
	if !p.runs(ElementLiveness) {
		for _, v := range p.values {
			for e := range v.live {
				v.live[e] = true
			}
		}
	}
	for i := len(p.values) - 1; i >= 0; i-- {
		v := p.values[i]
		any := false
		for e := range v.live {
			v.live[e] = v.live[e] && v.support[e]
			any = any || v.live[e]
		}
		if any && v.n.op != nil && (v.known == nil || v.isView()) {
			v.markOperands()
		}
	}
}

// markOperands marks the elements of the operands that the live elements read.
func (v *value) markOperands() {
	r := v.n.op
	mark := func(i, e int) { v.args[i].live[e] = true }
	if r.kernel == kernelSum && !v.isView() {
		for e, src := range r.sources(v.n.attr, v.n.shape, v.args[0].n.shape) {
			if v.live[e] {
				for _, s := range src {
					mark(0, s)
				}
			}
		}
		return
	}
	generic := r.kernel == kernelGeneric || r.kernel == kernelLogSumExp
	for e, live := range v.live {
		switch {
		case !live:
		case v.isView():
			mark(0, v.index[e])
		case generic:
			for _, a := range v.args {
				for k := range a.live {
					a.live[k] = true
				}
			}
			return
		case r.kernel == kernelMatMul:
			a, b := v.args[0], v.args[1]
			k, n := a.n.shape[1], v.n.shape[1]
			for l := range k {
				if x, y := e/n*k+l, l*n+e%n; a.support[x] && b.support[y] {
					mark(0, x)
					mark(1, y)
				}
			}
		case r.over == overStack:
			mark(0, e%len(v.args[0].live))
		case r.over == overUnstack:
			for i := range v.n.attr.axis.size {
				mark(0, i*len(v.live)+e)
			}
		case r.over != within:
			mark(0, e)
		default:
			for i := range v.args {
				mark(i, v.at(i, e))
			}
		}
	}
}

// allocate gives every value its place in the arena. A range is reused once
// nothing reads it any more.
func (p *Program) allocate() {
	for at, v := range p.values {
		if v.n.op != nil && !v.isView() && v.known == nil && v.store != nil {
			for _, a := range v.args {
				if a.store != nil {
					a.store.last = max(a.store.last, at)
				}
			}
		}
	}
	for _, n := range p.outputs {
		if s := p.byNode[n].store; s != nil {
			s.last = len(p.values)
		}
	}
	plan := newPlanner(len(p.constant))
	for _, v := range p.values { // inputs are loaded before the first step
		if v.n.isInput() && v.store != nil {
			v.store.off = plan.alloc(v.store.size())
		}
	}
	for at, v := range p.values {
		if v.ownsVariable() && v.n.op != nil {
			v.store.off = plan.alloc(v.store.size())
		}
		for _, w := range p.values[:at+1] {
			if p.runs(MemoryReuse) && w.ownsVariable() && w.store.last == at {
				plan.free(w.store.off, w.store.size())
				w.store.last = -1
			}
		}
	}
	p.arena = plan.size
}

// ownsVariable reports whether v has a range of its own that is not constant.
func (v *value) ownsVariable() bool {
	return v.store != nil && !v.isView() && v.known == nil && !v.onto
}

// allocateUniform gives every value that is the same in all lanes its place;
// varying values live in registers.
func (p *Program) allocateUniform() {
	plan := newPlanner(len(p.constant))
	for _, v := range p.values {
		if v.ownsVariable() && !v.varying {
			v.store.off = plan.alloc(v.store.size())
		}
	}
	p.arena = plan.size
}

// place decides which elements are stored, and puts constants into the arena. lanes is
// whether a lane program follows: without one inputs are stored in full, as
// [Options.CheckFinite] wants them.
func (p *Program) place(lanes bool) {
	p.constant = []float64{0, 1}
	for at, v := range p.values {
		p.placeValue(v, at, lanes)
	}
}

// placeValue decides on the slots of a value's live elements.
func (p *Program) placeValue(v *value, at int, lanes bool) {
	if v.onto {
		v.store, v.slot = v.args[0].store, v.args[0].slot
		return
	}
	v.slot = make([]int, len(v.live))
	v.dense = p.width(v) == 1 && !(v.varying && lanes) && v.countsDense()
	count := 0
	for e, live := range v.live {
		v.slot[e] = -1
		if v.dense {
			count = e
		}
		if live || v.n.isInput() && (v.varying || !lanes) {
			v.slot[e] = count
			count++
		}
	}
	if v.dense {
		count = len(v.live)
	}
	switch {
	case count == 0, v.n.isInput() && !anyTrue(v.live):
		return
	case v.isView():
		src := v.args[0]
		v.store = src.store
		for e, live := range v.live {
			if live {
				v.slot[e] = src.slot[v.index[e]]
			}
		}
		return
	case v.known != nil:
		v.store = &storage{off: len(p.constant), slots: count, width: 1}
		for e, live := range v.live {
			if live {
				p.constant = append(p.constant, v.known[e])
			}
		}
		return
	}
	width := 1
	if v.varying {
		width = p.lanes
	}
	v.store = &storage{slots: count, width: width, first: at, last: at}
}

func anyTrue(b []bool) bool {
	for _, x := range b {
		if x {
			return true
		}
	}
	return false
}
