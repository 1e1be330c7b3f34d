package lane

import (
	"math"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/lane/vm"
	"tobac/internal/vector"
)

// A Program is the compiled form of a function with lanes.
type Program struct {
	Plan   *dense.Plan
	Set    vector.Set
	Width  int // lanes, rounded up to whole vectors
	Inputs []Input
	Draws  []*ir.Value // inputs of uniform numbers that are drawn where they are used
	Stages []Stage
	Kept   int // registers that keep a value for later stages or for output
	Full   int // registers of the widest group on all lanes
	Packed int // registers of the widest group on selected lanes

	RegistersAt int // in the arena, of all lanes
	Length      int // of the arena, registers included

	panels   []float64 // constant panels, which the arena holds from panelsAt on
	panelsAt int
	buffer   int

	keep  []int32 // by element: its register, or -1
	base  []int32 // by value: its first element
	owner []int32 // by element: its value
}

// An Input is one that differs between lanes: its elements are registers First and
// following.
type Input struct {
	V     *ir.Value
	First int
}

// A Stage is what happens between two rounds of reductions over the lanes.
type Stage struct {
	Steps  []dense.Step
	Groups []Group

	values []*ir.Value // of the steps, until they are made

	shifts   []int32 // offsets of x, whose factors of sigmoid shifts lie from shiftsAt on
	shiftsAt int
	products []storedProduct
	panels   []*panel // of which prepare makes copies

	// of the panels that prepare scales: constants from scaleFrom on, results from scaleTo on
	scales             []int32
	scaleFrom, scaleTo int

	bounds []bound
}

// A Group is a list of operations that run on one set of lanes.
type Group struct {
	vm.Group
	Weight *Weight // nil means all lanes
	Of     []int32 // by operation: the element that it computes, or -1
}

// A Weight selects the lanes whose softmax weight e^(x − max x) is not negligible.
type Weight struct {
	X     int32 // register of x
	bound int32 // number of the bound of the other factors
	roots []int32
}

// State is what one worker runs a program in.
type State struct {
	*dense.Frame
	Machine *vm.Machine
	bounds  []float64
	Lanes   []int32 // selected lanes, of the group that ran last
	Repeats int     // groups that had to run on all lanes after all
}

// NewState makes the memory for one worker.
func (p *Program) NewState() *State {
	m := vector.Memory(p.Length)
	copy(m, p.Plan.Constant)
	copy(m[p.panelsAt:], p.panels)
	n := 0
	for i := range p.Stages {
		n = max(n, len(p.Stages[i].bounds))
	}
	s := &State{
		Frame: &dense.Frame{M: m, Scratch: vector.Memory(p.Plan.Scratch)},
		Machine: vm.New(p.Set, m,
			vm.Size{Width: p.Width, Packed: p.Packed, Buffer: p.buffer, Streams: len(p.Draws)}),
		bounds: vector.Memory(n),
	}
	s.Machine.Full = m[p.RegistersAt:][:max(p.Full, p.Kept)*p.Width]
	return s
}

// Size of the machine's memory, for verification.
func (p *Program) size() vm.Size {
	return vm.Size{Width: p.Width, Full: max(p.Full, p.Kept), Packed: p.Packed, Buffer: p.buffer,
		Streams: len(p.Draws)}
}

// Register is where element e of a varying value is kept, or -1 for a zero.
func (p *Program) Register(v *ir.Value, e int) int32 {
	for v.IsView() {
		if e = v.Index[e]; e < 0 {
			return -1
		}
		v = v.Args[0]
	}
	if !v.Support[e] {
		return -1
	}
	return p.keep[p.base[v.ID]+int32(e)]
}

// Run runs all stages.
func (p *Program) Run(s *State) {
	for i := range p.Stages {
		st := &p.Stages[i]
		for j := range st.Steps {
			st.Steps[j].Run(s.Frame)
		}
		st.Prepare(s)
		for j := range st.Groups {
			p.RunGroup(s, &st.Groups[j])
		}
	}
}

// roundingBits is the precision of float64: terms 2⁻⁵³ of the largest do not change a
// sum.
const roundingBits = 53

// Select chooses the lanes of a group. What it leaves out is at most 2^size·2^−cut of the
// largest weight. The cut is chosen as if the largest result were 2⁻¹⁰ or more, which
// RunGroup checks.
func (p *Program) Select(s *State, g *Group) (size, cut float64) {
	count := p.Plan.Count
	size = s.bounds[g.Weight.bound] + math.Log2(float64(count))
	cut = roundingBits + min(max(size+10, 0), 200)
	s.Lanes = s.Machine.Select(g.Weight.X, count, cut*math.Ln2)
	return size, cut
}

// RunGroup runs one group on its lanes.
func (p *Program) RunGroup(s *State, g *Group) {
	count := p.Plan.Count
	if g.Weight == nil {
		s.Machine.Run(&g.Group, count)
		return
	}
	size, cut := p.Select(s, g)
	s.Machine.RunPacked(&g.Group, s.Lanes)
	if len(s.Lanes) == count {
		return
	}
	largest := 0.0
	for _, at := range g.Weight.roots {
		largest = max(largest, math.Abs(s.M[at]))
	}
	if size-cut <= math.Log2(largest)-roundingBits {
		return
	}
	s.Repeats++
	s.Lanes = s.Machine.Select(g.Weight.X, count, math.Inf(1))
	s.Machine.RunPacked(&g.Group, s.Lanes)
}

// Element is the value that an element, as operations name it, belongs to, and its
// position there.
func (p *Program) Element(k int32) (v *ir.Value, e int) {
	v = p.Plan.F.Values[p.owner[k]]
	return v, int(k - p.base[v.ID])
}
