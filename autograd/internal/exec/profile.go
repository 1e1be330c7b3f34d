package exec

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/lane"
	"tobac/autograd/internal/lane/vm"
	"tobac/autograd/internal/passes"
	"tobac/internal/vector"
	"tobac/internal/words"
)

// A Profile is the measurement that autograd.Profile documents.
type Profile struct {
	Name, Kernels          string
	Without                passes.Set
	Indices, Lanes, Rounds int
	Clock, Entry, Whole    float64
	Parts                  []ProfilePart
}

// A ProfilePart is one that autograd.ProfilePart documents.
type ProfilePart struct {
	Level                 int
	Group, Name           string
	Count, Lanes          int
	Seconds, Flops, Bytes float64
}

// Profile evaluates the program on one worker, as an [Evaluator] does into dst, and
// measures its parts: loading inputs, every instruction, the preparation of
// factors for lane operations, the choice of the lanes that count, every group of
// lane operations as a whole, each operation of it by itself, and storing the
// results. All run the same kernels as an evaluation.
//
// At every outer index all is repeated in rounds, and of each part the fastest
// round counts, so that interruptions do not. Between the parts nothing is
// measured in the same way, and a group without operations: the mean of their
// fastest times at that index is what the clock costs, and starting a group, and is
// subtracted from the other measurements. What is left of a lane operation of a few
// nanoseconds is uncertain by as much, and single operations do not overlap: their
// times add up to more than that of their group. They say how it is shared out.
func (p *Program) Profile(dst [][]float64, src []Feed, rounds int) (*Profile, error) {
	if rounds < 1 {
		return nil, fmt.Errorf("autograd: graph %q: profile of %d rounds, want at least 1",
			p.F.Name, rounds)
	}
	e, err := p.NewEvaluator(Options{Workers: p.Workers})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	c := e.(*evaluator)
	if err := CheckCall(p.F, dst, src); err != nil {
		return nil, err
	}
	if c.holdsDraws(src) {
		given, err := Compile(p.F, Options{Workers: p.Workers, Without: p.Without | drawInPlace},
			nil)
		if err != nil {
			return nil, err
		}
		return given.Profile(dst, src, rounds)
	}
	c.src = src
	c.point(dst, src)
	c.write(src)
	pr := &profiler{c: c, base: time.Now(), parts: map[ProfilePart]int{}}
	pr.profile = &Profile{Name: p.F.Name, Kernels: dense.Kernels.String(), Without: p.Without,
		Rounds: rounds}
	for _, q := range p.parts {
		if q.outer >= pr.profile.Indices {
			pr.profile.Indices, pr.profile.Lanes = q.outer, q.plan.Count
		}
	}
	return pr.profile, pr.run()
}

// A profiler takes an evaluation apart.
type profiler struct {
	c       *evaluator
	f       *frame
	q       *part
	stages  int // of the parts before
	base    time.Time
	profile *Profile
	parts   map[ProfilePart]int // place in the profile, by level, group and name
	streams []vector.Stream     // at the start of a group
	probes  []probe             // in the order of the program, at one outer index
	at      int                 // the next one
}

// A probe is a measured piece of the program.
type probe struct {
	kind         probeKind
	part         int
	fastest      time.Duration
	count, lanes int
	flops, bytes int
}

type probeKind uint8

const (
	probePart  probeKind = iota
	probeLanes           // one lane operation, which starts a group
	probeClock           // nothing
	probeStart           // a group without operations
)

// now reads the clock.
func (pr *profiler) now() time.Duration { return time.Since(pr.base) }

// run measures all outer indices of all parts.
func (pr *profiler) run() error {
	runtime.GC() // its write barriers would slow the start of groups
	indices := 0
	for k, q := range pr.c.parts {
		pr.q, pr.f, pr.probes = q, pr.c.frames[0][k], nil
		for outer := range q.outer {
			if err := pr.index(outer); err != nil {
				return err
			}
		}
		indices += q.outer
		if q.lane != nil {
			pr.stages += len(q.lane.Stages)
		}
	}
	parts := pr.profile.Parts
	for i := range parts {
		parts[i].Seconds = max(parts[i].Seconds, 0)
	}
	pr.profile.Clock /= float64(indices)
	pr.profile.Entry /= float64(indices)
	for from := 0; from < len(parts); {
		to := from + 1
		if parts[from].Group != "" && parts[from].Name == "" {
			for to < len(parts) && parts[to].Name != "" && parts[to].Group != "" {
				to++
			}
			slices.SortStableFunc(parts[from+1:to], func(a, b ProfilePart) int {
				return cmp.Compare(b.Seconds, a.Seconds)
			})
		}
		from = to
	}
	return nil
}

// index measures one outer index of a part.
func (pr *profiler) index(outer int) error {
	whole := time.Duration(math.MaxInt64)
	for i := range pr.probes {
		pr.probes[i].fastest = math.MaxInt64
	}
	for range pr.profile.Rounds {
		whole = min(whole, pr.time(func() { pr.c.runOuter(pr.f, pr.q, outer) }))
		if len(pr.f.failed) > 0 {
			return pr.c.collect(nil, slices.Index(pr.c.parts, pr.q))
		}
		pr.at = 0
		pr.outer(outer)
	}
	pr.collect(whole)
	return nil
}

// collect adds the fastest times at one outer index to the profile.
func (pr *profiler) collect(whole time.Duration) {
	clock, entry := pr.mean(probeClock), pr.mean(probeStart)
	entry = max(entry-clock, 0)
	pr.profile.Clock += clock
	pr.profile.Entry += entry
	pr.profile.Whole += whole.Seconds() - clock
	for _, b := range pr.probes {
		if b.kind == probeClock || b.kind == probeStart {
			continue
		}
		part := &pr.profile.Parts[b.part]
		part.Count += b.count
		part.Lanes += b.lanes
		part.Seconds += b.fastest.Seconds() - clock
		if b.kind == probeLanes {
			part.Seconds -= entry
		}
		part.Flops += float64(b.flops)
		part.Bytes += float64(b.bytes)
	}
}

// mean is that of the fastest times of one kind, in seconds.
func (pr *profiler) mean(kind probeKind) float64 {
	sum, n := time.Duration(0), 0
	for _, b := range pr.probes {
		if b.kind == kind {
			sum += b.fastest
			n++
		}
	}
	return sum.Seconds() / max(float64(n), 1)
}

// time is how long run takes, the clock included.
func (pr *profiler) time(run func()) time.Duration {
	from := pr.now()
	run()
	return pr.now() - from
}

// measure runs a piece of the program.
func (pr *profiler) measure(of ProfilePart, b probe, run func()) {
	took := pr.time(run)
	if b.kind == probePart || b.kind == probeLanes {
		part, ok := pr.parts[of]
		if !ok {
			part = len(pr.profile.Parts)
			pr.parts[of] = part
			pr.profile.Parts = append(pr.profile.Parts, of)
		}
		b.part = part
	}
	b.fastest = took
	if pr.at == len(pr.probes) {
		pr.probes = append(pr.probes, b)
	} else {
		b.fastest = min(took, pr.probes[pr.at].fastest)
		pr.probes[pr.at] = b
	}
	pr.at++
}

// outer does what runOuter does.
func (pr *profiler) outer(outer int) {
	c, f, q := pr.c, pr.f, pr.q
	q.place(f, outer)
	pr.measure(ProfilePart{}, probe{kind: probeClock}, func() {})
	pr.measure(ProfilePart{Level: -1, Name: "inputs"}, probe{count: 1}, func() { c.load(f, q) })
	if q.lane != nil {
		for k := range q.lane.Stages {
			pr.stage(k)
		}
	}
	pr.stretches()
	pr.measure(ProfilePart{Level: -1, Name: "results"}, probe{count: 1}, func() { c.unload(f, q) })
}

// steps measures instructions one by one.
func (pr *profiler) steps(level int, steps []dense.Step) {
	for i := range steps {
		s := &steps[i]
		b := probe{count: 1}
		b.flops, b.bytes = s.Cost()
		pr.measure(ProfilePart{Level: level, Name: pr.q.f.Describe(s.V)}, b, func() {
			s.Run(pr.f.dense)
		})
	}
}

// stretches measures what computes the steps of a part without element program.
func (pr *profiler) stretches() {
	for i := range pr.q.runs {
		s := &pr.q.runs[i]
		b := probe{count: 1}
		b.flops, b.bytes = s.Cost()
		pr.measure(ProfilePart{Level: -1, Name: pr.q.name(s)}, b, func() { s.Run(pr.f.dense) })
	}
}

// name is that of what a stretch computes.
func (q *part) name(s *dense.Stretch) string {
	first := q.f.Describe(s.Steps[0].V)
	switch n := len(s.Steps); {
	case s.Coded:
		return fmt.Sprintf("machine code, %s from %s", words.Counted(n, "value"), first)
	case n > 1:
		return fmt.Sprintf("%s, %d at once", first, n)
	}
	return first
}

// stage does what lane.Program.Run does with one stage.
func (pr *profiler) stage(k int) {
	p, s := pr.q.lane, pr.f.state
	st := &p.Stages[k]
	level := pr.stages + k
	pr.steps(level, st.Steps)
	b := probe{count: 1}
	if b.flops, b.bytes = st.Cost(vm.RowsPerTile(p.Set)); b.bytes > 0 {
		pr.measure(ProfilePart{Level: level, Name: "factors"}, b, func() { st.Prepare(s) })
	}
	for j := range st.Groups {
		g := &st.Groups[j]
		if g.Weight == nil {
			pr.group(g, ProfilePart{Level: level, Group: groupTitle(g)}, p.Plan.Count, nil)
			continue
		}
		n := p.Plan.Count
		b := probe{count: 1, lanes: n, flops: n, bytes: 8 * n}
		pr.measure(ProfilePart{Level: level, Name: "select " + groupTitle(g)}, b, func() {
			p.Select(s, g)
		})
		p.RunGroup(s, g) // which may find that all lanes count
		pr.group(g, ProfilePart{Level: level, Group: groupTitle(g)}, len(s.Lanes), s.Lanes)
	}
}

// group runs a group as a whole, and its operations as groups of their own. The
// second run repeats the first: a group reads nothing that it has written before,
// but for streams.
func (pr *profiler) group(g *lane.Group, of ProfilePart, count int, active []int32) {
	x, n := pr.f.state.Machine, pr.q.plan.Lanes
	if active != nil {
		n = (count + vm.VectorLen - 1) / vm.VectorLen * vm.VectorLen
	}
	run := func(of ProfilePart, b probe, g *lane.Group) {
		pr.measure(of, b, func() {
			if active == nil {
				x.Run(&g.Group, count)
			} else {
				x.RunPacked(&g.Group, active)
			}
		})
	}
	sum := probe{}
	for i := range g.Code {
		if op := &g.Code[i]; op.Code != vm.End {
			flops, bytes := op.Cost(g.Args, n)
			sum.count, sum.lanes, sum.flops, sum.bytes = sum.count+1, sum.lanes+n, sum.flops+flops,
				sum.bytes+bytes
		}
	}
	pr.streams = append(pr.streams[:0], x.Streams...)
	run(of, sum, g)
	copy(x.Streams, pr.streams)

	empty, single := *g, *g
	empty.Code, single.Code = []vm.Op{{Code: vm.End}}, []vm.Op{{}, {Code: vm.End}}
	for i := range g.Code {
		if i%calibrateEvery == 0 {
			pr.measure(ProfilePart{}, probe{kind: probeClock}, func() {})
			run(ProfilePart{}, probe{kind: probeStart}, &empty)
		}
		op := &g.Code[i]
		if op.Code == vm.End {
			continue
		}
		single.Code[0] = *op
		of.Name = op.Code.String()
		b := probe{kind: probeLanes, count: 1, lanes: n}
		b.flops, b.bytes = op.Cost(g.Args, n)
		run(of, b, &single)
	}
}

// calibrateEvery is the number of lane operations between calibrations.
const calibrateEvery = 16
