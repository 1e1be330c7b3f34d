package dense

import (
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/native"
	"tobac/autograd/internal/passes"
	"tobac/internal/vector"
)

// mostCoded is the number of elements up to which an instruction becomes machine code, where
// every operation is written out.
const mostCoded = 128

// Codes reports whether stretches of instructions become machine code.
func Codes(without passes.Set) bool {
	return without&(passes.MachineCode|passes.ElementSchedule) == 0 && Kernels != vector.Portable && native.Available()
}

// A Stretch is one step, or some that are computed together.
type Stretch struct {
	Instruction
	Steps []Step
	Coded bool // as machine code
}

// Join makes stretches of steps. Places are reused, and inputs loaded before the first. Without
// coded every step is a stretch.
func (p *Plan) Join(steps []Step, coded bool) ([]Stretch, error) {
	if !coded {
		return each(steps), nil
	}
	temporaries := alignUp(p.Arena)
	e := &emission{temporaries: int32(temporaries)}
	var text native.Text
	var all []Stretch
	first := 0
	var err error
	end := func(i int) {
		if len(e.ops) > 0 && err == nil {
			p.Arena = temporaries + mostTemporaries
			var s Stretch
			s, err = p.code(&text, e, steps[first:i])
			all = append(all, s)
			e.ops, e.pivots = nil, nil
		}
		first = i
	}
	for i, s := range steps {
		if e.add(s.Instruction) {
			if e.pivots != nil {
				end(i + 1)
			}
			continue
		}
		end(i)
		first = i + 1
		if n := len(all); n == 0 || !all[n-1].merge(p, s) {
			all = append(all, Stretch{Instruction: s.Instruction, Steps: steps[i : i+1]})
		}
	}
	if end(len(steps)); err != nil {
		return nil, err
	}
	if text.Seal() != nil {
		return each(steps), nil
	}
	return all, nil
}

// each is a stretch for every step.
func each(steps []Step) []Stretch {
	all := make([]Stretch, len(steps))
	for i, s := range steps {
		all[i] = Stretch{Instruction: s.Instruction, Steps: steps[i : i+1]}
	}
	return all
}

// code is a stretch of machine code. What a factorisation reads is kept until its pivots have
// been looked at.
func (p *Plan) code(text *native.Text, e *emission, steps []Step) (Stretch, error) {
	last := steps[len(steps)-1].V
	kept := make(map[int]bool)
	keep := func(at *Storage) {
		if at != nil {
			for i := range at.size() {
				kept[at.Off+i] = true
			}
		}
	}
	for _, s := range steps {
		if at := p.places[s.V.ID].Store; at.last > last.ID {
			keep(at)
		}
	}
	if e.pivots != nil {
		keep(p.places[last.ID].Store)
		keep(p.places[last.Args[0].ID].Store)
	}
	f, err := text.Add(e.ops, p.Arena, func(at int) bool { return kept[at] })
	return Stretch{Instruction: &codeInstr{f, steps, e.pivots}, Steps: steps, Coded: true}, err
}

// codeInstr is a stretch of machine code.
type codeInstr struct {
	*native.Func
	steps  []Step
	pivots []int32 // of the last step
}

// Run implements [Instruction]. A factorisation with a pivot that is not positive is left to
// the operation, which says why: its root is 0 or NaN.
func (in *codeInstr) Run(f *Frame) {
	in.Func.Run(f.M)
	for _, at := range in.pivots {
		if !(f.M[at] > 0) {
			in.steps[len(in.steps)-1].Run(f)
			return
		}
	}
}

// Cost is that of the steps.
func (in *codeInstr) Cost() (flops, bytes int) {
	for _, s := range in.steps {
		f, b := s.Cost()
		flops, bytes = flops+f, bytes+b
	}
	return flops, bytes
}

// An emission is a list of operations of machine code.
type emission struct {
	ops         []native.Op
	temporaries int32   // where they are in the arena
	used        int32   // by the present instruction
	pivots      []int32 // of a factorisation, which ends the stretch
}

// mostTemporaries is how many numbers an instruction may need.
const mostTemporaries = mostRows*mostRows + 1

// A coded instruction has a form in machine code, with the same bits as its own.
type coded interface {
	// emit appends its operations. ok is false if it is too large.
	emit(e *emission) (ok bool)
}

// add appends the operations of an instruction, if it has some.
func (e *emission) add(in Instruction) bool {
	c, ok := in.(coded)
	n := len(e.ops)
	e.used = 0
	if !ok || !c.emit(e) {
		e.ops, e.pivots = e.ops[:n], nil
		return false
	}
	return true
}

// temporary is the place of n numbers.
func (e *emission) temporary(n int32) int32 {
	e.used += n
	return e.temporaries + e.used - n
}

// op appends an operation on single numbers.
func (e *emission) op(code native.Code, dst, a, b int32) {
	e.ops = append(e.ops, native.Op{Code: code, N: 1, Dst: dst, A: a, B: b})
}

// fits are as many of left numbers as one operation takes.
func fits(left int) int {
	switch {
	case left >= 4:
		return 4
	case left >= 2:
		return 2
	}
	return 1
}

// each appends operations on n neighbouring numbers. Operands have stride 0 or 1.
func (e *emission) each(code native.Code, n int, dst int, a, b operand) {
	for i := 0; i < n; {
		k := fits(n - i)
		e.ops = append(e.ops, native.Op{
			Code: code, N: uint8(k), Dst: int32(dst + i), A: int32(a.off + i*a.stride), B: int32(b.off + i*b.stride),
			AOne: a.stride == 0, BOne: b.stride == 0,
		})
		i += k
	}
}

// elementwise appends a function of runs and of single elements.
func (e *emission) elementwise(code native.Code, width int, runs []run, single *scattered, operands func(src [3]operand) (a, b operand)) bool {
	if width != 1 || runElements(runs)+len(single.dst) > mostCoded {
		return false
	}
	for i := range runs {
		a, b := operands(runs[i].src)
		e.each(code, runs[i].n, runs[i].dst, a, b)
	}
	for i, dst := range single.dst {
		var src [3]operand
		for k, s := range single.src {
			if len(s) > 0 {
				src[k].off = int(s[i])
			}
		}
		a, b := operands(src)
		e.op(code, dst, int32(a.off), int32(b.off))
	}
	return true
}

func (in *unaryInstr) emit(e *emission) bool {
	one := func(src [3]operand) (a, b operand) { return src[0], src[0] }
	code := native.Code(0)
	switch in.Form {
	case ir.Neg:
		code = native.Neg
	case ir.Abs:
		code = native.Abs
	case ir.Sqrt:
		code = native.Sqrt
	case ir.Square:
		code = native.Mul
	case ir.Inverse:
		code = native.Div
		one = func(src [3]operand) (a, b operand) { return operand{off: OneOffset}, src[0] }
	default:
		return false
	}
	return e.elementwise(code, in.width, in.runs, &in.single, one)
}

func (in *binaryInstr) emit(e *emission) bool {
	code := native.Code(0)
	switch in.form {
	case ir.Add:
		code = native.Add
	case ir.Sub:
		code = native.Sub
	case ir.Mul:
		code = native.Mul
	case ir.Div:
		code = native.Div
	case ir.Barrier:
		code = native.Copy
	default:
		return false
	}
	return e.elementwise(code, in.width, in.runs, &in.single, func(src [3]operand) (a, b operand) { return src[0], src[1] })
}

// emit writes sums in the order of Run.
func (in *reduceInstr) emit(e *emission) bool {
	if in.width != 1 || in.terms+len(in.zero) > 2*mostCoded {
		return false
	}
	for _, off := range in.zero {
		e.op(native.Copy, int32(off), ZeroOffset, 0)
	}
	for i := range in.runs {
		r := &in.runs[i]
		e.used = 0
		switch {
		case r.step == 1 && r.cols >= shortRun && r.stride != 1:
			e.sumRows(r)
		case r.n <= 4 && !r.accumulate:
			e.sumFew(r)
		default:
			for c := range r.cols {
				e.used = 0
				e.sumOne(r, c)
			}
		}
	}
	return true
}

// sumRows is [sumRun.rows].
func (e *emission) sumRows(r *sumRun) {
	dst, src := operand{off: r.dst, stride: 1}, operand{off: r.src, stride: 1}
	if r.accumulate {
		e.each(native.Add, r.cols, r.dst, dst, src)
	} else {
		e.each(native.Copy, r.cols, r.dst, src, src)
	}
	for range r.n - 1 {
		src.off += r.stride
		e.each(native.Add, r.cols, r.dst, dst, src)
	}
}

// sumFew is [sumRun.few], some results at a time if their sources neighbour.
func (e *emission) sumFew(r *sumRun) {
	for c := 0; c < r.cols; {
		n := 1
		if r.step == 1 {
			n = fits(r.cols - c)
		}
		at := func(k int) int32 { return int32(r.src + c*r.step + k*r.stride) }
		dst := int32(r.dst + c)
		add := func(to, a, b int32) {
			e.ops = append(e.ops, native.Op{Code: native.Add, N: uint8(n), Dst: to, A: a, B: b, AOne: a == ZeroOffset})
		}
		e.used = 0
		switch r.n {
		case 1:
			add(dst, ZeroOffset, at(0))
		case 2:
			t := e.temporary(4)
			add(t, ZeroOffset, at(0))
			add(dst, t, at(1))
		default:
			t := e.temporary(4)
			add(t, ZeroOffset, at(0))
			add(t, t, at(1))
			if r.n == 3 {
				add(dst, t, at(2))
				break
			}
			u := e.temporary(4)
			add(u, at(2), at(3))
			add(dst, t, u)
		}
		c += n
	}
}

// sumOne is one result of a run, as [sumStrided] adds it.
func (e *emission) sumOne(r *sumRun, c int) {
	from, n := int32(r.src+c*r.step), r.n
	blocks := int32(-1)
	if r.stride == 1 && n >= sumBlocks {
		blocks = e.sumBlocks(from, n/sumBlocks)
		from, n = from+int32(n/sumBlocks*sumBlocks), n%sumBlocks
	}
	s := blocks
	if n > 0 || s < 0 {
		s = e.partial(n, 1, r.stride == 1, func(k, w int, to, sum int32) {
			e.ops = append(e.ops, native.Op{Code: native.Add, N: uint8(w), Dst: to, A: sum, B: from + int32(k*r.stride), AOne: sum == ZeroOffset})
		})
		if blocks >= 0 {
			e.op(native.Add, s, blocks, s)
		}
	}
	dst := int32(r.dst + c)
	if !r.accumulate {
		e.result(dst, 1, s)
		return
	}
	e.op(native.Add, dst, s, dst)
}

// sumBlocks is the number of neighbouring numbers that the kernel adds at a time: see
// [tobac/internal/vector.Set.Sum].
const sumBlocks = 32

// sumBlocks adds blocks of neighbouring numbers in the order of the kernel.
func (e *emission) sumBlocks(from int32, blocks int) int32 {
	sums := e.temporary(sumBlocks)
	add := func(n uint8, to, a, b int32) {
		e.ops = append(e.ops, native.Op{Code: native.Add, N: n, Dst: to, A: a, B: b})
	}
	for i := int32(0); i < sumBlocks; i += 4 {
		e.ops = append(e.ops, native.Op{Code: native.Add, N: 4, Dst: sums + i, A: ZeroOffset, B: from + i, AOne: true})
		for b := 1; b < blocks; b++ {
			add(4, sums+i, sums+i, from+int32(b)*sumBlocks+i)
		}
	}
	for step := int32(8); step < sumBlocks; step *= 2 {
		for b := int32(0); b < sumBlocks; b += 2 * step {
			add(4, sums+b, sums+b, sums+b+step)
			add(4, sums+b+4, sums+b+4, sums+b+4+step)
		}
	}
	add(4, sums, sums, sums+4)
	add(1, sums+4, sums, sums+2)
	add(1, sums+5, sums+1, sums+3)
	add(1, sums+6, sums+4, sums+5)
	return sums + 6
}

// partial adds n terms, each of width numbers, in four interleaved sums, what is behind the
// last four to the first of them, and returns where the sum of all is. term appends what adds
// term k to a number and stores the sum. If vectors, terms of one number are four neighbours
// from term k on, which are added together.
func (e *emission) partial(n, width int, vectors bool, term func(k, n int, dst, to int32)) int32 {
	w := int32(width)
	sums := e.temporary(4 * w)
	begun := [4]bool{}
	add := func(k, n int, sum int) {
		dst := sums + int32(sum)*w
		to := dst
		if !begun[sum] {
			to, begun[sum] = ZeroOffset, true
		}
		term(k, n, dst, to)
	}
	k := 0
	for ; vectors && k+4 <= n; k += 4 {
		add(k, 4, 0)
	}
	for ; k < n&^3; k++ {
		add(k, width, k%4)
	}
	for ; k < n; k++ {
		add(k, width, 0)
	}
	if n < 4 {
		return sums
	}
	t := e.temporary(2 * w)
	of := func(dst, a, b int32) {
		e.ops = append(e.ops, native.Op{Code: native.Add, N: uint8(width), Dst: dst, A: a, B: b})
	}
	of(sums, sums, sums+w)
	of(t, sums+2*w, sums+3*w)
	of(t+w, sums, t)
	return t + w
}

// emit writes products in the order of [dotPairs], of neighbouring results together.
func (in *pairsInstr) emit(e *emission) bool {
	if in.width != 1 || len(in.pairs)+len(in.dst) > 2*mostCoded {
		return false
	}
	pairs := func(i int) []pair {
		if i == 0 {
			return in.pairs[:in.end[0]]
		}
		return in.pairs[in.end[i-1]:in.end[i]]
	}
	for i := 0; i < len(in.dst); {
		n := 1
		for n < 4 && i+n < len(in.dst) && in.dst[i+n] == in.dst[i]+n && neighbours(pairs(i), pairs(i+1), pairs(i+n), int32(n)) {
			n++
		}
		n = fits(n)
		e.used = 0
		if last := pairs(i + n - 1); len(last) > 0 {
			e.products(int32(in.dst[i]), n, pairs(i), last)
		} else {
			e.each(native.Copy, n, in.dst[i], operand{off: ZeroOffset}, operand{})
		}
		i += n
	}
	return true
}

// neighbours reports whether the factors of results number 0, 1 and n are the same or
// neighbours of each other.
func neighbours(first, second, other []pair, n int32) bool {
	if len(first) != len(second) || len(first) != len(other) {
		return false
	}
	for k, p := range first {
		da, db := second[k].a-p.a, second[k].b-p.b
		if da != 0 && da != 1 || db != 0 && db != 1 || other[k] != (pair{p.a + n*da, p.b + n*db}) {
			return false
		}
	}
	return true
}

// products is n results from dst on, Σ m[a]·m[b] over the first pairs for the first and the
// last pairs for the last.
func (e *emission) products(dst int32, n int, first, last []pair) {
	vectors := n == 1
	for k := 0; k+4 <= len(first); k += 4 {
		for j := 1; j < 4; j++ {
			vectors = vectors && first[k+j] == pair{first[k].a + int32(j), first[k].b + int32(j)}
		}
	}
	product := e.temporary(4)
	s := e.partial(len(first), n, vectors, func(k, w int, to, sum int32) {
		a, b := first[k], last[k]
		e.ops = append(e.ops,
			native.Op{Code: native.Mul, N: uint8(w), Dst: product, A: a.a, B: a.b, AOne: n > 1 && a.a == b.a, BOne: n > 1 && a.b == b.b},
			native.Op{Code: native.Add, N: uint8(w), Dst: to, A: sum, B: product, AOne: sum == ZeroOffset})
	})
	e.result(dst, n, s)
}

// result makes dst what the last operation computes at s.
func (e *emission) result(dst int32, n int, s int32) {
	if last := &e.ops[len(e.ops)-1]; last.Dst == s && int(last.N) == n {
		last.Dst = dst
		return
	}
	e.each(native.Copy, n, int(dst), operand{off: int(s), stride: 1}, operand{})
}

// emit writes the product in the order of Run.
func (in *vectorProduct) emit(e *emission) bool {
	if in.rows*in.k*in.n > mostCoded {
		return false
	}
	if in.k > 1 {
		pairs := make([]pair, in.k)
		for i := range pairs {
			pairs[i] = pair{int32(in.a + i), int32(in.b + i)}
		}
		e.products(int32(in.dst), 1, pairs, pairs)
		return true
	}
	row := operand{off: in.b, stride: 1}
	if in.n == 1 {
		e.each(native.Mul, in.rows, in.dst, operand{off: in.a, stride: 1}, operand{off: in.b})
		return true
	}
	for i := range in.rows {
		e.each(native.Mul, in.n, in.dst+i*in.n, row, operand{off: in.a + i})
	}
	return true
}
