package dense

import (
	"slices"

	"tobac/autograd/internal/ir"
)

// blocks are steps on arrays that no cache holds, computed together, some rows at a time, so that
// each array is read from memory once: of a regression the product with the data, what the rows
// contribute, and the product of its derivative with the data again. What only these steps read
// has the place of its first block in all of them, which stays in the cache.
type blocks struct {
	steps []Step
	parts [][]Instruction // of each block
}

// Run implements [Instruction].
func (in *blocks) Run(f *Frame) {
	for _, part := range in.parts {
		for _, i := range part {
			i.Run(f)
		}
	}
}

// Cost implements [Instruction].
func (in *blocks) Cost() (flops, bytes int) { return costOf(in.steps) }

// inBlocks joins stretches that are computed block by block.
func (p *Plan) inBlocks(all []Stretch) []Stretch {
	joined := make([]Stretch, 0, len(all))
	for i := 0; i < len(all); {
		var best *chain
		for _, rows := range p.rowsOf(&all[i]) {
			c := &chain{p: p, rows: rows, of: map[*Storage]*ir.Value{}}
			for k := i; k < min(len(all), i+mostSteps) && c.add(&all[k]); k++ {
			}
			if best == nil || len(c.steps) > len(best.steps) {
				best = c
			}
		}
		n := 1
		if best != nil {
			n = max(len(best.steps), 1)
		}
		if n > 1 && best.numbers() >= ManyNumbers {
			joined = append(joined, Stretch{Instruction: best.blocks(), Steps: best.steps})
		} else {
			joined = append(joined, all[i:i+n]...)
		}
		i += n
	}
	return joined
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
}

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
		if !same && x.off < w.off+w.size && w.off < x.off+x.size {
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
	in := &blocks{steps: c.steps}
	rows := max(BlockNumbers*c.rows/c.numbers(), 1)
	if rows > vectors {
		rows -= rows % vectors
	}
	count := (c.rows + rows - 1) / rows
	in.parts = make([][]Instruction, count)
	c.findLocal()
	for _, s := range c.steps {
		for i, part := range c.part(s, rows, count) {
			if part != nil {
				in.parts[i] = append(in.parts[i], part)
			}
		}
	}
	return in
}

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

// place is where an offset in the rows from one on lies: in a local area as if these were the
// first.
func (c *chain) place(off, from int) int {
	i, found := slices.BinarySearchFunc(c.local, off,
		func(x area, off int) int { return x.off - off })
	if !found {
		i--
	}
	if i < 0 || off >= c.local[i].off+c.local[i].size {
		return off
	}
	return off - from*(c.local[i].size/c.rows)
}

// part makes the instructions of one step, for each block.
func (c *chain) part(s Step, rows, count int) []Instruction {
	p, v := c.p, s.V
	parts := make([]Instruction, count)
	each := func(f func(i, from, to int) Instruction) []Instruction {
		for i := range parts {
			parts[i] = f(i, i*rows, min((i+1)*rows, c.rows))
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
		return c.sums(v, rows, parts)
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
	return each(func(i, from, to int) Instruction {
		a, b := whole.a[0], whole.b[0]
		a.at, a.cols = c.place(a.at+from*a.col, from), to-from
		b.at, b.rows = c.place(b.at+from*b.row, from), to-from
		return &partialProduct{a: a, b: b, at: whole.at[0], first: i == 0}
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
func (c *chain) sums(v *ir.Value, rows int, parts []Instruction) []Instruction {
	a := v.Args[0]
	w := a.Len() / c.rows * rows
	all := make([]*reduceInstr, len(parts))
	for i := range all {
		all[i] = &reduceInstr{width: 1}
		parts[i] = all[i]
	}
	split := make([][]int, len(parts))
	sources := v.Sources()
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
		for i, in := range all {
			if !in.addScattered(c.p, a, dst, split[i]) {
				in.addSum(c.p, a, dst, split[i])
			}
		}
	}
	for i, in := range all {
		if i > 0 {
			in.zero = nil
		}
		for k := range in.runs {
			r := &in.runs[k]
			r.accumulate = r.accumulate || i > 0
			r.src = c.place(r.src, i*rows)
			c.places(r.places, i*rows)
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
