package lane

import (
	"slices"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/lane/vm"
	"tobac/autograd/internal/passes"
)

// An Axes says which mapped axes a program goes through.
type Axes struct {
	Loop *ir.Axis // whose indices are run one after the other; nil means none
	Lane *ir.Axis // whose indices are the lanes
	// Strip is the number of lanes of a function that does not cross the lane axis, of
	// which it computes that many indices at a time. 0 means that all of them are lanes.
	Strip int
}

// Compile builds the program of a function whose facts are known.
func Compile(f *ir.Func, axes Axes, without passes.Set) (*Program, error) {
	count := axes.Lane.Size()
	if axes.Strip > 0 {
		count = axes.Strip
	}
	width := (count + vm.VectorLen - 1) / vm.VectorLen * vm.VectorLen
	plan, err := dense.NewPlan(f, axes.Lane, width, count, without)
	if err != nil {
		return nil, err
	}
	elements := func(v *ir.Value) bool { return plan.Varies(v) && Elements(v) && v.Const == nil }
	plan.PlaceAll(elements)
	plan.AllocateUniform()
	c := &compiler{f: f, plan: plan, loop: axes.Loop, lane: axes.Lane,
		prog: &Program{Plan: plan, Set: dense.Kernels, Width: width}}
	c.number()
	c.findLevels()
	c.addInputs()
	if n := c.countProducts(); n <= foldLimit && plan.Has(passes.AlgebraicSimplification) {
		c.fold, c.productsAt, c.productRoom = true, plan.Arena, n
		plan.Arena += n
	}
	for k := range len(c.byLevel) - 1 {
		c.addStage(k)
	}
	c.layPanels()
	c.finish()
	return c.prog, nil
}

// number numbers the elements of values that differ between lanes.
func (c *compiler) number() {
	c.prog.base = make([]int32, len(c.f.Values))
	for _, v := range c.f.Values {
		c.prog.base[v.ID] = int32(len(c.prog.owner))
		if !c.plan.Varies(v) || v.IsView() {
			continue
		}
		for range v.Live {
			c.prog.owner = append(c.prog.owner, int32(v.ID))
		}
	}
	n := len(c.prog.owner)
	c.keep, c.weight = make([]int32, n), make([]int32, n)
	c.ones = make([]int8, n)
	c.stamp, c.uses, c.reg = make([]int32, n), make([]int32, n), make([]int32, n)
	for e := range c.keep {
		c.keep[e], c.weight[e] = none, unknown
	}
	c.prog.keep = c.keep
	c.parts = map[ref]int32{}
	c.stackOf = map[*ir.Value]*stacked{}
	c.stream, c.drawn = map[*ir.Value]int32{}, map[*ir.Value]int{}
	c.reader, c.store = map[int32]int32{}, map[int32]bool{}
	c.shift, c.reads = map[int32]int32{}, map[int32]bool{}
	c.productAt = map[uniformProduct]int32{}
	c.panels = map[[vm.MaxTileRows]int32][]*panel{}
}

// reduces reports whether v is a reduction of a varying value over the lanes.
func (c *compiler) reduces(v *ir.Value) bool {
	return v.Computed() && v.Op.Over.Reduces() && c.plan.Varies(v.Args[0]) && !c.plan.Varies(v)
}

// softmax reports whether v is a softmax over the lanes.
func (c *compiler) softmax(v *ir.Value) bool {
	return v.Computed() && v.Op.Over == ir.OverSoftmax
}

// findLevels counts, for every value, the rounds of reductions over the lanes, and of
// steps that read elements, below it.
func (c *compiler) findLevels() {
	c.level = make([]int, len(c.f.Values))
	for i, v := range c.f.Values {
		for _, a := range v.Args {
			level := c.level[a.ID]
			if o := a.Origin(); c.step(v) && c.plan.Varies(o) && o.Computed() && !c.step(o) {
				level++ // elements are computed before
			}
			c.level[i] = max(c.level[i], level)
		}
		if c.reduces(v) || c.softmax(v) {
			c.level[i]++
		}
	}
	c.byLevel = make([][]*ir.Value, slices.Max(append(c.level, 0))+2)
	for i, v := range c.f.Values {
		c.byLevel[c.level[i]] = append(c.byLevel[c.level[i]], v)
	}
}

// addInputs gives inputs, and what steps compute and read, their registers.
func (c *compiler) addInputs() {
	p := c.prog
	for _, v := range c.f.Inputs {
		if v == nil || !c.plan.Varies(v) {
			continue
		}
		if c.findDrawn(v) {
			c.stream[v] = int32(len(p.Draws))
			p.Draws = append(p.Draws, v)
			continue
		}
		p.Inputs = append(p.Inputs, Input{v, p.Kept})
		c.stackAt(v, p.Kept)
		for e := range v.Live {
			c.keep[c.element(v, e)] = int32(p.Kept)
			p.Kept++
		}
	}
	for _, v := range c.f.Values {
		if c.step(v) && c.plan.Varies(v) {
			c.stackValue(v)
			for e, live := range v.Live {
				if live {
					c.keep[c.element(v, e)] = c.register(v, e)
				}
			}
		}
	}
	for _, v := range c.f.Values {
		if !c.step(v) {
			continue
		}
		for _, a := range v.Args {
			if o := a.Origin(); c.plan.Varies(o) && o.Const == nil {
				c.stackValue(o)
			}
		}
	}
}

// stackValue reserves registers for the live elements of v, one behind the other.
func (c *compiler) stackValue(v *ir.Value) {
	if c.stackOf[v] != nil {
		return
	}
	c.stackAt(v, c.prog.Kept)
	if at := c.plan.Place(v); at.Store != nil {
		c.prog.Kept += at.Store.Slots
	}
}

// stackAt notes that the elements of v are kept from register first on.
func (c *compiler) stackAt(v *ir.Value, first int) {
	s := &stacked{v, int32(first)}
	c.stack = append(c.stack, s)
	c.stackOf[v] = s
}

// register of element e of a stacked value.
func (c *compiler) register(v *ir.Value, e int) int32 {
	if s := c.stackOf[v]; s != nil {
		return s.first + c.plan.Place(v).Slot[e]
	}
	return none
}

// addStage compiles the steps of stage k and the elements below the reductions of
// stage k+1, below what its steps read, and below the outputs.
func (c *compiler) addStage(k int) {
	c.prog.Stages = append(c.prog.Stages, Stage{})
	st := &c.prog.Stages[k]
	c.shifts, c.products, c.bounds, c.boundOf = nil, nil, nil, map[*ir.Value]int32{}
	for _, v := range c.byLevel[k] {
		if !v.Computed() || !c.plan.Stored(v) || c.reduces(v) || c.plan.Varies(v) && !c.step(v) {
			continue
		}
		st.values = append(st.values, v)
	}
	all := newEmitter(c, none)
	packed := map[int32]*emitter{}
	var order []int32
	roots := c.rootsOf(k + 1)
	st.shiftsAt = c.plan.Arena // from here on only shifts take room until the stage is done
	for _, s := range roots {
		em := all
		if s.ref.kind == refLane {
			if m := c.proportional(s.ref.at); m != none && s.over == ir.OverSum &&
				c.selectable(m) && c.boundNumber(s.v) >= 0 {
				if packed[m] == nil {
					packed[m] = newEmitter(c, m)
					order = append(order, m)
				}
				em = packed[m]
			}
			if s.over == ir.OverLogSumExp {
				all.keepLive(s.ref.at)
			}
		}
		em.roots = append(em.roots, s)
	}
	c.keepOutputs(all, k)
	if k == 0 {
		for e := range c.prog.owner {
			if c.store[int32(e)] {
				all.drawn = append(all.drawn, int32(e))
			}
		}
	}
	if len(all.roots)+len(all.liveOut)+len(all.drawn)+len(all.copies) > 0 {
		g, regs := all.finish()
		st.Groups = append(st.Groups, g)
		c.prog.Full = max(c.prog.Full, regs)
	}
	for _, m := range order {
		g, regs := packed[m].finish()
		st.Groups = append(st.Groups, g)
		c.prog.Packed = max(c.prog.Packed, regs)
	}
	st.shifts, st.products = c.shifts, c.products
	st.pruneBounds(c.bounds)
}

// rootsOf lists the reductions over the lanes that lead to stage k. Log-sum-exps and
// softmax weights of the same numbers share one.
func (c *compiler) rootsOf(k int) (roots []root) {
	byOperand := map[ref]int{}
	for _, v := range c.byLevel[k] {
		if !c.reduces(v) && !c.softmax(v) {
			continue
		}
		for e, live := range v.Live {
			if !live {
				continue
			}
			s := root{over: ir.OverSum, at: none, ref: c.ref(v.Args[0], e), v: v.Args[0]}
			if c.reduces(v) {
				s.at = int32(c.plan.Offset(v, e))
			}
			if v.Op.Over == ir.OverSum || v.Op.Over == ir.OverMax {
				s.over = v.Op.Over
				roots = append(roots, s)
				continue
			}
			s.over = ir.OverLogSumExp
			if n, ok := byOperand[s.ref]; ok && (roots[n].at == none || s.at == none) {
				roots[n].at = max(roots[n].at, s.at)
				continue
			}
			if _, ok := c.parts[s.ref]; !ok {
				c.parts[s.ref] = int32(c.plan.Arena)
				c.plan.Arena += 2
			}
			s.partsAt = c.parts[s.ref]
			byOperand[s.ref] = len(roots)
			roots = append(roots, s)
		}
	}
	for n := range roots {
		if roots[n].at == none { // a softmax without its log-sum-exp
			roots[n].at = int32(c.plan.Arena)
			c.plan.Arena++
		}
	}
	return roots
}

// keepOutputs keeps the outputs of stage k and what the steps of the next one read.
func (c *compiler) keepOutputs(all *emitter, k int) {
	for _, v := range c.f.Outputs {
		if !c.plan.Varies(v) || c.level[v.ID] != k {
			continue
		}
		for e := range v.Live {
			if r := c.ref(v, e); r.kind == refLane {
				all.keepLive(r.at)
			}
		}
	}
	done := map[*ir.Value]bool{}
	for _, v := range c.byLevel[k+1] {
		if !c.step(v) {
			continue
		}
		for _, a := range v.Args {
			o := a.Origin()
			if done[o] || !c.plan.Varies(o) || !o.Computed() || c.step(o) || c.level[o.ID] > k {
				continue
			}
			done[o] = true
			for e, live := range o.Live {
				if live {
					all.copy(c.element(o, e), c.register(o, e))
				}
			}
		}
	}
}

// page is the number of float64 in a page of memory: registers start with one, or their
// rows would compete for places in the caches with the arena's.
const page = 512

// finish places the registers behind the arena and makes the steps.
func (c *compiler) finish() {
	p := c.prog
	p.buffer = max(p.buffer, 2*p.Width)
	p.RegistersAt = (c.plan.Arena + page - 1) / page * page
	p.Length = p.RegistersAt + max(p.Full, p.Kept)*p.Width
	for _, s := range c.stack {
		if at := c.plan.Place(s.v); at.Store != nil {
			at.Store.Off = p.RegistersAt + int(s.first)*p.Width
		}
	}
	for i := range p.Stages {
		st := &p.Stages[i]
		for _, v := range st.values {
			st.Steps = append(st.Steps, c.plan.Step(v))
		}
		st.values = nil
		for j := range st.bounds {
			st.bounds[j].place(c)
		}
	}
}
