package dense

import (
	"iter"

	"tobac/autograd/internal/ir"
	"tobac/internal/vector"
)

// unaryInstr is an element-wise function of one operand.
type unaryInstr struct {
	*ir.Unary
	width  int
	joined bool // made of several, all single elements
	runs   []run
	single *scattered // elements of one number that are in no run
}

func (p *Plan) lowerUnary(v *ir.Value) Instruction {
	in := &unaryInstr{Unary: v.Unary(), width: p.width(v)}
	in.runs, in.single = p.elements(v, 1)
	return in
}

// Run implements [Instruction].
func (in *unaryInstr) Run(f *Frame) {
	w := in.width
	for i := range in.runs {
		r := &in.runs[i]
		a := r.src[0]
		dst := f.M[r.dst : r.dst+r.n*w]
		if a.width == w && (a.stride != 0 || r.n == 1) {
			in.Vec(dst, f.M[a.off:a.off+r.n*w])
			continue
		}
		if a.width == 1 && a.stride == 0 {
			in.Vec(dst[:1], f.M[a.off:a.off+1])
			vector.Fill(dst, dst[0])
			continue
		}
		for e := range r.n {
			d, off := dst[e*w:(e+1)*w], a.off+e*a.stride
			if a.width == w {
				in.Vec(d, f.M[off:off+w])
			} else {
				in.Vec(d[:1], f.M[off:off+1])
				vector.Fill(d, d[0])
			}
		}
	}
	if n := len(in.single.dst); n > 0 {
		x := f.Scratch[:n]
		Kernels.Gather(x, f.M, in.single.src[0])
		in.Vec(x, x)
		in.single.store(f.M, x)
	}
}

// Cost implements [Instruction].
func (in *unaryInstr) Cost() (flops, bytes int) {
	n := in.width*runElements(in.runs) + len(in.single.dst)
	return n, 16 * n
}

// binaryInstr is an element-wise function of two operands.
type binaryInstr struct {
	*ir.Binary
	form   ir.Form
	width  int
	runs   []run
	single *scattered // elements of one number that are in no run
}

func (p *Plan) lowerBinary(v *ir.Value) Instruction {
	in := &binaryInstr{Binary: v.Binary(), form: v.Op.Form, width: p.width(v)}
	in.runs, in.single = p.elements(v, 2)
	return in
}

// scattered are elements of one number: the places of the results and of the operands.
type scattered struct {
	dst []int32
	src [3][]int32
}

// noScattered are no elements.
var noScattered scattered

func (s *scattered) store(m, x []float64) {
	for i, at := range s.dst {
		m[at] = x[i]
	}
}

// shortRun is the length below which runs of single numbers are gathered.
const shortRun = 8

// elements are the runs of an element-wise value, and the elements that are in none.
func (p *Plan) elements(v *ir.Value, args int) ([]run, *scattered) {
	if r, ok := p.oneRun(v); ok {
		return []run{r}, &noScattered
	}
	return p.scatter(p.runs(v), p.width(v), args, 1)
}

// scatter takes the runs of single numbers that are short out of the list, if they are
// more than alone.
func (p *Plan) scatter(runs iter.Seq[run], width, args, alone int) (rest []run, single *scattered) {
	all, short, elements := 0, 0, 0
	for r := range runs {
		all++
		if width == 1 && r.n < shortRun {
			short++
			elements += r.n
		}
	}
	if short <= alone {
		rest = make([]run, 0, all)
		for r := range runs {
			rest = append(rest, r)
		}
		return rest, &noScattered
	}
	single = &scattered{dst: make([]int32, 0, elements)}
	for i := range args {
		single.src[i] = make([]int32, 0, elements)
	}
	for r := range runs {
		if r.n >= shortRun {
			rest = append(rest, r)
			continue
		}
		for e := range r.n {
			single.dst = append(single.dst, int32(r.dst+e))
			for i, s := range r.src[:args] {
				single.src[i] = append(single.src[i], int32(s.off+e*s.stride))
			}
		}
	}
	p.Scratch = max(p.Scratch, args*len(single.dst))
	return rest, single
}

// runSingles computes the elements that are in no run.
func (in *binaryInstr) runSingles(m, scratch []float64) {
	dst := in.single.dst
	a, b := in.single.src[0][:len(dst)], in.single.src[1][:len(dst)]
	switch in.form {
	case ir.Add:
		for i, at := range dst {
			m[at] = m[a[i]] + m[b[i]]
		}
	case ir.Sub:
		for i, at := range dst {
			m[at] = m[a[i]] - m[b[i]]
		}
	case ir.Mul:
		for i, at := range dst {
			m[at] = m[a[i]] * m[b[i]]
		}
	default:
		x, y := scratch[:len(dst)], scratch[len(dst):][:len(dst)]
		Kernels.Gather(x, m, a)
		Kernels.Gather(y, m, b)
		in.VV(x, x, y)
		in.single.store(m, x)
	}
}

// Run implements [Instruction].
func (in *binaryInstr) Run(f *Frame) {
	w := in.width
	for i := range in.runs {
		r := &in.runs[i]
		a, b := r.src[0], r.src[1]
		dst := f.M[r.dst : r.dst+r.n*w]
		aVec := a.width == w && (a.stride != 0 || r.n == 1)
		bVec := b.width == w && (b.stride != 0 || r.n == 1)
		switch {
		case len(dst) == 1 && in.form == ir.Add:
			dst[0] = f.M[a.off] + f.M[b.off]
		case len(dst) == 1 && in.form == ir.Sub:
			dst[0] = f.M[a.off] - f.M[b.off]
		case len(dst) == 1 && in.form == ir.Mul:
			dst[0] = f.M[a.off] * f.M[b.off]
		case aVec && bVec:
			in.VV(dst, f.M[a.off:a.off+r.n*w], f.M[b.off:b.off+r.n*w])
		case aVec && b.width == 1 && b.stride == 0:
			in.VS(dst, f.M[a.off:a.off+r.n*w], f.M[b.off])
		case bVec && a.width == 1 && a.stride == 0:
			in.SV(dst, f.M[a.off], f.M[b.off:b.off+r.n*w])
		case a.width == 1 && a.stride == 0 && b.width == 1 && b.stride == 0:
			in.VV(dst[:1], f.M[a.off:a.off+1], f.M[b.off:b.off+1])
			vector.Fill(dst, dst[0])
		default:
			in.each(f.M, dst, r)
		}
	}
	if len(in.single.dst) > 0 {
		in.runSingles(f.M, f.Scratch)
	}
}

// each computes a run element by element.
func (in *binaryInstr) each(m, dst []float64, r *run) {
	w, a, b := in.width, r.src[0], r.src[1]
	for e := range r.n {
		d, x, y := dst[e*w:(e+1)*w], a.off+e*a.stride, b.off+e*b.stride
		switch {
		case a.width == w && b.width == w:
			in.VV(d, m[x:x+w], m[y:y+w])
		case a.width == w:
			in.VS(d, m[x:x+w], m[y])
		case b.width == w:
			in.SV(d, m[x], m[y:y+w])
		default:
			in.VV(d[:1], m[x:x+1], m[y:y+1])
			vector.Fill(d, d[0])
		}
	}
}

// Cost implements [Instruction].
func (in *binaryInstr) Cost() (flops, bytes int) {
	n := in.width*runElements(in.runs) + len(in.single.dst)
	return n, 24 * n
}
