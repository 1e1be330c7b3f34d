package dense

import (
	"fmt"
	"slices"

	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/passes"
	"tobac/internal/vector"
)

// Kernels is the set of vector kernels in use, see [vector.Default]. An unknown
// name in TOBAC_KERNELS is an error of every [NewPlan].
var Kernels, errKernels = vector.Default()

// ZeroOffset is the arena offset of the number 0, which stands for every element
// that is structurally zero, and OneOffset that of the number 1.
const (
	ZeroOffset = 0
	OneOffset  = 1
)

// A Plan is where the values of a function lie.
type Plan struct {
	F       *ir.Func
	Lanes   int // of values that differ between lanes, whole vectors of them in element programs
	Count   int // lanes that count, the others repeat the first one
	Without passes.Set

	Constant []float64 // initial content of the arena: zero, one, the constants
	Arena    int       // its length
	Scratch  int       // numbers that instructions need for operands they gather

	places  []Place
	homes   []home
	inOrder []int32  // 0, 1, …
	lane    *ir.Axis // what lanes are the indices of; nil if there is one
}

// A Place is where one value lies: slot s of the storage holds its elements e with
// Slot[e] = s, over Width consecutive numbers.
type Place struct {
	Store   *Storage
	Slot    []int32 // -1 for a zero, or what nothing reads
	Varying bool    // differs between lanes
	Element bool    // computed element by element, in registers
	whole   bool    // a matrix product computed as a whole: the slot of an element is its number
	inOrder bool    // every element is stored, one behind the other
	columns int     // columns of what is stored column by column, see byColumns; 0 of others
}

// A Storage is a range of the arena.
type Storage struct {
	Off, Slots, Width int
	placed            bool     // has its place in the arena
	last              int      // value after which nothing reads it
	next              *Storage // another one with the same last
}

// A home is the range of the storage of a concatenation in which one of its pieces is computed,
// so that nothing is copied.
type home struct {
	store *Storage
	first int32 // slot of the piece's first element
}

func (s *Storage) size() int { return s.Slots * s.Width }

// NewPlan starts a plan for count lanes, the indices of the axis, rounded up to lanes.
// The facts of the function are known.
func NewPlan(f *ir.Func, lane *ir.Axis, lanes, count int, without passes.Set) (*Plan, error) {
	if errKernels != nil {
		return nil, fmt.Errorf("autograd: %w", errKernels)
	}
	p := &Plan{F: f, Lanes: lanes, Count: count, Without: without, Constant: []float64{0, 1},
		places: make([]Place, len(f.Values)), lane: lane}
	for i, v := range f.Values {
		if v.IsView() { // of what may be the same in all lanes
			p.places[i].Varying = p.places[v.Args[0].ID].Varying
			continue
		}
		p.places[i].Varying = lane != nil && v.Axes.Has(lane) && v.Const == nil
	}
	return p, nil
}

// Has reports whether a part of the compiler is not left out.
func (p *Plan) Has(part passes.Set) bool { return p.Without&part == 0 }

// Varies reports whether v differs between lanes.
func (p *Plan) Varies(v *ir.Value) bool { return p.places[v.ID].Varying }

// Place of v.
func (p *Plan) Place(v *ir.Value) *Place { return &p.places[v.ID] }

// Stored reports whether something of v is stored.
func (p *Plan) Stored(v *ir.Value) bool { return p.places[v.ID].Store != nil }

// Offset of element e of v in the arena; missing elements point to the zero.
func (p *Plan) Offset(v *ir.Value, e int) int {
	at := &p.places[v.ID]
	if at.Slot[e] < 0 {
		return ZeroOffset
	}
	return at.Store.Off + int(at.Slot[e])*at.Store.Width
}

// Width of element e of v: the number of lanes stored.
func (p *Plan) Width(v *ir.Value, e int) int {
	at := &p.places[v.ID]
	if at.Slot[e] < 0 {
		return 1
	}
	return at.Store.Width
}

// Offsets lists where the elements of v lie, nil if one behind the other.
func (p *Plan) Offsets(v *ir.Value) []int32 {
	index := make([]int32, v.Len())
	contiguous := true
	for e := range index {
		index[e] = int32(p.Offset(v, e))
		contiguous = contiguous && int(index[e]) == p.Offset(v, 0)+e && p.places[v.ID].Slot[e] >= 0
	}
	if contiguous {
		return nil
	}
	return index
}

// Full reports whether every element is stored: none is known to be zero.
func (p *Plan) Full(v *ir.Value) bool {
	for _, s := range p.places[v.ID].Slot {
		if s < 0 {
			return false
		}
	}
	return p.places[v.ID].Store != nil
}

// width of the numbers that an instruction computes for v.
func (p *Plan) width(v *ir.Value) int {
	if p.places[v.ID].Varying {
		return p.Lanes
	}
	return 1
}

// owns reports whether v has a range of its own, or in its home, that is not constant.
func (p *Plan) owns(v *ir.Value) bool {
	at := &p.places[v.ID]
	return at.Store != nil && !v.IsView() && v.Const == nil
}

// AllocateReusing gives every value its place in the arena. A range is reused once
// nothing reads it any more; inputs are loaded before the first instruction. Inputs that are
// kept stay there.
func (p *Plan) AllocateReusing(kept ...*ir.Value) {
	for _, v := range kept {
		if s := p.places[v.ID].Store; s != nil {
			s.last = len(p.F.Values)
		}
	}
	for _, v := range p.F.Values {
		if v.Computed() && p.Stored(v) {
			for _, a := range v.Args {
				if s := p.places[a.ID].Store; s != nil {
					s.last = max(s.last, v.ID)
				}
			}
		}
	}
	for _, v := range p.F.Outputs {
		if s := p.places[v.ID].Store; s != nil {
			s.last = len(p.F.Values)
		}
	}
	ends := make([]*Storage, len(p.F.Values)+1) // by the value after which they are free
	ending := func(s *Storage) { s.next, ends[s.last] = ends[s.last], s }
	plan := newPlanner(len(p.Constant))
	if p.large() { // see blocks.go
		plan.large, plan.whole = max(ManyNumbers/64, 1), map[int][]int{}
	}
	for _, v := range p.F.Values {
		if v.IsInput() && p.Stored(v) {
			s := p.places[v.ID].Store
			s.Off = plan.alloc(s.size())
			ending(s)
		}
	}
	for _, v := range p.F.Values {
		if s := p.places[v.ID].Store; p.owns(v) && v.Op != nil && !s.placed {
			s.Off, s.placed = plan.alloc(s.size()), true
			ending(s)
		}
		if p.Has(passes.MemoryReuse) {
			for s := ends[v.ID]; s != nil; s = s.next {
				if !readsAgain(v, s, plan.large) {
					plan.free(s.Off, s.size())
				}
			}
		}
	}
	p.Arena = plan.size
}

// large reports whether the values take so much memory that some may be computed in blocks.
func (p *Plan) large() bool {
	n := len(p.Constant)
	for _, v := range p.F.Values {
		if p.owns(v) {
			n += p.places[v.ID].Store.size()
		}
	}
	return n >= ManyNumbers
}

// readsAgain reports whether v, the last value to read s, may be computed in blocks of arrays of
// so many numbers, each of which reads it again.
func readsAgain(v *ir.Value, s *Storage, large int) bool {
	return large > 0 && s.size() < large && slices.ContainsFunc(v.Args, func(a *ir.Value) bool {
		return a.Len() >= large
	})
}

// AllocateUniform gives every value that is the same in all lanes a place of its
// own, for programs that go through values in another order. The others are in registers.
func (p *Plan) AllocateUniform() {
	plan := newPlanner(len(p.Constant))
	for _, v := range p.F.Values {
		if p.owns(v) && !p.Varies(v) {
			s := p.places[v.ID].Store
			s.Off = plan.alloc(s.size())
		}
	}
	p.Arena = plan.size
}

// order calls f with the elements of v from one to another, in the order in which they are stored:
// all if that is column by column.
func (p *Plan) order(v *ir.Value, from, to int, f func(e int)) {
	k := max(p.places[v.ID].columns, 1)
	for j := range k {
		for e := from + j; e < to; e += k {
			f(e)
		}
	}
}
