package exec

import (
	"fmt"
	"math"
	"slices"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/lane"
	"tobac/autograd/internal/passes"
)

// A Program is a function compiled: parts that run in order. It is immutable; any number
// of evaluators may run it at the same time.
type Program struct {
	F       *ir.Func
	Without passes.Set
	Workers int // that strips are cut for
	parts   []*part
	arrays  []array  // that parts read and write
	copies  [][2]int // outputs that are the same as an earlier one
}

// An array holds the values of one input or result of a part: the caller's, or one
// that a part computes and others read.
type array struct {
	input, output int // of the program, or -1
	size          int
}

// arrays are the numbers of the arrays that hold values of the whole function: the one to
// read, the caller's for inputs, and the one that a part has written.
type arrays struct{ read, written map[*ir.Value]int }

// A part is computed index by index of its loops.
type part struct {
	f      *ir.Func
	layout layout
	outer  int             // runs for one evaluation
	worth  int             // how many workers the runs are worth
	steps  []dense.Step    // of a part without element program
	runs   []dense.Stretch // what computes the steps
	plan   *dense.Plan
	lane   *lane.Program // nil means value by value

	inputs   []partInput
	outputs  []partOutput
	constant bool        // depends on constants only: the first evaluation computes it
	known    []*ir.Value // inputs that a constant part has computed
}

// A partInput is where an input is read.
type partInput struct {
	v      *ir.Value // nil if nothing reads it
	array  int
	data   binding
	fill   binding
	filled bool // fill holds: the feed writes what one index reads
	draw   int  // number of the stream if it is drawn where it is used, else -1
	first  int  // register of the first element, if it has lanes
	// Of inputs without lanes: the offsets of what is stored, in data and in fill; nil if
	// that is all of it, in order.
	stored, storedFill []int32
	slots              int
}

// A partOutput is where an output is written.
type partOutput struct {
	v         *ir.Value
	array     int
	data      binding
	registers []int32 // of lanes; -1 for a zero
	zeros     bool    // there are some
	offsets   []int32 // of the arena; nil if one behind the other from start on
	start     int
}

// Options of compilation and evaluation.
type Options struct {
	Workers     int
	CheckFinite bool
	Without     passes.Set
}

// Compile makes the program of a function. observe sees each part after each pass; nil means none.
func Compile(f *ir.Func, opt Options, observe func(passes.Pass, *ir.Func)) (*Program, error) {
	p := &Program{F: f, Without: opt.Without, Workers: max(opt.Workers, 1)}
	numbers, written := map[*ir.Value]int{}, map[*ir.Value]int{}
	for i, v := range f.Inputs {
		numbers[v] = len(p.arrays)
		p.arrays = append(p.arrays,
			array{input: i, output: -1, size: v.Axes.Lanes(f.Axes) * v.Len()})
	}
	for _, cut := range passes.Split(f) {
		if err := p.addPart(cut, nil, arrays{numbers, written}, observe); err != nil {
			return nil, fmt.Errorf("autograd: graph %q: %w", f.Name, err)
		}
	}
	p.findConstants(written)
	for i, v := range f.Outputs {
		n := &p.arrays[written[v]]
		if n.output >= 0 {
			p.copies = append(p.copies, [2]int{n.output, i})
			continue
		}
		n.output = i
	}
	return p, nil
}

// findConstants finds the parts that the first evaluation runs only. Those with results that
// are the caller's run in every evaluation.
func (p *Program) findConstants(written map[*ir.Value]int) {
	for _, q := range p.parts {
		for _, v := range p.F.Outputs {
			q.constant = q.constant && !q.writes(written[v])
		}
	}
	known := make([]bool, len(p.arrays))
	for _, q := range p.parts {
		for _, in := range q.inputs {
			q.constant = q.constant && (in.v == nil || known[in.array])
		}
		for _, out := range q.outputs {
			known[out.array] = q.constant
		}
	}
}

// addPart compiles one part, whose indices of the outer axes are computed one after the
// other already.
func (p *Program) addPart(cut passes.Part, outer []*ir.Axis, numbers arrays,
	observe func(passes.Pass, *ir.Func)) error {
	loops := outer
	if cut.Loop != nil {
		loops = append(slices.Clone(outer), cut.Loop)
	}
	lanes := laneAxis(cut.F, loops)
	if lanes != nil && p.flattensBetter(cut, loops, lanes) {
		lanes = nil
	}
	q, err := p.newPart(cut, loops, lanes, lanes != nil, observe)
	if err != nil {
		return err
	}
	q.known = p.knownInputs(q, cut, numbers)
	if again, err := p.layOut(q); err != nil || again {
		if err != nil {
			return err
		}
		return p.splitLanes(cut, q, numbers, observe)
	}
	p.bindPart(q, cut, numbers)
	q.f.Forget()
	q.constant = !slices.ContainsFunc(q.inputs, func(in partInput) bool {
		return in.v != nil && !slices.Contains(q.known, in.v)
	})
	p.parts = append(p.parts, q)
	return nil
}

// knownInputs are the inputs of a part that depend on constants only.
func (p *Program) knownInputs(q *part, cut passes.Part, numbers arrays) (known []*ir.Value) {
	for i, v := range q.f.Inputs {
		if v == nil {
			continue
		}
		n := numbers.read[cut.From[i]]
		if slices.ContainsFunc(p.parts, func(q *part) bool { return q.constant && q.writes(n) }) {
			known = append(known, v)
		}
	}
	return known
}

// writes reports whether an array is an output of the part.
func (q *part) writes(array int) bool {
	return slices.ContainsFunc(q.outputs, func(out partOutput) bool { return out.array == array })
}

// newPart prepares a part with some axes as loops, one as lanes, and the others as
// dimensions. again says that the function of the cut is needed once more, as it is.
func (p *Program) newPart(cut passes.Part, loops []*ir.Axis, lanes *ir.Axis, again bool,
	observe func(passes.Pass, *ir.Func)) (*part, error) {
	q := &part{f: cut.F, layout: layout{loops: loops, lane: lanes}, outer: 1, worth: math.MaxInt}
	var keep ir.AxisSet
	for _, a := range loops {
		keep = keep.With(a)
		q.outer *= a.Size()
	}
	if lanes != nil {
		keep = keep.With(lanes)
	}
	f := cut.F
	if again {
		f = passes.Clone(f)
	}
	q.f = passes.Flatten(f, keep)
	return q, passes.Run(q.f, passes.Standard(p.Without), observe)
}

// flattensBetter reports whether the indices of the loop as lanes, with the axis that would
// have been lanes as a dimension, are estimated to take less time.
func (p *Program) flattensBetter(cut passes.Part, loops []*ir.Axis, lanes *ir.Axis) bool {
	// To compare both, the part is compiled twice: up to so many elements, and up to more of them
	// where products are joined into larger ones.
	const most, mostSummed = 200_000, 4_000_000
	if len(loops) != 1 || cut.Loop == nil || p.Without&passes.ElementSchedule != 0 {
		return false
	}
	elements := 0
	for _, v := range cut.F.Values {
		if v.Axes.Has(lanes) {
			elements += v.Len() * lanes.Size()
		}
	}
	summed := passes.SummedProducts(cut.F, lanes, ir.AxisSet(0).With(cut.Loop))
	for _, v := range summed {
		elements -= v.Len() * lanes.Size()
	}
	if elements > mostSummed || len(summed) == 0 && elements > most {
		return false
	}
	apart, err := p.newPart(cut, loops, lanes, true, nil)
	if err != nil {
		return false
	}
	flat, err := p.newPart(cut, loops, nil, true, nil)
	if err != nil {
		return false
	}
	w := measure(apart.f, dense.Codes(p.Without), func(v *ir.Value) bool {
		return v.Axes.Has(lanes)
	})
	size := cut.Loop.Size()
	onLanes := float64(size) * (w.onLanes(lanes.Size()) + w.uniform + denseCall) * laneProgram
	strips, whole := p.lone(flat.f, cut.Loop)
	for _, v := range cut.F.Inputs {
		if v != nil && v.Uniform && v.Axes.Has(lanes) {
			n := float64(v.Len() * lanes.Size() * size)
			strips, whole = strips+laneStored*n, whole+denseStored*n
		}
	}
	return min(strips, whole) < onLanes
}

// lone estimates the time of a part without lanes: strips of a loop's indices as lanes, and
// whole arrays for each index. It is that of one worker: the layout, and with it the
// order of sums, must not depend on their number.
func (p *Program) lone(f *ir.Func, loop *ir.Axis) (strips, whole float64) {
	w := measure(f, dense.Codes(p.Without), func(v *ir.Value) bool { return v.Axes.Has(loop) })
	lanes := stripLanes(loop.Size(), 1)
	count := (loop.Size() + lanes - 1) / lanes
	return float64(count) * (w.onLanes(lanes) + w.uniform), float64(loop.Size()) * w.dense
}

// splitLanes computes a part index by index of the axis that would have been lanes.
func (p *Program) splitLanes(cut passes.Part, q *part, numbers arrays,
	observe func(passes.Pass, *ir.Func)) error {
	inner := passes.SplitBy(cut.F, q.layout.lane)
	for i := range inner {
		for k, v := range inner[i].From {
			inner[i].From[k] = original(v, cut)
		}
		for k, v := range inner[i].To {
			inner[i].To[k] = original(v, cut)
		}
		if err := p.addPart(inner[i], q.layout.loops, numbers, observe); err != nil {
			return err
		}
	}
	return nil
}

// original is the value of the whole function that an input or output of a part stands
// for, or the part's own value, which other parts within it read.
func original(v *ir.Value, cut passes.Part) *ir.Value {
	if v.IsInput() {
		return cut.From[v.Input]
	}
	for i, o := range cut.F.Outputs {
		if o == v {
			return cut.To[i]
		}
	}
	return v
}

// layOut chooses the layout of a part and makes its operations. again says that its lanes
// have to be indices of a loop.
func (p *Program) layOut(q *part) (again bool, err error) {
	elements := p.Without&passes.ElementSchedule == 0
	loop := (*ir.Axis)(nil)
	if n := len(q.layout.loops); n > 0 {
		loop = q.layout.loops[n-1]
	}
	if lanes := q.layout.lane; lanes != nil {
		w := measure(q.f, dense.Codes(p.Without), func(v *ir.Value) bool {
			return v.Axes.Has(lanes)
		})
		if why, too := w.tooLarge(); too {
			q.layout.why = why
			return true, nil
		}
		if elements && w.ops+w.terms+w.slow > 0 {
			q.layout.why = fmt.Sprintf("%d indices of axis %q as lanes of an element program",
				lanes.Size(), lanes.Name())
			axes := lane.Axes{Loop: loop, Lane: lanes}
			if len(q.layout.loops) != 1 {
				axes.Loop = nil
			}
			q.worth = w.worth(float64(q.outer) * (w.onLanes(lanes.Size()) + w.uniform))
			q.lane, err = lane.Compile(q.f, axes, p.Without)
			return false, err
		}
		return false, q.compileDense(lanes, lanes.Size(), p.Without)
	}
	if loop != nil && len(q.layout.loops) == 1 && elements {
		w := measure(q.f, dense.Codes(p.Without), func(v *ir.Value) bool {
			return v.Axes.Has(loop)
		})
		onLanes, one := p.lone(q.f, loop)
		q.worth = w.worth(min(onLanes, one))
		strip := stripLanes(loop.Size(), min(p.Workers, q.worth))
		strips := (loop.Size() + strip - 1) / strip
		why, too := w.tooLarge()
		if w.ops+w.terms+w.slow > 0 && !too && onLanes < one {
			q.layout.lane, q.layout.strip, q.outer = loop, strip, strips
			q.layout.why = fmt.Sprintf("%d indices of axis %q at a time as lanes of an element "+
				"program, estimated %.3g µs for all against %.3g µs array by array", strip,
				loop.Name(), onLanes/1e3, one/1e3)
			q.lane, err = lane.Compile(q.f, lane.Axes{Lane: loop, Strip: strip}, p.Without)
			return false, err
		}
		if too {
			q.layout.why = why
		} else {
			q.layout.why = fmt.Sprintf("array by array for each index of axis %q, estimated %.3g "+
				"µs for all against %.3g µs as lanes", loop.Name(), one/1e3, onLanes/1e3)
		}
	}
	return false, q.compileDense(nil, 1, p.Without)
}

// WorkerNanoseconds is how long a worker must have to do, by the estimate, to be called: about what
// it takes to let it begin and to hear of its end. Tests set it to 0: all are called.
var WorkerNanoseconds = 10_000.

// worth is how many workers a computation of some nanoseconds is worth. What operations of users
// take is not known.
func (w *work) worth(nanoseconds float64) int {
	if w.opaque > 0 || WorkerNanoseconds == 0 {
		return math.MaxInt
	}
	return 1 + int(min(nanoseconds/WorkerNanoseconds, 1e6))
}

// stripLanes is the number of indices of a lone axis that are computed together: whole
// vectors, so that every worker gets some.
func stripLanes(size, workers int) int {
	const vector, most = 8, 64
	each := (size + workers - 1) / workers
	strips := (each + most - 1) / most
	each = (each + strips - 1) / strips
	return max((each+vector-1)/vector*vector, vector)
}

// compileDense makes the steps of a part without element program.
func (q *part) compileDense(axis *ir.Axis, lanes int, without passes.Set) (err error) {
	coded := axis == nil && dense.Codes(without)
	if coded {
		dense.Order(q.f)
	}
	q.plan, err = dense.NewPlan(q.f, axis, lanes, lanes, without)
	if err != nil {
		return err
	}
	if axis == nil {
		q.plan.PlaceSmall(q.known)
	} else {
		q.plan.PlaceAll(func(*ir.Value) bool { return false })
	}
	q.plan.AllocateReusing(q.known...)
	computed := 0
	for _, v := range q.f.Values {
		if v.Computed() && q.plan.Stored(v) {
			computed++
		}
	}
	q.steps = make([]dense.Step, 0, computed)
	for _, v := range q.f.Values {
		if v.Computed() && q.plan.Stored(v) {
			if s := q.plan.Step(v); s.Instruction != nil {
				q.steps = append(q.steps, s)
			}
		}
	}
	q.runs, err = q.plan.Join(q.steps, coded)
	return err
}

// bindPart finds where the inputs and outputs of a part lie.
func (p *Program) bindPart(q *part, cut passes.Part, numbers arrays) {
	lanes := q.layout.lane
	if q.lane != nil {
		q.plan = q.lane.Plan
	}
	for i, v := range q.f.Inputs {
		from := cut.From[i]
		in := partInput{array: numbers.read[from], draw: -1, first: -1}
		if v != nil && q.plan.Stored(v) || q.draws(v) {
			in.v = v
		}
		own := from.Len()
		in.data = bind(q.f, v, from.Axes, own, q.layout.loops, lanes)
		in.fill, in.filled = bindFill(q.f, v, from.Axes, own, q.layout.loops, lanes)
		if q.lane != nil {
			in.draw = slices.Index(q.lane.Draws, v)
			for _, x := range q.lane.Inputs {
				if x.V == v {
					in.first = x.First
				}
			}
		}
		if in.v != nil && !q.plan.Varies(v) {
			at := q.plan.Place(v)
			in.slots = at.Store.Slots
			in.stored = in.data.picked(at.Slot)
			if in.filled {
				in.storedFill = in.fill.picked(at.Slot)
			}
		}
		q.inputs = append(q.inputs, in)
	}
	for i, v := range q.f.Outputs {
		to := cut.To[i]
		n := len(p.arrays)
		p.arrays = append(p.arrays,
			array{input: -1, output: -1, size: to.Axes.Lanes(q.f.Axes) * to.Len()})
		numbers.written[to] = n
		if _, known := numbers.read[to]; !known {
			numbers.read[to] = n
		}
		out := partOutput{v: v, array: n,
			data: bind(q.f, v, to.Axes, to.Len(), q.layout.loops, lanes)}
		if q.lane != nil && q.plan.Varies(v) {
			for e := range v.Live {
				r := q.lane.Register(v, e)
				out.registers = append(out.registers, r)
				out.zeros = out.zeros || r < 0
			}
		} else if out.offsets = q.plan.Offsets(v); out.offsets == nil && v.Len() > 0 {
			out.start = q.plan.Offset(v, 0)
		}
		q.outputs = append(q.outputs, out)
	}
}

// draws reports whether v is drawn where it is used.
func (q *part) draws(v *ir.Value) bool {
	return q.lane != nil && slices.Contains(q.lane.Draws, v)
}
