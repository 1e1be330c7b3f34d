package exec

import (
	"fmt"
	"slices"
	"sync/atomic"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/lane"
	"tobac/internal/memory"
	"tobac/internal/pool"
	"tobac/internal/vector"
)

// evaluator runs a program. The goroutines of the workers live until Close and
// sleep between evaluations.
type evaluator struct {
	*Program
	opt     Options
	workers int
	frames  [][]*frame // by worker and part
	arrays  [][]float64
	written []float64   // scratch memory of inputs that are written out before the parts run
	own     [][]float64 // by array: what the program holds between parts
	pool    *pool.Pool
	run     func(worker int) // of a part
	part    int
	ran     bool // parts without inputs have run
	next    atomic.Int64
	src     []Feed
	given   Evaluator // for feeds that hold numbers to be drawn; made when needed
	sizes   sizes     // of feeds and results
	draws   bool      // some part draws numbers
	direct  *direct   // nil if the program does not have the form, or is checked
}

// sizes are the lengths of all feeds and results.
type sizes struct{ in, out []int }

// fit reports whether every feed is data of the right length, as every result is.
func (s *sizes) fit(dst [][]float64, src []Feed) bool {
	if len(src) != len(s.in) || len(dst) != len(s.out) {
		return false
	}
	for i := range src {
		if f := &src[i]; f.Data == nil || len(f.Data) != s.in[i] || f.Fill != nil || f.Seed != nil {
			return false
		}
	}
	for i := range dst {
		if len(dst[i]) != s.out[i] {
			return false
		}
	}
	return true
}

// sizes finds the lengths of feeds and results.
func (p *Program) sizes() (s sizes) {
	for _, v := range p.F.Inputs {
		s.in = append(s.in, v.Axes.Lanes(p.F.Axes)*v.Len())
	}
	for _, v := range p.F.Outputs {
		s.out = append(s.out, v.Axes.Lanes(p.F.Axes)*v.Len())
	}
	return s
}

// A frame is what one worker runs one part in.
type frame struct {
	state   *lane.State // nil without element program
	dense   *dense.Frame
	scratch []float64 // filled inputs
	at      []int     // indices of the loops
	failed  []failure
}

type failure struct {
	outer, index int // index of the outermost loop
	cause        error
}

// NewEvaluator prepares to run the program on opt.Workers goroutines.
func (p *Program) NewEvaluator(opt Options) (Evaluator, error) {
	opt.Workers = max(opt.Workers, 1)
	if p.hasStrips() && opt.Workers != p.Workers {
		// Strips are cut for a number of workers. Results are the same.
		q, err := Compile(p.F, Options{Workers: opt.Workers, Without: p.Without}, nil)
		if err != nil {
			return nil, err
		}
		p = q
	}
	c := &evaluator{Program: p, opt: opt, arrays: make([][]float64, len(p.arrays)),
		own: make([][]float64, len(p.arrays)), sizes: p.sizes()}
	c.workers = 1
	for _, q := range p.parts {
		c.workers = max(c.workers, min(opt.Workers, q.outer, q.worth))
		for _, in := range q.inputs {
			c.draws = c.draws || in.draw >= 0
		}
	}
	if err := p.checkMemory(c.workers); err != nil {
		return nil, err
	}
	for n, a := range p.arrays {
		if a.input < 0 && a.output < 0 {
			c.own[n] = vector.Memory(a.size)
		}
	}
	for range c.workers {
		var fs []*frame
		for _, q := range p.parts {
			fs = append(fs, q.newFrame())
		}
		c.frames = append(c.frames, fs)
	}
	if !opt.CheckFinite {
		c.direct = c.newDirect()
	}
	workers := c.workers
	for k, q := range c.parts {
		if opt.Workers > 1 && q.outer == 1 && !opt.CheckFinite && dense.Shares(q.runs) {
			workers = opt.Workers
			c.frames[0][k].dense.Share(workers, func(n int, work func(worker int)) {
				c.pool.Run(n, work)
			})
		}
	}
	c.pool = pool.New(workers)
	c.run = func(worker int) { c.work(c.frames[worker][c.part], c.parts[c.part]) }
	return c, nil
}

// checkMemory refuses what would not fit, where it is more than a gigabyte.
func (p *Program) checkMemory(workers int) error {
	numbers := 0.0
	for _, a := range p.arrays {
		if a.input < 0 && a.output < 0 {
			numbers += float64(a.size)
		}
	}
	for _, q := range p.parts {
		n := q.plan.Arena + q.plan.Scratch
		if q.lane != nil {
			n = q.lane.Length + q.plan.Scratch
		}
		numbers += float64(workers) * float64(n)
	}
	if numbers < 1<<27 {
		return nil
	}
	if err := memory.Check("numbers of a program", 8*numbers); err != nil {
		return fmt.Errorf("autograd: graph %q: %w", p.F.Name, err)
	}
	return nil
}

// hasStrips reports whether a part computes some indices of its loop at a time.
func (p *Program) hasStrips() bool {
	return slices.ContainsFunc(p.parts, func(q *part) bool { return q.layout.strip > 0 })
}

func (q *part) newFrame() *frame {
	f := &frame{at: make([]int, len(q.layout.loops))}
	n := 0
	for _, in := range q.inputs {
		if in.filled {
			n = max(n, in.fill.size)
		}
	}
	f.scratch = vector.Memory(n)
	if q.lane != nil {
		f.state = q.lane.NewState()
		f.dense = f.state.Frame
		return f
	}
	f.dense = q.plan.NewFrame()
	return f
}

// Close ends the workers.
func (c *evaluator) Close() {
	c.pool.Close()
	if c.given != nil {
		c.given.Close()
	}
}

// Eval implements [Evaluator]. After the first call it does not allocate.
func (c *evaluator) Eval(dst [][]float64, src []Feed) error {
	data := c.sizes.fit(dst, src)
	if d := c.direct; d != nil && data && c.ran &&
		d.eval(c.parts[d.part], c.frames[0][d.part], dst, src) {
		return nil
	}
	if !data {
		if err := CheckCall(c.F, dst, src); err != nil {
			return err
		}
	}
	if c.draws && c.holdsDraws(src) {
		return c.evalGiven(dst, src)
	}
	c.src = src
	c.point(dst, src)
	if !data {
		c.write(src)
	}
	var failed *FailedError
	for k, q := range c.parts {
		if q.constant && c.ran {
			continue
		}
		if workers := min(c.workers, q.outer, q.worth); workers > 1 {
			c.part = k
			c.next.Store(0)
			c.pool.Run(workers, c.run)
		} else {
			for i := range q.outer {
				c.runOuter(c.frames[0][k], q, i)
			}
		}
		failed = c.collect(failed, k)
	}
	c.ran = failed == nil
	for _, pair := range c.copies {
		copy(dst[pair[1]], dst[pair[0]])
	}
	c.src = nil
	if failed == nil {
		return nil
	}
	c.spoil(dst, failed)
	return failed
}

// point makes the arrays those of the call.
func (c *evaluator) point(dst [][]float64, src []Feed) {
	for n, a := range c.Program.arrays {
		switch {
		case a.input >= 0:
			c.arrays[n] = src[a.input].Data
		case a.output >= 0:
			c.arrays[n] = dst[a.output]
		default:
			c.arrays[n] = c.own[n]
		}
	}
}

// write writes out the inputs that no part can have filled as it reads them.
func (c *evaluator) write(src []Feed) {
	for _, q := range c.parts {
		for _, in := range q.inputs {
			a := c.Program.arrays[in.array]
			if a.input < 0 || in.v == nil || c.arrays[in.array] != nil || in.filled || a.size == 0 {
				continue
			}
			if c.own[in.array] == nil {
				c.own[in.array] = vector.Memory(a.size)
				if len(c.written) < a.size {
					c.written = vector.Memory(a.size)
				}
			}
			c.arrays[in.array] = Materialise(c.F, c.F.Inputs[a.input], src[a.input],
				c.own[in.array], c.written)
		}
	}
}

// holdsDraws reports whether a feed holds numbers that the program would draw.
func (c *evaluator) holdsDraws(src []Feed) bool {
	for _, q := range c.parts {
		for _, in := range q.inputs {
			if in.draw >= 0 && src[c.Program.arrays[in.array].input].Seed == nil {
				return true
			}
		}
	}
	return false
}

// evalGiven evaluates with a program that draws nothing by itself.
func (c *evaluator) evalGiven(dst [][]float64, src []Feed) error {
	if c.given == nil {
		p, err := Compile(c.F, Options{Workers: c.opt.Workers, Without: c.Without | drawInPlace},
			nil)
		if err != nil {
			return err
		}
		if c.given, err = p.NewEvaluator(c.opt); err != nil {
			return err
		}
	}
	return c.given.Eval(dst, src)
}

// work takes outer indices until none is left.
func (c *evaluator) work(f *frame, q *part) {
	for {
		i := int(c.next.Add(1)) - 1
		if i >= q.outer {
			return
		}
		c.runOuter(f, q, i)
	}
}

// runOuter computes one index, or one strip of them.
func (c *evaluator) runOuter(f *frame, q *part, outer int) {
	f.dense.Failed = f.dense.Failed[:0]
	q.place(f, outer)
	c.load(f, q)
	switch {
	case c.opt.CheckFinite:
		c.runChecked(f, q)
	case q.lane != nil:
		q.lane.Run(f.state)
	default:
		for i := range q.runs {
			q.runs[i].Run(f.dense)
		}
	}
	c.unload(f, q)
	for _, x := range f.dense.Failed {
		f.failed = append(f.failed, failure{outer, q.index(f, x.Lane), causeOf(q.f, x)})
	}
}

// place finds the indices of the loops.
func (q *part) place(f *frame, outer int) {
	if q.layout.strip > 0 {
		f.at[0] = outer * q.layout.strip
		return
	}
	for i := len(f.at) - 1; i >= 0; i-- {
		n := q.layout.loops[i].Size()
		f.at[i] = outer % n
		outer /= n
	}
}

// index of the outermost loop that a lane belongs to.
func (q *part) index(f *frame, l int) int {
	switch {
	case q.layout.strip > 0:
		return min(f.at[0]+l, q.layout.loops[0].Size()-1)
	case len(f.at) > 0:
		return f.at[0]
	}
	return 0
}

// lanes is the number of lanes that the values of a part have, and how many of them are
// indices of the axis from the present one on.
func (q *part) lanes(f *frame) (width, count int) {
	switch {
	case q.layout.lane == nil:
		return 1, 1
	case q.layout.strip > 0:
		return q.plan.Lanes, min(q.layout.strip, q.layout.loops[0].Size()-f.at[0])
	}
	return q.plan.Lanes, q.plan.Count
}

// load brings the values of all inputs at the present indices into the frame.
func (c *evaluator) load(f *frame, q *part) {
	for i := range q.inputs {
		in := &q.inputs[i]
		if in.v == nil {
			continue
		}
		data, b := c.arrays[in.array], &in.data
		var feed *Feed
		if a := c.Program.arrays[in.array].input; a >= 0 {
			feed = &c.src[a]
		}
		if in.draw >= 0 {
			f.state.Machine.Streams[in.draw] = vector.NewStream(feed.Seed(f.at[0]))
			continue
		}
		if data == nil && feed != nil {
			if q.layout.strip > 0 {
				c.loadStrip(f, q, in, feed)
				continue
			}
			if to := q.direct(f, in); to != nil {
				feed.write(to, f.at[0])
				continue
			}
			data, b = f.scratch[:in.fill.size], &in.fill
			feed.write(data, f.at[0])
		}
		q.scatter(f, in, data[b.at(f.at):], b)
	}
}

// direct is where an input is in the frame if it lies there as feeds write it.
func (q *part) direct(f *frame, in *partInput) []float64 {
	width, count := q.lanes(f)
	if q.lane == nil || in.first < 0 || in.v.Flat != 0 || width != count ||
		in.fill.size != len(in.fill.elem)*width || in.fill.lane != 1 {
		return nil
	}
	return f.state.Machine.Full[in.first*width:][:in.fill.size]
}

// loadStrip brings the values of a strip of indices into the frame, which are written one
// by one.
func (c *evaluator) loadStrip(f *frame, q *part, in *partInput, feed *Feed) {
	width, count := q.lanes(f)
	x := f.scratch[:in.fill.size]
	for l := range width {
		if l < count {
			feed.write(x, f.at[0]+l)
		}
		for e, off := range in.fill.elem {
			if at, ok := q.inputAt(in, e, width); ok {
				f.dense.M[at+l] = x[off]
			}
		}
	}
}

// inputAt is where element e of an input with lanes lies.
func (q *part) inputAt(in *partInput, e, width int) (at int, ok bool) {
	if in.first >= 0 {
		return q.lane.RegistersAt + (in.first+e)*width, true
	}
	if q.plan.Place(in.v).Slot[e] < 0 {
		return 0, false
	}
	return q.plan.Offset(in.v, e), true
}

// scatter copies numbers that lie as b says into the frame.
func (q *part) scatter(f *frame, in *partInput, data []float64, b *binding) {
	m := f.dense.M
	if !q.plan.Varies(in.v) {
		to, index := m[q.plan.Place(in.v).Store.Off:][:in.slots], in.stored
		if b == &in.fill {
			index = in.storedFill
		}
		if index == nil {
			copy(to, data)
		} else {
			dense.Kernels.Gather(to, data, index)
		}
		return
	}
	width, count := q.lanes(f)
	if b.plain && in.first >= 0 {
		at := q.lane.RegistersAt + in.first*width
		toLanes(m[at:][:len(b.elem)*width], width, data, b.lane, len(b.elem), count)
		return
	}
	for e, off := range b.elem {
		at, ok := q.inputAt(in, e, width)
		if !ok {
			continue
		}
		to := m[at:][:width]
		for l := range count {
			to[l] = data[int(off)+l*b.lane]
		}
		for l := count; l < width; l++ { // lanes that round up to whole vectors repeat the last
			to[l] = to[count-1]
		}
	}
}

// unload copies all outputs at the present indices to their arrays.
func (c *evaluator) unload(f *frame, q *part) {
	_, count := q.lanes(f)
	width := q.plan.Lanes
	for i := range q.outputs {
		out := &q.outputs[i]
		to := c.arrays[out.array][out.data.at(f.at):]
		switch {
		case out.registers != nil && out.data.plain && !out.zeros:
			fromLanes(to, out.data.lane, f.state.Machine.Full, out.registers, width, count)
		case out.registers != nil:
			full := f.state.Machine.Full
			for e, off := range out.data.elem {
				r := out.registers[e]
				for l := range count {
					x := 0.0
					if r >= 0 {
						x = full[int(r)*width+l]
					}
					to[int(off)+l*out.data.lane] = x
				}
			}
		case q.plan.Varies(out.v) || out.data.lane > 0: // perhaps the same in all lanes
			for e, off := range out.data.elem {
				at, w := q.plan.Offset(out.v, e), q.plan.Width(out.v, e)
				for l := range count {
					to[int(off)+l*out.data.lane] = f.dense.M[at+min(l, w-1)]
				}
			}
		case out.data.plain && out.offsets == nil:
			copy(to[:len(out.data.elem)], f.dense.M[out.start:])
		case out.data.plain:
			dense.Kernels.Gather(to[:len(out.offsets)], f.dense.M, out.offsets)
		default:
			for e, off := range out.data.elem {
				to[off] = f.dense.M[q.plan.Offset(out.v, e)]
			}
		}
	}
}

// collect adds the failures of part k to those before it. Failures of parts with another
// loop, or without one, are consequences of earlier ones, or are reported once these are
// mended.
func (c *evaluator) collect(failed *FailedError, k int) *FailedError {
	axis := ""
	if loops := c.parts[k].layout.loops; len(loops) > 0 {
		axis = loops[0].Name()
	}
	for _, fs := range c.frames {
		f := fs[k]
		for _, x := range f.failed {
			if failed == nil {
				failed = &FailedError{Graph: c.F.Name, Axis: axis}
			}
			if failed.Axis == axis {
				failed.add(x.index, x.cause)
			}
		}
		f.failed = f.failed[:0]
	}
	return failed
}

// spoil makes the results of failed indices NaN.
func (c *evaluator) spoil(dst [][]float64, failed *FailedError) {
	for i, v := range c.F.Outputs {
		if axes := v.Axes.Of(c.F.Axes); len(axes) > 0 && axes[0].Name() == failed.Axis {
			n := len(dst[i]) / axes[0].Size()
			for _, k := range failed.Indices {
				fillNaN(dst[i][k*n:][:n])
			}
		} else if failed.Axis == "" {
			fillNaN(dst[i])
		}
	}
}
