package passes

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tobac/autograd/internal/ir"
)

// Pack makes one array operation of equal operations on single numbers, which a loop written
// out leaves behind: where their operands are neighbouring elements of one array, numbers of
// another such operation, constants, or the same number for all. What they computed becomes
// views of the result. It keeps every bit, since an element has the same bits wherever it is.
// Facts about elements hold before and after.
func Pack(f *ir.Func) {
	p := &packer{f: f, class: make([]int, len(f.Values)), packed: make([]element, len(f.Values)),
		before: map[*ir.Value][]*ir.Value{}, ops: map[named]int32{}}
	p.classify()
	if p.classes == nil {
		return
	}
	for _, members := range p.classes {
		p.pack(members)
	}
	values := f.Values
	f.Values = make([]*ir.Value, 0, len(values))
	for _, v := range values {
		for _, w := range p.before[v] {
			f.Add(w)
		}
		f.Add(v)
	}
}

// fewestPacked is the number of operations from which they are one.
const fewestPacked = 4

// A packer knows which operations are alike.
type packer struct {
	f       *ir.Func
	class   []int         // of candidates; −1 of other values
	classes [][]*ir.Value // in the order of their first members
	ops     map[named]int32
	packed  []element                 // where the number of a candidate has gone
	before  map[*ir.Value][]*ir.Value // new values, and before which value they come
}

// An element is element i of an array.
type element struct {
	of *ir.Value
	i  int
}

// A likeness is the same for operations that may become one.
type likeness struct {
	op   int32 // the number of the operation with its parameters
	args [2]source
}

// A named is an operation with its parameters.
type named struct {
	op   *ir.Op
	attr string
}

// A source is what an operand is: an array or a number by its ID, another class, or a constant.
type source struct {
	kind int32
	id   int32
}

// Kinds of sources.
const (
	noSource = iota
	constantSource
	arraySource
	numberSource
	classSource
)

// classify finds classes of at least fewestPacked candidates. Operands are of a class that
// is found to be too small at first, so that it is repeated until no class is.
func (p *packer) classify() {
	for i, v := range p.f.Values {
		p.class[i] = -1
		if v.Computed() && v.Len() == 1 && v.Live[0] &&
			(v.Op.Class == ir.Elementwise1 || v.Op.Class == ir.Elementwise2) {
			p.class[i] = 0
		}
	}
	var counts []int
	for small := true; small; {
		known := map[likeness]int32{}
		counts = counts[:0]
		for _, v := range p.f.Values {
			if p.class[v.ID] < 0 {
				continue
			}
			key := p.likeness(v)
			c, ok := known[key]
			if !ok {
				c = int32(len(counts))
				known[key] = c
				counts = append(counts, 0)
			}
			p.class[v.ID] = int(c)
			counts[c]++
		}
		small = false
		for i, c := range p.class {
			if c >= 0 && counts[c] < fewestPacked {
				small, p.class[i] = true, -1
			}
		}
	}
	for _, n := range counts {
		p.classes = append(p.classes, make([]*ir.Value, 0, n))
	}
	for _, v := range p.f.Values {
		if c := p.class[v.ID]; c >= 0 {
			p.classes[c] = append(p.classes[c], v)
		}
	}
}

func (p *packer) likeness(v *ir.Value) likeness {
	op := named{op: v.Op}
	if at := v.Attr; at.Ints != nil || math.Float64bits(at.Float) != 0 || at.Axis != nil ||
		at.More != nil {
		op.attr = string(at.Append(nil))
	}
	n, ok := p.ops[op]
	if !ok {
		n = int32(len(p.ops))
		p.ops[op] = n
	}
	key := likeness{op: n}
	for k, a := range v.Args {
		e := origin(a)
		switch {
		case e.of.Const != nil:
			key.args[k] = source{constantSource, 0}
		case e.of.Len() > 1:
			key.args[k] = source{arraySource, int32(e.of.ID)}
		case p.class[e.of.ID] >= 0:
			key.args[k] = source{classSource, int32(p.class[e.of.ID])}
		default:
			key.args[k] = source{numberSource, int32(e.of.ID)}
		}
	}
	return key
}

// origin is the element that a single number shows, or itself, element 0. A zero that a view
// makes is itself.
func origin(v *ir.Value) element {
	e := element{v, 0}
	for e.of.IsView() && e.of.Index[e.i] >= 0 {
		e = element{e.of.Args[0], e.of.Index[e.i]}
	}
	if e.of.IsView() {
		return element{v, 0}
	}
	return e
}

// A member is an operation of a class and where its operands are now.
type member struct {
	v    *ir.Value
	args [2]element
}

// pack joins the members of a class, as far as their operands neighbour.
func (p *packer) pack(values []*ir.Value) {
	members := make([]member, len(values))
	for i, v := range values {
		members[i].v = v
		for k, a := range v.Args {
			e := origin(a)
			if e.of.Len() == 1 && p.packed[e.of.ID].of != nil {
				e = p.packed[e.of.ID]
			}
			members[i].args[k] = e
		}
	}
	slices.SortStableFunc(members, func(a, b member) int {
		for k := range a.args {
			x, y := a.args[k], b.args[k]
			if x.of == nil || x.of.Const != nil {
				continue
			}
			if c := cmp.Or(cmp.Compare(x.of.ID, y.of.ID), cmp.Compare(x.i, y.i)); c != 0 {
				return c
			}
		}
		return 0
	})
	for len(members) >= fewestPacked {
		n := run(members)
		if n >= fewestPacked {
			p.join(members[:n])
		}
		members = members[n:]
	}
}

// run is how many members from the first on have operands that neighbour, or are the same for
// all, or constants.
func run(members []member) int {
	step := func(a, b element) int {
		switch {
		case a.of == nil || a.of.Const != nil:
			return 0
		case a.of != b.of || b.i-a.i != 0 && b.i-a.i != 1:
			return -1
		}
		return b.i - a.i
	}
	n := 1
	for ; n < len(members); n++ {
		a, b := &members[n-1], &members[n]
		for k := range a.args {
			if s := step(a.args[k], b.args[k]); s < 0 ||
				s != step(members[0].args[k], members[1].args[k]) {
				return n
			}
		}
	}
	return n
}

// join makes one operation of members.
func (p *packer) join(members []member) {
	n := len(members)
	first := slices.MinFunc(members, func(a, b member) int { return cmp.Compare(a.v.ID, b.v.ID) }).v
	add := func(v *ir.Value) *ir.Value {
		v.ID = -1 - len(p.packed) // beyond those of the function, and different
		v.Support, v.NoZeros = trues(v.Len()), true
		v.Live, v.AllLive = v.Support, true
		p.packed = append(p.packed, element{})
		p.before[first] = append(p.before[first], v)
		return v
	}
	all := &ir.Value{Op: first.Op, Attr: first.Attr, Shape: ir.Shape{n}, Axes: first.Axes,
		Input: -1}
	all.Name = fmt.Sprintf("%s and %d alike", p.f.Describe(first), n-1)
	for k := range first.Args {
		all.Args = append(all.Args, p.operand(members, k, add))
	}
	add(all)
	joined := make([]*ir.Value, n)
	for i, m := range members {
		p.packed[m.v.ID] = element{all, i}
		joined[i] = m.v
	}
	if p.f.Joined == nil {
		p.f.Joined = map[*ir.Value][]*ir.Value{}
	}
	p.f.Joined[all] = joined
	for i, m := range members {
		m.v.Args, m.v.Index = []*ir.Value{all}, []int{i}
	}
}

// operand is operand k of what members become.
func (p *packer) operand(members []member, k int, add func(*ir.Value) *ir.Value) *ir.Value {
	n := len(members)
	at := members[0].args[k]
	if at.of.Const != nil {
		c := make([]float64, n)
		for i, m := range members {
			c[i] = m.args[k].of.Const[m.args[k].i]
		}
		return add(&ir.Value{Const: c, Shape: ir.Shape{n}, Input: -1})
	}
	shape, index := ir.Shape{n}, make([]int, n)
	for i, m := range members {
		index[i] = m.args[k].i
	}
	if index[n-1] == at.i {
		shape, index = ir.Shape{}, index[:1]
	}
	if shape.Equal(at.of.Shape) {
		return at.of
	}
	return add(&ir.Value{Op: ir.ViewOp, Attr: ir.Attr{Ints: index}, Args: []*ir.Value{at.of},
		Shape: shape, Axes: at.of.Axes, Input: -1, Index: index})
}
