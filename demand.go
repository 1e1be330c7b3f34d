package tobac

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tobac/bcd"
	"tobac/exact"
	"tobac/gflownet"
	"tobac/internal/memory"
	"tobac/mcmc"
	"tobac/ordering"
	"tobac/sem"
	"tobac/setting"
)

// A demand is memory that a part of a run takes.
type demand struct {
	what  string // in words
	bytes float64
}

// A problem is what the memory of a run depends on: the size of the table, the settings, and what was settled about
// them.
type problem struct {
	n, d   int
	cfg    Config // with its defaults
	models int    // in closed form to compare; 0: none
	cheap  bool   // node scores only serve to draw orders for SVGD

	scoreBytes float64 // of the models whose node scores keep what they computed
}

func (r *Run) problem() problem {
	n, d := r.data.X.Dims()
	p := problem{n: n, d: d, cfg: r.cfg, cheap: r.cfg.cheap()}
	if r.cfg.Engine != SVGD && r.cfg.Engine != BCD && r.cfg.Engine != Tempering || p.cheap && r.shared.inferred == nil {
		all := r.scoredModels()
		if _, scored := r.cfg.Model.(sem.Scored); r.cfg.Model != nil && !scored {
			all = all[:1] // estimated evidences
		}
		for _, m := range all {
			if sem.Unsuited(m, all, r.data) != "" {
				continue
			}
			p.models++
			if v, ok := m.(sem.Remembered); ok {
				p.scoreBytes += v.ScoreBytes(d)
			}
		}
	}
	return p
}

// chained reports whether Markov chains are a stage.
func (p *problem) chained() bool {
	return p.models > 0 && (p.cfg.Engine == MCMC || p.cfg.Engine == GFlowNet || p.d > exact.Affordable && p.cfg.Order.Known == nil)
}

// demands is about the memory that a run takes at its peak, part by part, with what waits for the garbage collector. The factors
// were measured: see docs/speed.md.
func (p *problem) demands() []demand {
	d := float64(p.d)
	all := []demand{{"the program and the table", float64(rowBytes(p.n, p.d))}}
	add := func(bytes float64, format string, args ...any) {
		all = append(all, demand{fmt.Sprintf(format, args...), bytes})
	}
	chains := func() {
		k := p.candidates()
		add(2*float64(mcmc.Bytes(p.d, k)), "node scores of 2^%d sets of %d candidate parents of each variable", k, k)
		if p.scoreBytes > 0 {
			add(p.scoreBytes, "scores of sets of parents")
		}
		add(p.chainBytes(k), "%d Markov chains of %d rungs", p.cfg.Chains.Chains, p.rungs())
	}
	add(20*d*d*8, "matrices of the pairs of variables")
	switch {
	case p.cfg.Engine == Tempering && p.cfg.overOrders():
		if p.d > exact.Affordable {
			chains()
		} else {
			add(2*float64(exactBytes(p.d, false)), "sums over 2^%d sets of variables", p.d)
		}
		add(2*firstSets*3*8*float64(min(p.n, gaussRows)*(p.d+2)), "Gaussian processes of %d rows", min(p.n, gaussRows))
	case p.models == 0:
	case p.chained():
		chains()
	default:
		bytes := float64(exactBytes(p.d, p.cfg.Order.Known != nil))
		if p.d <= kept || p.cfg.Order.Known != nil {
			bytes *= float64(min(p.models, 2)) // the best so far and the next
		}
		add(bytes, "sums over 2^%d sets of variables", p.d)
	}
	if p.cfg.Trained() {
		all = append(all, p.trainingDemand())
	}
	_, curved := p.cfg.Model.(interface { // whose draws have no matrices of weights
		sem.Scored
		sem.Structural
	})
	switch {
	case p.models > 0 && curved && !p.cheap:
		add((3*posteriorDraws+2*8*mostFunctions)*d*d, "%d graphs of %d variables, and the effects of %d", posteriorDraws, p.d, mostFunctions)
	case (p.models > 0 || p.cfg.Trained()) && !p.cheap:
		add(3*posteriorDraws*d*d*8, "%d graphs with %d x %d weights", posteriorDraws, p.d, p.d)
	}
	if p.cfg.Engine == SVGD {
		all = append(all, p.particleDemands()...)
	}
	return all
}

// particleDemands are those of SVGD.
func (p *problem) particleDemands() (all []demand) {
	add := func(bytes float64, format string, args ...any) {
		all = append(all, demand{fmt.Sprintf(format, args...), bytes})
	}
	s, d, m := &p.cfg.Sampler, float64(p.d), float64(p.cfg.Sampler.Particles)
	pairs, rows := d*(d-1)/2, d-1
	if s.Method == DiBS {
		pairs, rows = 2*pairs, d
	}
	sample := 12 * pairs * 8
	if v, ok := p.sampled().(sem.Sampling); ok {
		sample += v.SampleBytes(p.n, p.d)
	}
	add(sample*float64(s.Samples)*float64(p.cfg.Workers), "%d sampled graphs on %d workers", s.Samples, p.cfg.Workers)
	program := 36 * d * d * d
	if v, ok := p.sampled().(sem.Sized); ok {
		program += v.Bytes(p.n, p.d) * pairs / (d * d)
	}
	add(program, "the compiled program")
	add(8*m*(2*rows*float64(s.Rank)+d*d)*8, "%d particles", s.Particles)
	if v, ok := p.sampled().(sem.Parametric); ok {
		add(8*m*v.Parameters(p.d)*8, "%d particles with %.3g parameters each", s.Particles, v.Parameters(p.d))
	}
	add(2*m*m*8, "the kernel of %d x %d particles", s.Particles, s.Particles)
	if s.Parameters == IntegratedParameters {
		add(math.Ldexp(16, min(p.d, 20)), "scores of sets of parents that are kept")
	}
	orders := p.orders()
	add(orders*m*(2*rows*float64(s.Rank)+2*d*d)*8, "the particles of %.0f orders", orders)
	if p.cfg.Order.Method != nil {
		add(float64(p.cfg.Order.Count)*ordering.Bytes(p.d), "the orders of %d resamples", p.cfg.Order.Count)
	}
	return all
}

// sampled is the model that SVGD is most likely to sample.
func (p *problem) sampled() sem.Model {
	m := p.cfg.Model
	if m == nil {
		return sem.Linear{Unequal: true}
	}
	if v, ok := m.(sem.SampledModel); ok {
		m, _ = v.Sampled(false)
	}
	return m
}

// trainingDemand is about the memory of a training.
func (p *problem) trainingDemand() demand {
	if p.cfg.Engine == BCD {
		s := p.cfg.bcdSettings(p.d)
		return demand{fmt.Sprintf("the training of BCD Nets by %d samples", s.WithDefaults(p.n, p.d).Batch), bcd.Bytes(p.n, p.d, s)}
	}
	s := p.cfg.gflownetSettings().WithDefaults(p.d)
	return demand{fmt.Sprintf("the policy %s and %d transitions", s.Policy, s.Buffer), float64(gflownet.Bytes(p.d, s, p.cfg.Workers))}
}

// orders is the number of orders that SVGD samples under, at most that of all orders.
func (p *problem) orders() float64 {
	o := &p.cfg.Order
	count := float64(max(o.Count, 1))
	if o.Count == 0 && o.Known == nil && o.Method == nil && p.cfg.Sampler.Method == TOBAC {
		count = drawnOrders
	}
	factorial := 1.0
	for k := 2; k <= p.d && factorial < count; k++ {
		factorial *= float64(k)
	}
	return math.Min(count, factorial)
}

// candidates and rungs are those of the chains.
func (p *problem) candidates() int {
	k := p.cfg.Chains.Candidates
	setting.Fill(&k, mcmc.DefaultCandidates(p.d))
	return min(k, p.d-1)
}

func (p *problem) rungs() int {
	rungs := p.cfg.Chains.Rungs
	setting.Fill(&rungs, 4)
	return rungs
}

// chainBytes is about the memory of the states and records of chains: the sums and the last values of every edge from a candidate, and twice as many graphs as
// are drawn.
func (p *problem) chainBytes(k int) float64 {
	chains, d := float64(p.cfg.Chains.Chains), float64(p.d)
	return chains * (2*posteriorDraws*d*40 + 100*d*float64(k)*8 + 4*d*d*8 + float64(p.rungs())*d*500)
}

// total is the sum of demands.
func total(all []demand) float64 {
	sum := 0.0
	for _, v := range all {
		sum += v.bytes
	}
	return sum
}

// A knob is a setting by which the memory of a run can be lowered.
type knob struct {
	name  string
	value func(p *problem) int // 0: it has none
	set   func(p *problem, value int)
}

// field is the knob of a number.
func field(name string, at func(p *problem) *int) knob {
	return knob{name, func(p *problem) int { return *at(p) }, func(p *problem, value int) { *at(p) = value }}
}

var knobs = []knob{
	field("particles", func(p *problem) *int { return &p.cfg.Sampler.Particles }),
	field("samples", func(p *problem) *int { return &p.cfg.Sampler.Samples }),
	field("rank", func(p *problem) *int { return &p.cfg.Sampler.Rank }),
	field("orders", func(p *problem) *int { return &p.cfg.Order.Count }),
	field("workers", func(p *problem) *int { return &p.cfg.Workers }),
	field("bcd-batch", func(p *problem) *int { return &p.cfg.BCD.Batch }),
	field("gflownet-batch", func(p *problem) *int { return &p.cfg.GFlowNet.Batch }),
	field("gflownet-buffer", func(p *problem) *int { return &p.cfg.GFlowNet.Buffer }),
	field("chains", func(p *problem) *int { return &p.cfg.Chains.Chains }),
	field("candidates", func(p *problem) *int { return &p.cfg.Chains.Candidates }),
	{"units of each hidden layer", func(p *problem) int {
		if m, ok := p.cfg.Model.(sem.Layered); ok {
			return m.Widest()
		}
		return 0
	}, func(p *problem, value int) { p.cfg.Model = p.cfg.Model.(sem.Layered).Narrowed(value) }},
	field("rows", func(p *problem) *int { return &p.n }),
	{"variables", func(p *problem) int { return p.d }, func(p *problem, value int) {
		p.d, p.cfg.Sampler.Rank = value, min(p.cfg.Sampler.Rank, max(1, value-1))
	}},
}

// with is the problem with another value of a knob.
func (p problem) with(k knob, value int) problem {
	k.set(&p, value)
	return p
}

// largest is the largest value of a knob, below the present one, with which the run fits; 0: none.
func (p problem) largest(k knob, room float64) int {
	low, high := 0, k.value(&p) // low fits, high does not
	for high-low > 1 {
		middle := low + (high-low)/2
		if next := p.with(k, middle); total(next.demands()) <= room {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// MemoryError says that a run would take more memory than there is.
type MemoryError struct {
	Need  float64 // bytes
	Room  string  // what there is, in words
	Parts string  // the largest of what takes it
	Fits  string  // the largest values that would fit, each alone; "": none would
}

func (e *MemoryError) Error() string {
	text := fmt.Sprintf("tobac: this needs about %s of memory (%s), and %s; ", memory.Size(e.Need), e.Parts, e.Room)
	if e.Fits == "" {
		return text + "no single setting makes it fit: take fewer variables and rows"
	}
	return text + "would fit: " + e.Fits
}

// checkMemory refuses a run whose memory would not fit, before anything is computed.
func (p problem) checkMemory(room memory.Room) error {
	all := p.demands()
	need := total(all)
	if need <= float64(room.Bytes) {
		return nil
	}
	slices.SortStableFunc(all, func(a, b demand) int { return cmp.Compare(b.bytes, a.bytes) })
	e := &MemoryError{Need: need, Room: room.String()}
	var parts, fits []string
	for k, v := range all {
		if k == 0 || v.bytes > need/5 {
			parts = append(parts, memory.Size(v.bytes)+" for "+v.what)
		}
	}
	for _, k := range knobs {
		if v := p.largest(k, float64(room.Bytes)); v > 0 && (k.name != "variables" && k.name != "rows" || v > 1) {
			fits = append(fits, fmt.Sprintf("%s up to %d", k.name, v))
		}
	}
	e.Parts, e.Fits = strings.Join(parts, ", "), strings.Join(fits, ", or ")
	return e
}

// room is the memory that a run may take.
func (c *Config) room() memory.Room {
	if c.Memory > 0 {
		return memory.Room{Bytes: c.Memory, Limit: "asked for"}
	}
	return memory.Available()
}

// rowBytes is about the memory of the process with its data: as read, as columns, and
// what waits for the garbage collector.
func rowBytes(n, d int) int64 { return programBytes + 3*8*int64(n)*int64(d) }

// programBytes is about the memory of a process without data.
const programBytes = 40 << 20
