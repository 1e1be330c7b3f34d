package dense

import (
	"math"
	"slices"

	"tobac/autograd/internal/ir"
)

// blocks are steps on arrays that no cache holds, computed together, some rows at a time, so that
// each array is read from memory once: of a regression the product with the data, what the rows
// contribute, and the product of its derivative with the data again. What only these steps read
// has the place of its first block in all of them, which stays in the cache.
//
// Blocks that follow each other are a group. Each group has its own sums over the rows, which are
// added up at the end, so that workers share the groups out and bits do not depend on their number.
type blocks struct {
	steps  []Step
	groups []group
	run    func(f *Frame, group int)
}

type group struct {
	first int             // block
	parts [][]Instruction // of each block
	sums  []partialSum    // but of the first group
}

// A partialSum is n sums that a group has at one place, and all groups at another one.
type partialSum struct{ to, at, n int }

// mostGroups is how many groups there are of many blocks.
const mostGroups = 16

// Run implements [Instruction].
func (in *blocks) Run(f *Frame) {
	f.each(len(in.groups), in.run)
	for i := range in.groups {
		for _, s := range in.groups[i].sums {
			to := f.M[s.to:][:s.n]
			Kernels.Add(to, to, f.M[s.at:][:s.n])
		}
	}
}

// group computes one of them.
func (in *blocks) group(f *Frame, g int) {
	for _, part := range in.groups[g].parts {
		for _, i := range part {
			i.Run(f)
		}
	}
}

// Shares reports whether workers can compute some of the stretches together.
func Shares(all []Stretch) bool {
	return slices.ContainsFunc(all, func(s Stretch) bool {
		b, ok := s.Instruction.(*blocks)
		return ok && len(b.groups) > 1
	})
}

// Cost implements [Instruction].
func (in *blocks) Cost() (flops, bytes int) { return costOf(in.steps) }

// inBlocks joins stretches that are computed block by block.
func (p *Plan) inBlocks(all []Stretch) []Stretch {
	joined := make([]Stretch, 0, len(all))
	for len(all) > 0 {
		var best *chain
		for _, rows := range p.rowsOf(&all[0]) {
			c := &chain{p: p, rows: rows, of: map[*Storage]*ir.Value{}}
			c.grow(all[:min(len(all), mostSteps)])
			if best == nil || len(c.steps) > len(best.steps) {
				best = c
			}
		}
		if best == nil || len(best.steps) < 2 || best.numbers() < ManyNumbers {
			joined, all = append(joined, all[0]), all[1:]
			continue
		}
		joined = append(joined, best.before...)
		joined = append(joined, Stretch{Instruction: best.blocks(), Steps: best.steps})
		joined = append(joined, best.after...)
		all = all[best.end:]
	}
	return joined
}

// grow makes the longest chain of steps that come first, but for some that run before it or after.
func (c *chain) grow(all []Stretch) {
	before, after := 0, 0
	for k := range all {
		switch s := &all[k]; {
		case !c.disturbs(s) && c.add(s):
			c.end, before, after = k+1, len(c.before), len(c.after)
		case !c.passes(s):
			c.before, c.after = c.before[:before], c.after[:after]
			return
		}
	}
	c.before, c.after = c.before[:before], c.after[:after]
}

// mostSteps is how many steps a chain has: what a block of very many would read and write does not
// stay in a cache.
const mostSteps = 256

// rowsOf are the numbers of rows that a chain beginning with a stretch may have.
func (p *Plan) rowsOf(s *Stretch) []int {
	v := s.Steps[0].V
	_, product := s.Instruction.(*wholeProduct)
	switch {
	case s.Coded || len(s.Steps) > 1 || len(v.Args) == 0 || v.Args[0].Len() < ManyNumbers/64:
		return nil
	case product:
		_, m, k, _ := v.Product()
		return []int{m, k}
	case v.Op.Class == ir.Elementwise1 || v.Op.Class == ir.Elementwise2:
		return []int{v.Len()}
	}
	return nil
}

// A chain is steps that follow each other and of which row i of a result depends on row i of
// those before it, or that add up over the rows.
type chain struct {
	p     *Plan
	rows  int
	steps []Step
	of    map[*Storage]*ir.Value // what the steps compute; nil if it is added up over the rows
	areas []area
	local []area // of which nothing is read after the chain, sorted by offset

	block   int // rows
	groups  []group
	groupOf []int // of each block

	end int // of the stretches that the chain is made of, and of
	// those between its steps that run before it or after
	before, after     []Stretch
	later, laterReads []area // what those after it write, and what they read
}

// touches are the areas that a stretch writes and reads.
func (c *chain) touches(s *Stretch) (writes, reads []area) {
	of := func(v *ir.Value) area {
		if at := c.p.places[v.ID].Store; at != nil {
			return area{off: at.Off, size: at.size()}
		}
		return area{}
	}
	for _, step := range s.Steps {
		writes = append(writes, of(step.V))
		for _, a := range step.V.Args {
			reads = append(reads, of(a))
		}
	}
	return writes, reads
}

// disturbs reports whether a stretch may not run before those that run after the chain.
func (c *chain) disturbs(s *Stretch) bool {
	if len(c.later) == 0 {
		return false
	}
	writes, reads := c.touches(s)
	return overlap(writes, c.later) || overlap(writes, c.laterReads) || overlap(reads, c.later)
}

// passes reports whether a stretch that does not belong to the chain can run before it, since it
// reads nothing of the chain and writes nothing that the chain knows; or after it, since it reads
// of the chain sums only.
func (c *chain) passes(s *Stretch) bool {
	writes, reads := c.touches(s)
	for _, step := range s.Steps {
		if step.V.Op.Class == ir.Opaque { // may fail
			return false
		}
	}
	var rows, results []area
	for store, v := range c.of {
		x := area{off: store.Off, size: store.size()}
		if results = append(results, x); v != nil {
			rows = append(rows, x)
		}
	}
	switch {
	case !overlap(reads, results) && !overlap(writes, c.areas) && !c.disturbs(s):
		c.before = append(c.before, *s)
	case !overlap(reads, rows):
		c.after = append(c.after, *s)
		c.later, c.laterReads = append(c.later, writes...), append(c.laterReads, reads...)
	default:
		return false
	}
	return true
}

// overlap reports whether an area of one list overlaps one of the other.
func overlap(a, b []area) bool {
	return slices.ContainsFunc(a, func(x area) bool {
		return slices.ContainsFunc(b, x.overlaps)
	})
}

func (x area) overlaps(y area) bool { return x.off < y.off+y.size && y.off < x.off+x.size }

// An area is a range of the arena that a step reads or writes. Two of one place and size whose
// rows lie one behind the other do not disturb each other.
type area struct {
	off, size int
	inRows    bool
}

// add appends a step, if it belongs to the chain.
func (c *chain) add(s *Stretch) bool {
	v := s.Steps[0].V
	at := &c.p.places[v.ID]
	if s.Coded || len(s.Steps) > 1 || at.columns > 0 || c.p.width(v) > 1 {
		return false
	}
	inRows := v.Len() >= c.rows && v.Len()%c.rows == 0
	switch in := s.Instruction.(type) {
	case *unaryInstr, *binaryInstr, *selectInstr: // also those that pick elements
		if !inRows || v.Op.Class == ir.Picked {
			return false
		}
		for _, a := range v.Args {
			if !c.reads(a, rowOf{v.Len() / c.rows, 0}) {
				return false
			}
		}
	case *reduceInstr:
		a := v.Args[0]
		inRows = false
		if v.Len() > fewResults || a.Len() < c.rows || a.Len()%c.rows != 0 ||
			!c.reads(a, rowOf{a.Len() / c.rows, 0}) {
			return false
		}
	case *wholeProduct:
		_, m, k, n := v.Product()
		a, b := v.Args[0], v.Args[1]
		if in.exact != nil || len(in.a) > 1 || in.a[0].index != nil || in.b[0].index != nil ||
			in.a[0].rows != m || in.a[0].cols != k {
			return false
		}
		switch c.rows {
		case m:
			if inRows = true; !c.reads(a, rowOf{k, 0}) || !c.reads(b, rowOf{}) {
				return false
			}
		case k:
			if inRows = false; m*n > fewResults || !c.reads(a, rowOf{1, k}) ||
				!c.reads(b, rowOf{n, 0}) {
				return false
			}
		default:
			return false
		}
	default:
		return false
	}
	w := area{off: at.Store.Off, size: at.Store.size(),
		inRows: inRows && at.inOrder && at.Store.Slots == v.Len()}
	for _, x := range c.areas {
		same := x.inRows && w.inRows && x.off == w.off && x.size == w.size
		if !same && x.overlaps(w) {
			return false
		}
	}
	c.note(w)
	c.of[at.Store] = nil
	if inRows {
		c.of[at.Store] = v
	}
	c.steps = append(c.steps, s.Steps[0])
	return true
}

// fewResults is how many sums over the rows a step may have.
const fewResults = 4096

// A rowOf says which row of a step reads element e of an operand: e/each, modulo the number of
// rows if there is one. None is all rows.
type rowOf struct{ each, modulo int }

func (r rowOf) at(e int) int {
	if r.modulo > 0 {
		return e / r.each % r.modulo
	}
	return e / r.each
}

// reads notes that a step reads a value, and reports whether it may: of what the chain computes,
// those rows that are computed in the same rows of the chain.
func (c *chain) reads(a *ir.Value, row rowOf) bool {
	at := &c.p.places[a.ID]
	if at.Store == nil {
		return true
	}
	of, computed := c.of[at.Store]
	if !computed {
		c.note(area{off: at.Store.Off, size: at.Store.size()})
		return true
	}
	if of == nil || row == (rowOf{}) || a.Origin() != of {
		return false
	}
	own := of.Len() / c.rows
	if at.inOrder && c.p.places[of.ID].inOrder && a.Len() == of.Len() && row == (rowOf{own, 0}) {
		return true // in the order of the chain's own
	}
	for e := range a.Len() {
		o, k := a, e
		for o.IsView() && k >= 0 {
			o, k = o.Args[0], o.Index[k]
		}
		if k >= 0 && k/own != row.at(e) {
			return false
		}
	}
	return true
}

// note adds an area, once.
func (c *chain) note(x area) {
	if !slices.Contains(c.areas, x) {
		c.areas = append(c.areas, x)
	}
}

// numbers are those of all that the steps read and write.
func (c *chain) numbers() (n int) {
	seen := map[int]bool{}
	for _, x := range c.areas {
		if !seen[x.off] {
			seen[x.off] = true
			n += x.size
		}
	}
	return n
}

// blocks makes the instructions of all blocks.
func (c *chain) blocks() *blocks {
	const vectors = 32 // rows of a block are a multiple
	c.block = max(BlockNumbers*c.rows/c.numbers(), 1)
	if c.block > vectors {
		c.block -= c.block % vectors
	}
	count := (c.rows + c.block - 1) / c.block
	c.groups = make([]group, min(count, mostGroups))
	c.groupOf = make([]int, count)
	for g := range c.groups {
		x := &c.groups[g]
		x.first = g * count / len(c.groups)
		x.parts = make([][]Instruction, (g+1)*count/len(c.groups)-x.first)
		for k := range x.parts {
			c.groupOf[x.first+k] = g
		}
	}
	c.findLocal()
	for _, s := range c.steps {
		for i, part := range c.part(s, count) {
			g := &c.groups[c.groupOf[i]]
			g.parts[i-g.first] = append(g.parts[i-g.first], part)
		}
	}
	in := &blocks{steps: c.steps, groups: c.groups}
	in.run = in.group
	return in
}

// partialSums gives every group but the first a place for n sums over the rows, which all groups
// have at another one, and says how far apart those places are.
func (c *chain) partialSums(to, n int) (apart []int) {
	apart = make([]int, len(c.groups))
	for g := 1; g < len(c.groups); g++ {
		at := alignUp(c.p.Arena)
		c.p.Arena = at + n
		c.groups[g].sums = append(c.groups[g].sums, partialSum{to: to, at: at, n: n})
		apart[g] = at - to
	}
	return apart
}

// first reports whether a block is the first one of its group.
func (c *chain) first(block int) bool { return c.groups[c.groupOf[block]].first == block }

// findLocal finds the areas whose rows only steps of the chain read.
func (c *chain) findLocal() {
	last := c.steps[len(c.steps)-1].V.ID
	for _, x := range c.areas {
		if x.inRows {
			c.local = append(c.local, x)
		}
	}
	for s := range c.of {
		if s.last > last {
			c.local = slices.DeleteFunc(c.local, func(x area) bool { return x.off == s.Off })
		}
	}
	slices.SortFunc(c.local, func(a, b area) int { return a.off - b.off })
}

// place is where an offset in the rows from one on, of a block, lies: in a local area as if these
// were the first of the group.
func (c *chain) place(off, from int) int {
	i, found := slices.BinarySearchFunc(c.local, off,
		func(x area, off int) int { return x.off - off })
	if !found {
		i--
	}
	if i < 0 || off >= c.local[i].off+c.local[i].size {
		return off
	}
	from -= c.groups[c.groupOf[from/c.block]].first * c.block
	return off - from*(c.local[i].size/c.rows)
}

// part makes the instructions of one step, for each block.
func (c *chain) part(s Step, count int) []Instruction {
	p, v := c.p, s.V
	parts := make([]Instruction, count)
	each := func(f func(i, from, to int) Instruction) []Instruction {
		for i := range parts {
			parts[i] = f(i, i*c.block, min((i+1)*c.block, c.rows))
		}
		return parts
	}
	switch in := s.Instruction.(type) {
	case *unaryInstr:
		return each(func(_, from, to int) Instruction {
			x := *in
			x.runs, x.single = c.rowsOfElements(v, in.runs, from, to)
			return &x
		})
	case *binaryInstr:
		return each(func(_, from, to int) Instruction {
			x := *in
			x.runs, x.single = c.rowsOfElements(v, in.runs, from, to)
			return &x
		})
	case *selectInstr:
		return each(func(_, from, to int) Instruction {
			x := *in
			x.runs, x.single = c.rowsOfElements(v, in.runs, from, to)
			return &x
		})
	case *reduceInstr:
		return c.sums(v, parts)
	}
	whole := s.Instruction.(*wholeProduct)
	_, m, _, n := v.Product()
	if c.rows == m {
		return each(func(_, from, to int) Instruction {
			a := whole.a[0]
			a.at, a.rows = c.place(a.at+from*a.row, from), to-from
			at := c.place(whole.at[0]+from*n, from)
			return &wholeProduct{a: []factor{a}, b: whole.b, at: []int{at}}
		})
	}
	p.Scratch = max(p.Scratch, m*n)
	apart := c.partialSums(whole.at[0], m*n)
	return each(func(i, from, to int) Instruction {
		a, b := whole.a[0], whole.b[0]
		a.at, a.cols = c.place(a.at+from*a.col, from), to-from
		b.at, b.rows = c.place(b.at+from*b.row, from), to-from
		at := whole.at[0] + apart[c.groupOf[i]]
		return &partialProduct{a: a, b: b, at: at, first: c.first(i)}
	})
}

// rowsOfElements are the runs of the elements in some of the rows of v, whose runs are known.
func (c *chain) rowsOfElements(v *ir.Value, runs []run, from, to int) ([]run, *scattered) {
	w := v.Len() / c.rows
	single := &noScattered
	if len(runs) == 1 && runs[0].n == v.Len() {
		r := runs[0]
		r.dst, r.n = r.dst+from*w, (to-from)*w
		for i := range r.src {
			r.src[i].off += from * w * r.src[i].stride
		}
		runs = []run{r}
	} else {
		runs, single = c.p.scatter(c.p.runsOf(v, from*w, to*w), 1, len(v.Args), 1)
	}
	for i := range runs {
		r := &runs[i]
		r.dst = c.place(r.dst, from)
		for k := range r.src {
			r.src[k].off = c.place(r.src[k].off, from)
		}
	}
	c.places(single.dst, from)
	for _, src := range single.src {
		c.places(src, from)
	}
	return runs, single
}

// places replaces offsets in the rows from one on by their places.
func (c *chain) places(offsets []int32, from int) {
	for i, off := range offsets {
		offsets[i] = int32(c.place(int(off), from))
	}
}

// sums makes those of one step, for each block of rows.
func (c *chain) sums(v *ir.Value, parts []Instruction) []Instruction {
	a := v.Args[0]
	w := a.Len() / c.rows * c.block
	all := make([]*reduceInstr, len(parts))
	for i := range all {
		all[i] = &reduceInstr{width: 1}
		parts[i] = all[i]
	}
	split := make([][]int, len(parts))
	sources := v.Sources()
	from, to := math.MaxInt, 0
	for e, live := range v.Live {
		if !live {
			continue
		}
		for i := range split {
			split[i] = split[i][:0]
		}
		for _, s := range sources[e] {
			split[s/w] = append(split[s/w], s)
		}
		dst := c.p.Offset(v, e)
		from, to = min(from, dst), max(to, dst+1)
		for i, in := range all {
			if !in.addScattered(c.p, a, dst, split[i]) {
				in.addSum(c.p, a, dst, split[i])
			}
		}
	}
	apart := c.partialSums(from, to-from)
	for i, in := range all {
		first, by := c.first(i), apart[c.groupOf[i]]
		if !first {
			in.zero = nil
		}
		for k := range in.zero {
			in.zero[k] += by
		}
		for k := range in.runs {
			r := &in.runs[k]
			r.dst += by
			r.accumulate = r.accumulate || !first
			r.src = c.place(r.src, i*c.block)
			c.places(r.places, i*c.block)
		}
	}
	return parts
}

// partialProduct is a product of matrices over some of the terms of its sums, added to the
// result if it is not the first.
type partialProduct struct {
	a, b  factor
	at    int
	first bool
}

// Run implements [Instruction].
func (in *partialProduct) Run(f *Frame) {
	a, _ := in.a.gather(f.M, nil)
	b, _ := in.b.gather(f.M, nil)
	to := f.M[in.at:][:a.Rows*b.Cols]
	if in.first {
		multiplyInto(to, a, b)
		return
	}
	c := f.Scratch[:len(to)]
	multiplyInto(c, a, b)
	Kernels.Add(to, to, c)
}

// Cost implements [Instruction].
func (in *partialProduct) Cost() (flops, bytes int) { return in.a.cost(&in.b) }
