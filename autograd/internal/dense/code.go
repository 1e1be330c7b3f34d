package dense

import (
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/native"
	"tobac/autograd/internal/passes"
	"tobac/internal/vector"
)

// mostCoded is the number of elements up to which an instruction becomes machine code, where
// every operation is written out.
const mostCoded = 64

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
			s, err = p.code(&text, e.ops, steps[first:i])
			all = append(all, s)
			e.ops = nil
		}
		first = i
	}
	for i, s := range steps {
		if e.add(s.Instruction) {
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

// code is a stretch of machine code.
func (p *Plan) code(text *native.Text, ops []native.Op, steps []Step) (Stretch, error) {
	last := steps[len(steps)-1].V.ID
	kept := make(map[int]bool)
	for _, s := range steps {
		if at := p.places[s.V.ID].Store; at.last > last {
			for i := range at.size() {
				kept[at.Off+i] = true
			}
		}
	}
	f, err := text.Add(ops, p.Arena, func(at int) bool { return kept[at] })
	return Stretch{Instruction: &codeInstr{f, steps}, Steps: steps, Coded: true}, err
}

// codeInstr is a stretch of machine code.
type codeInstr struct {
	*native.Func
	steps []Step
}

// Run implements [Instruction].
func (in *codeInstr) Run(f *Frame) { in.Func.Run(f.M) }

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
	temporaries int32 // where they are in the arena
	used        int32 // by the present instruction
}

// mostTemporaries is how many numbers an instruction may need.
const mostTemporaries = 16

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
		e.ops = e.ops[:n]
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
		case r.stride == 1 && r.n >= 32: // which the kernel adds in another order
			return false
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
	at := func(k int) int32 { return int32(r.src + c*r.step + k*r.stride) }
	s := e.partial(r.n, r.stride == 1, func(k, n int, to int32) {
		e.ops = append(e.ops, native.Op{Code: native.Add, N: uint8(n), Dst: to, A: to, B: at(k)})
	})
	dst := int32(r.dst + c)
	if !r.accumulate {
		e.ops[len(e.ops)-1].Dst = dst
		return
	}
	e.op(native.Add, dst, s, dst)
}

// partial adds n terms in four interleaved sums, what is behind the last four to the first
// of them, and returns where the sum of all is. term appends what adds term k, or four of them
// from it on, to a place.
func (e *emission) partial(n int, vectors bool, term func(k, n int, to int32)) int32 {
	sums := e.temporary(4)
	k := 0
	switch {
	case n >= 4 && vectors:
		e.ops = append(e.ops, native.Op{Code: native.Copy, N: 4, Dst: sums, A: ZeroOffset, AOne: true})
		for ; k+4 <= n; k += 4 {
			term(k, 4, sums)
		}
	default:
		for i := range sumsOf(n) {
			e.op(native.Copy, sums+int32(i), ZeroOffset, 0)
		}
		for ; k < n&^3; k++ {
			term(k, 1, sums+int32(k%4))
		}
	}
	for ; k < n; k++ {
		term(k, 1, sums)
	}
	if n >= 4 {
		t := e.temporary(4)
		e.op(native.Add, t, sums, sums+1)
		e.op(native.Add, t+1, sums+2, sums+3)
		e.op(native.Add, t+2, t, t+1)
		return t + 2
	}
	return sums
}

// sumsOf is how many interleaved sums n terms have.
func sumsOf(n int) int {
	if n < 4 {
		return 1
	}
	return 4
}

// emit writes products in the order of [dotPairs].
func (in *pairsInstr) emit(e *emission) bool {
	if in.width != 1 || len(in.pairs)+len(in.dst) > 2*mostCoded {
		return false
	}
	from := 0
	for i, off := range in.dst {
		pairs := in.pairs[from:in.end[i]]
		from = in.end[i]
		e.used = 0
		if len(pairs) == 0 {
			e.op(native.Copy, int32(off), ZeroOffset, 0)
			continue
		}
		e.products(int32(off), pairs)
	}
	return true
}

// products is dst = Σ m[a]·m[b].
func (e *emission) products(dst int32, pairs []pair) {
	vectors := true
	for k := 0; k+4 <= len(pairs); k += 4 {
		for j := 1; j < 4; j++ {
			vectors = vectors && pairs[k+j] == pair{pairs[k].a + int32(j), pairs[k].b + int32(j)}
		}
	}
	product := e.temporary(4)
	e.partial(len(pairs), vectors, func(k, n int, to int32) {
		e.ops = append(e.ops,
			native.Op{Code: native.Mul, N: uint8(n), Dst: product, A: pairs[k].a, B: pairs[k].b},
			native.Op{Code: native.Add, N: uint8(n), Dst: to, A: to, B: product})
	})
	e.ops[len(e.ops)-1].Dst = dst
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
		e.products(int32(in.dst), pairs)
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
