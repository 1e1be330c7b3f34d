package lane

import (
	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/lane/vm"
)

// A ref is what an element reads: nothing (a zero), a number of the arena, or an
// element of a value that differs between lanes.
type ref struct {
	kind refKind
	at   int32 // offset in the arena, or number of the element
}

type refKind uint8

const (
	refZero refKind = iota
	refUniform
	refLane
)

// offset of a number that is the same in all lanes.
func (r ref) offset() int32 {
	if r.kind == refZero {
		return dense.ZeroOffset
	}
	return r.at
}

// none is the number of no element.
const none = int32(-1)

// A compiler builds the stages of a program. Elements of values that differ between
// lanes are numbered, value by value.
type compiler struct {
	f    *ir.Func
	plan *dense.Plan
	prog *Program
	loop *ir.Axis // outside the lanes; nil means none
	lane *ir.Axis

	level   []int         // by value: rounds of reductions below it
	byLevel [][]*ir.Value // the values of each, and none of one more
	keep    []int32       // register that keeps an element, or -1
	stack   []*stacked
	stackOf map[*ir.Value]*stacked

	// By element, true of the emitter whose number is in stamp.
	stamp []int32
	uses  []int32
	reg   []int32
	emits int32

	ones   []int8        // by element, memo of isOne: 0 unknown, 1 it is, -1 it is not
	weight []int32       // memo of proportional: unknown, none or an element
	parts  map[ref]int32 // offset of the parts of the log-sum-exp over the lanes of an operand

	shift  map[int32]int32     // offset of the factors of a sigmoid shift by x's offset
	shifts []int32             // those of the stage
	stream map[*ir.Value]int32 // inputs drawn where they are used
	drawn  map[*ir.Value]int   // their elements drawn so far
	reader map[int32]int32     // of drawn elements: the element computed from each
	store  map[int32]bool      // those, which are kept

	fold      bool // multiply uniform factors of lanes with those of matrix products
	productAt map[uniformProduct]int32
	products  []storedProduct // those of the stage
	reads     map[int32]bool  // offsets that something reads
	panels    map[[vm.MaxTileRows]int32][]*panel
	allPanels []*panel

	productsAt, productRoom int // in the arena
	panelUses               []panelUse

	boundOf map[*ir.Value]int32 // number of the bound of a value in the stage
	bounds  []bound
}

// stacked is a value whose elements are kept in registers one behind the other, because
// a step computes or reads it as a whole.
type stacked struct {
	v     *ir.Value
	first int32
}

// of is the value and the position in it of an element.
func (c *compiler) of(k int32) (v *ir.Value, e int) {
	v = c.f.Values[c.prog.owner[k]]
	return v, int(k - c.prog.base[v.ID])
}

// element is the number of element e of v.
func (c *compiler) element(v *ir.Value, e int) int32 { return c.prog.base[v.ID] + int32(e) }

// ref resolves element e of v through views.
func (c *compiler) ref(v *ir.Value, e int) ref {
	if !v.Support[e] {
		return ref{}
	}
	for v.IsView() {
		v, e = v.Args[0], v.Index[e]
	}
	if c.plan.Varies(v) {
		return ref{refLane, c.element(v, e)}
	}
	return ref{refUniform, int32(c.plan.Offset(v, e))}
}

// operand is operand i of element e of an element-wise value.
func (c *compiler) operand(v *ir.Value, i, e int) ref { return c.ref(v.Args[i], v.At(i, e)) }

// both are the operands of element e of an element-wise value of two.
func (c *compiler) both(v *ir.Value, e int) (a, b ref) {
	return c.operand(v, 0, e), c.operand(v, 1, e)
}

// A term is a product of a sum: the varying factor first. The second factor of a plain
// summand is refZero, which stands for 1.
type term [2]ref

// eachTerm calls f for the factor pairs of an element of a sum or matrix product, until
// it returns false.
func (c *compiler) eachTerm(v *ir.Value, e int, f func(t term) bool) {
	a := v.Args[0]
	if v.Op.Class == ir.Sum {
		for _, s := range v.Sources()[e] {
			if r := c.ref(a, s); r.kind != refZero && !f(term{r}) {
				return
			}
		}
		return
	}
	_, m, k, n := v.Product()
	b := v.Args[1]
	g, j := e/(m*n), e%n
	row, column := e/n*k, g*k*n+j
	for l := range k {
		if !a.Support[row+l] || !b.Support[column+l*n] {
			continue
		}
		x, y := c.ref(a, row+l), c.ref(b, column+l*n)
		if x.kind == refUniform {
			x, y = y, x
		}
		if !f(term{x, y}) {
			return
		}
	}
}

// terms lists them.
func (c *compiler) terms(v *ir.Value, e int) (out []term) {
	c.eachTerm(v, e, func(t term) bool {
		out = append(out, t)
		return true
	})
	return out
}

// picked is what an element of class Picked is.
func (c *compiler) picked(v *ir.Value, e int) ref {
	p := v.Picks()[e]
	if p.At < 0 {
		return ref{}
	}
	return c.ref(v.Args[p.Arg], int(p.At))
}

// step reports whether v has lanes, or is made of values that have, and is computed as
// a whole.
func (c *compiler) step(v *ir.Value) bool {
	return v.Computed() && (c.plan.Varies(v) && !Elements(v) || v.Op.Over == ir.OverStack)
}

// ofLanes reports whether v is a product of two matrices that both differ between
// lanes.
func (c *compiler) ofLanes(v *ir.Value) bool {
	return v.Class() == ir.MatMul && c.plan.Varies(v.Args[0]) && c.plan.Varies(v.Args[1])
}

// Elements reports whether a value that differs between lanes is computed element by
// element; the others are steps between element programs.
func Elements(v *ir.Value) bool {
	switch v.Class() {
	case ir.Opaque:
		return v.Op == nil || v.IsView()
	case ir.Fold:
		return v.Args[0].Len() >= v.Len() && v.Args[0].Len() > 0
	case ir.Crossing:
		return v.Op.Over != ir.OverUnstack
	}
	return true
}

// A root is an element of a reduction over the lanes.
type root struct {
	over    ir.Over
	at      int32 // offset of the result; none yet of a softmax
	partsAt int32 // of log-sum-exps: offset of the maximum and the rest
	ref     ref
	v       *ir.Value // that is reduced
}

// A panelUse is a place in a pool of operands that takes a panel's offset.
type panelUse struct {
	args  []int32
	at    int32
	panel *panel
}

func (r ref) before(s ref) bool { return r.kind < s.kind || r.kind == s.kind && r.at < s.at }

// shiftFactors is where the factors of the sigmoid shift by the number at offset
// x are found; see [vm.Machine.ShiftFactors].
func (c *compiler) shiftFactors(x int32) int32 {
	if at, ok := c.shift[x]; ok {
		return at
	}
	at := int32(c.plan.Arena)
	c.plan.Arena += 2
	c.shift[x] = at
	c.shifts = append(c.shifts, x)
	return at
}
