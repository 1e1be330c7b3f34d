package dense

import (
	"tobac/autograd/internal/ir"
	"tobac/internal/vector"
)

// selectInstr selects between two operands by a third.
type selectInstr struct {
	width  int
	runs   []run
	single *scattered // elements of one number that are in no run
}

// selectStretch is how often a number that is selected is repeated in scratch memory.
const selectStretch = 512

func (p *Plan) lowerSelect(v *ir.Value) Instruction {
	in := &selectInstr{width: p.width(v)}
	in.runs, in.single = p.elements(v, 3)
	p.Scratch = max(p.Scratch, 3*selectStretch)
	return in
}

// Run implements [Instruction].
func (in *selectInstr) Run(f *Frame) {
	w := in.width
	for i := range in.runs {
		r := &in.runs[i]
		dst := f.M[r.dst:][:r.n*w]
		whole := true
		for _, s := range r.src {
			whole = whole &&
				(s.stride == 0 && (s.width == 1 || r.n == 1) || s.width == w && s.stride != 0)
		}
		if whole {
			in.stretch(f, dst, r, 0)
			continue
		}
		for e := range r.n {
			in.stretch(f, dst[e*w:][:w], r, e)
		}
	}
	if n := len(in.single.dst); n > 0 {
		var x [3][]float64
		for k := range x {
			x[k] = f.Scratch[k*n:][:n]
			Kernels.Gather(x[k], f.M, in.single.src[k])
		}
		Kernels.Where(x[0], x[0], x[1], x[2])
		in.single.store(f.M, x[0])
	}
}

// stretch computes dst from the elements of a run from e on: vectors of the length of dst,
// or numbers.
func (in *selectInstr) stretch(f *Frame, dst []float64, r *run, e int) {
	n := min(len(dst), selectStretch)
	var at [3]int
	var vectors [3]bool
	var x [3][]float64
	for k, s := range r.src {
		at[k] = s.off + e*s.stride
		vectors[k] = s.width == in.width && (s.width > 1 || s.stride != 0)
		if !vectors[k] {
			x[k] = f.Scratch[k*selectStretch:][:n]
			vector.Fill(x[k], f.M[at[k]])
		}
	}
	for i := 0; i < len(dst); i += n {
		n := min(n, len(dst)-i)
		for k := range x {
			if vectors[k] {
				x[k] = f.M[at[k]+i:][:n]
			}
		}
		Kernels.Where(dst[i:][:n], x[0][:n], x[1][:n], x[2][:n])
	}
}

// Cost implements [Instruction].
func (in *selectInstr) Cost() (flops, bytes int) {
	n := in.width*runElements(in.runs) + len(in.single.dst)
	return n, 32 * n
}
