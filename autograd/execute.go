package autograd

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"tobac/autograd/internal/lane/vm"
	"tobac/internal/pool"
	"tobac/internal/vector"
)

// A frame is what one worker runs the program in.
type frame struct {
	m       []float64   // arena
	scratch []float64   // gathered operands, filled inputs
	args    [][]float64 // operand list of the rule being evaluated
	machine *vm.Machine // of a lane program, with m as its arena
	err     error
	at      int // outer index of err
}

// compiled runs a program. The goroutines of the workers live until Close and
// sleep between evaluations.
type compiled struct {
	*Program
	opt    Options
	frames []*frame
	from   [][]int   // per input: its lane at each lane of the program
	stored [][]int32 // per input that is the same in all lanes: the elements that are stored; nil if all
	pick   [][]int   // per output: the program's lane of each of its lanes
	reg    [][]int32 // per varying output of a lane program: its registers, -1 for a zero
	index  [][]int32 // per other output of one number: where its elements lie; nil if in one piece
	pool   *pool.Pool
	part   func(worker int) // of an evaluation
	next   atomic.Int64
	dst    [][]float64
	src    []Feed
	given  Evaluator // for feeds that hold numbers to be drawn; made when needed
}

// NewEvaluator prepares to run the program on opt.Workers goroutines. To name
// operations, CheckFinite runs value by value.
func (p *Program) NewEvaluator(opt Options) (Evaluator, error) {
	if opt.CheckFinite && p.lane != nil {
		byValue, err := Compile(p.inputs, p.outputs, p.without, ElementSchedule)
		if err != nil {
			return nil, err
		}
		return byValue.NewEvaluator(opt)
	}
	workers := min(max(opt.Workers, 1), p.outer)
	c := &compiled{Program: p, opt: opt}
	scratch, arity := p.scratch, 1
	for _, n := range p.inputs {
		first := 0
		if as := n.axes.of(p.b); len(as) > 0 {
			first = as[0].size
		}
		if first > 0 {
			scratch = max(scratch, n.shape.Len()*n.axes.lanes(p.b)/first)
		}
		c.from = append(c.from, p.lanesOf(n))
		c.stored = append(c.stored, p.storedElements(n))
	}
	for _, n := range p.outputs {
		c.pick = append(c.pick, p.pickLanes(n))
		c.reg = append(c.reg, p.outputRegisters(n))
		var index []int32
		if v := p.byNode[n]; v.store != nil && v.store.width == 1 {
			index = v.offsets()
		}
		c.index = append(c.index, index)
	}
	for _, s := range p.steps {
		arity = max(arity, len(s.v.args))
	}
	for range workers {
		f := &frame{m: make([]float64, p.arena), scratch: make([]float64, scratch), args: make([][]float64, arity)}
		copy(f.m, p.constant)
		if lp := p.lane; lp != nil {
			f.machine = vm.New(lp.set, f.m, lp.size())
			copy(f.m[lp.panelsAt:], lp.panels)
		}
		c.frames = append(c.frames, f)
	}
	c.pool = pool.New(workers)
	c.part = func(worker int) { c.work(c.frames[worker]) }
	return c, nil
}

// storedElements lists the elements of n that are stored, nil if all are.
func (p *Program) storedElements(n *Node) []int32 {
	v := p.byNode[n]
	if v == nil || v.full() {
		return nil
	}
	var stored []int32
	for e, s := range v.slot {
		if s >= 0 {
			stored = append(stored, int32(e))
		}
	}
	return stored
}

// lanesOf maps each lane of the arena to the lane of n within one outer index.
func (p *Program) lanesOf(n *Node) []int {
	if !p.varies(n) || p.strip {
		return nil
	}
	var all axisSet
	for _, a := range p.laneAxes {
		all = all.with(a)
	}
	proj := projector(p.b, all, p.spec.laneAxes(n))
	lane := make([]int, p.lanes)
	for l := range lane {
		lane[l] = proj(l)
	}
	return lane
}

// pickLanes maps each lane of n within one outer index to a lane of the arena.
func (p *Program) pickLanes(n *Node) []int {
	if p.strip {
		return nil
	}
	pick := make([]int, p.spec.laneAxes(n).lanes(p.b))
	if lane := p.lanesOf(n); lane != nil {
		for l := len(lane) - 1; l >= 0; l-- {
			pick[lane[l]] = l
		}
	}
	return pick
}

// outputRegisters lists the registers that hold a varying output of a lane
// program.
func (p *Program) outputRegisters(n *Node) []int32 {
	v := p.byNode[n]
	if p.lane == nil || !v.varying {
		return nil
	}
	reg := make([]int32, len(v.live))
	for e := range reg {
		reg[e] = -1
		if r := v.ref(e); r.kind == refLane {
			reg[e] = p.lane.keep[r.key]
		}
	}
	return reg
}

// Close ends the workers.
func (c *compiled) Close() {
	c.pool.Close()
	if c.given != nil {
		c.given.Close()
	}
}

// Eval implements [Evaluator]. After the first call it does not allocate.
func (c *compiled) Eval(dst [][]float64, src []Feed) error {
	if err := c.checkCall(dst, src); err != nil {
		return err
	}
	if c.holdsDraws(src) {
		return c.evalGiven(dst, src)
	}
	c.dst, c.src = dst, src
	c.next.Store(0)
	c.pool.Run(c.part)
	c.dst, c.src = nil, nil
	// Indices are handed out in order, so the smallest failing one is the same
	// for any number of workers.
	var first *frame
	for _, f := range c.frames {
		if f.err != nil && (first == nil || f.at < first.at) {
			first = f
		}
	}
	if first != nil {
		return first.err
	}
	return nil
}

// holdsDraws reports whether a feed holds numbers that the program would draw.
func (c *compiled) holdsDraws(src []Feed) bool {
	if c.lane == nil {
		return false
	}
	for _, i := range c.lane.draws {
		if src[i].Seed == nil {
			return true
		}
	}
	return false
}

// evalGiven evaluates with a program that draws nothing by itself.
func (c *compiled) evalGiven(dst [][]float64, src []Feed) error {
	if c.given == nil {
		p, err := Compile(c.inputs, c.outputs, c.without, DrawInPlace)
		if err != nil {
			return err
		}
		if c.given, err = p.NewEvaluator(c.opt); err != nil {
			return err
		}
	}
	return c.given.Eval(dst, src)
}

// work takes outer indices until none is left or one fails.
func (c *compiled) work(f *frame) {
	f.err = nil
	for {
		i := int(c.next.Add(1)) - 1
		if i >= c.outer {
			return
		}
		if err := c.runOuter(f, i); err != nil {
			f.err, f.at = err, i
			return
		}
	}
}

// loadInputs brings the values of all inputs at one outer index into the frame.
func (c *compiled) loadInputs(f *frame, outer int) error {
	for i, n := range c.inputs {
		v := c.byNode[n]
		if v == nil || v.store == nil {
			continue
		}
		if c.lane != nil {
			if k := slices.Index(c.lane.draws, i); k >= 0 {
				f.machine.Streams[k] = vector.NewStream(c.src[i].Seed(outer))
				continue
			}
		}
		c.load(f, v, i, outer)
		if c.opt.CheckFinite {
			if err := c.checkFinite(f, v, outer); err != nil {
				return err
			}
		}
	}
	return nil
}

// unloadOutputs copies all outputs at one outer index to the caller.
func (c *compiled) unloadOutputs(f *frame, outer int) {
	for i, n := range c.outputs {
		c.unload(f, c.byNode[n], i, outer)
	}
}

func (c *compiled) runOuter(f *frame, outer int) error {
	if err := c.loadInputs(f, outer); err != nil {
		return err
	}
	if c.lane != nil {
		if err := c.lane.run(f, c.lanes); err != nil {
			return fmt.Errorf("autograd: graph %q: %w", c.b.name, err)
		}
	}
	for i := range c.steps {
		s := &c.steps[i]
		if err := s.ins.run(f); err != nil {
			return fmt.Errorf("autograd: graph %q: %v: %w", c.b.name, s.v.n, err)
		}
		if c.opt.CheckFinite {
			if err := c.checkFinite(f, s.v, outer); err != nil {
				return err
			}
		}
	}
	c.unloadOutputs(f, outer)
	return nil
}

// place is where an input is loaded: its elements are stride apart.
func (c *compiled) place(f *frame, v *value, i int) (to []float64, stride int) {
	if c.lane == nil || !v.varying {
		return f.m[v.store.off:][:v.store.size()], v.store.width
	}
	for _, in := range c.lane.inputs {
		if in.index == i {
			w := c.lane.width
			return f.machine.Full[in.first*w:][:len(v.slot)*w], w
		}
	}
	return nil, 0
}

// load brings the values of one input at one outer index into the frame.
func (c *compiled) load(f *frame, v *value, i, outer int) {
	n, feed, size := v.n, c.src[i], len(v.slot)
	to, stride := c.place(f, v, i)
	looped := c.loop != nil && n.axes.has(c.loop)
	if !v.varying {
		data := f.scratch
		switch {
		case feed.Data == nil:
			feed.write(data[:size], outer)
		case looped:
			data = feed.Data[outer*size:]
		default:
			data = feed.Data
		}
		if index := c.stored[i]; index != nil {
			kernels.Gather(to, data, index)
		} else {
			copy(to, data)
		}
		return
	}
	if c.strip {
		for l := range stride {
			k := min(outer*c.lanes+l, c.loop.size-1) // the last strip repeats its end
			x := f.scratch[:size]
			if feed.Data == nil {
				feed.write(x, k)
			} else {
				x = feed.Data[k*size:][:size]
			}
			for e, y := range x {
				to[e*stride+l] = y
			}
		}
		return
	}
	own := 1 // lanes of the input within one outer index
	for _, a := range c.laneAxes {
		if n.axes.has(a) {
			own *= a.size
		}
	}
	switch {
	case feed.Data != nil:
		data := feed.Data
		if looped {
			data = data[outer*own*size:][:own*size]
		}
		for l, k := range c.from[i] {
			for e, y := range data[k*size:][:size] {
				to[e*stride+l] = y
			}
		}
	case looped && own == stride:
		feed.write(to, outer)
	case looped:
		x := f.scratch[:own*size]
		feed.write(x, outer)
		for l, k := range c.from[i] {
			for e := range size {
				to[e*stride+l] = x[e*own+k]
			}
		}
	default: // filled along its first lane axis
		first := n.Axes()[0]
		rest := own / first.size
		x := f.scratch[:rest*size]
		for k := range first.size {
			feed.write(x, k)
			for l, m := range c.from[i] {
				if m/rest == k {
					for e := range size {
						to[e*stride+l] = x[e*rest+m%rest]
					}
				}
			}
		}
	}
	for l := c.lanes; l < stride; l++ { // lanes that round up to whole vectors
		for e := range size {
			to[e*stride+l] = to[e*stride]
		}
	}
}

// unload copies one output at one outer index to the caller.
func (c *compiled) unload(f *frame, v *value, i, outer int) {
	size := len(v.slot)
	if c.strip {
		for l := range c.lanes {
			k := outer*c.lanes + l
			if k >= c.loop.size {
				return
			}
			c.unloadLane(f, v, i, l, c.dst[i][k*size:][:size])
		}
		return
	}
	own := len(c.pick[i])
	to := c.dst[i][:own*size]
	if c.loop != nil {
		to = c.dst[i][outer*own*size:][:own*size]
	}
	for k, l := range c.pick[i] {
		c.unloadLane(f, v, i, l, to[k*size:][:size])
	}
}

// unloadLane copies one lane of an output.
func (c *compiled) unloadLane(f *frame, v *value, i, l int, to []float64) {
	if reg := c.reg[i]; reg != nil {
		for e, r := range reg {
			to[e] = 0
			if r >= 0 {
				to[e] = f.machine.Full[int(r)*c.lane.width+l]
			}
		}
		return
	}
	if v.store == nil {
		clear(to)
		return
	}
	width := v.store.width
	if width == 1 {
		if index := c.index[i]; index != nil {
			kernels.Gather(to, f.m, index)
		} else {
			copy(to, f.m[v.offset(0):])
		}
		return
	}
	m := f.m[v.store.off:][:v.store.size()]
	for e, slot := range v.slot {
		to[e] = 0
		if slot >= 0 {
			to[e] = m[slot*width+l]
		}
	}
}

func (c *compiled) checkFinite(f *frame, v *value, outer int) error {
	for e, slot := range v.slot {
		if slot < 0 {
			continue
		}
		off := v.offset(e)
		for l, x := range f.m[off : off+v.store.width] {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				if c.strip && v.varying { // lanes are indices of the outermost axis
					outer, l = outer*c.lanes+l, 0
				}
				return &NonFiniteError{Op: v.n.String(), Element: e, Lane: l, Outer: outer, Value: x}
			}
		}
	}
	return nil
}
