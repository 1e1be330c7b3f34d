package dense

import "tobac/autograd/internal/ir"

// unaryInstr is an element-wise function of one operand.
type unaryInstr struct {
	*ir.Unary
	width  int
	runs   []run
	single []scalars // elements of one number that are in no run
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
		for e := range r.n {
			d, off := dst[e*w:(e+1)*w], a.off+e*a.stride
			if a.width == w {
				in.Vec(d, f.M[off:off+w])
			} else {
				fill(d, in.F(f.M[off]))
			}
		}
	}
	for _, e := range in.single {
		f.M[e.dst] = in.F(f.M[e.a])
	}
}

// Cost implements [Instruction].
func (in *unaryInstr) Cost() (flops, bytes int) {
	n := in.width*runElements(in.runs) + len(in.single)
	return n, 16 * n
}

// binaryInstr is an element-wise function of two operands.
type binaryInstr struct {
	*ir.Binary
	form   ir.Form
	width  int
	runs   []run
	single []scalars // elements of one number that are in no run
}

// scalars are the places of the result and the operands of one number.
type scalars struct{ dst, a, b int32 }

// shortRun is the length below which a run of single numbers is dealt with
// number by number.
const shortRun = 8

// singles takes the runs of single numbers that are short out of the list.
func singles(runs []run, width, args int) (rest []run, single []scalars) {
	if width != 1 {
		return runs, nil
	}
	for _, r := range runs {
		if r.n >= shortRun {
			rest = append(rest, r)
			continue
		}
		for e := range r.n {
			s := scalars{dst: int32(r.dst + e), a: int32(r.src[0].off + e*r.src[0].stride)}
			if args > 1 {
				s.b = int32(r.src[1].off + e*r.src[1].stride)
			}
			single = append(single, s)
		}
	}
	return rest, single
}

// runSingles computes the elements that are in no run.
func (in *binaryInstr) runSingles(m []float64) {
	switch in.form {
	case ir.Add:
		for _, e := range in.single {
			m[e.dst] = m[e.a] + m[e.b]
		}
	case ir.Sub:
		for _, e := range in.single {
			m[e.dst] = m[e.a] - m[e.b]
		}
	case ir.Mul:
		for _, e := range in.single {
			m[e.dst] = m[e.a] * m[e.b]
		}
	default:
		for _, e := range in.single {
			m[e.dst] = in.F(m[e.a], m[e.b])
		}
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
		case aVec && bVec:
			in.VV(dst, f.M[a.off:a.off+r.n*w], f.M[b.off:b.off+r.n*w])
		case aVec && b.width == 1 && b.stride == 0:
			in.VS(dst, f.M[a.off:a.off+r.n*w], f.M[b.off])
		case bVec && a.width == 1 && a.stride == 0:
			in.SV(dst, f.M[a.off], f.M[b.off:b.off+r.n*w])
		default:
			in.each(f.M, dst, r)
		}
	}
	in.runSingles(f.M)
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
			fill(d, in.F(m[x], m[y]))
		}
	}
}

// Cost implements [Instruction].
func (in *binaryInstr) Cost() (flops, bytes int) {
	n := in.width*runElements(in.runs) + len(in.single)
	return n, 24 * n
}

// selectInstr selects between two operands by a third.
type selectInstr struct {
	width int
	runs  []run
}

// Run implements [Instruction].
func (in *selectInstr) Run(f *Frame) {
	for i := range in.runs {
		r := &in.runs[i]
		for e := range r.n {
			var at, step [3]int
			for k, s := range r.src {
				at[k] = s.off + e*s.stride
				if s.width > 1 {
					step[k] = 1
				}
			}
			dst := f.M[r.dst+e*in.width:][:in.width]
			for l := range dst {
				if f.M[at[0]+l*step[0]] != 0 {
					dst[l] = f.M[at[1]+l*step[1]]
				} else {
					dst[l] = f.M[at[2]+l*step[2]]
				}
			}
		}
	}
}

// Cost implements [Instruction].
func (in *selectInstr) Cost() (flops, bytes int) {
	n := in.width * runElements(in.runs)
	return n, 32 * n
}

func fill(dst []float64, v float64) {
	for i := range dst {
		dst[i] = v
	}
}
