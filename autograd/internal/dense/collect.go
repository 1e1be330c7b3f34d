package dense

import (
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/native"
)

// collectInstr puts single numbers of several arrays together.
type collectInstr struct {
	runs   []run
	single *scattered // elements that are in no run
}

func (p *Plan) lowerCollect(v *ir.Value) Instruction {
	in := &collectInstr{}
	in.runs, in.single = p.scatter(p.join(v, 1, func(e int, next *run) bool {
		next.src[0] = operand{off: ZeroOffset, width: 1}
		if k := v.Attr.Ints[2*e]; k >= 0 {
			next.src[0] = p.operand(v.Args[k], v.Attr.Ints[2*e+1])
		}
		return true
	}), 1, 1, 0)
	return in
}

// Run implements [Instruction].
func (in *collectInstr) Run(f *Frame) {
	for i := range in.runs {
		r := &in.runs[i]
		dst, src := f.M[r.dst:][:r.n], r.src[0]
		if src.stride == 0 {
			fill(dst, 0+f.M[src.off])
		} else {
			Kernels.Shift(dst, f.M[src.off:][:r.n], 0)
		}
	}
	from := in.single.src[0]
	for i, at := range in.single.dst {
		f.M[at] = 0 + f.M[from[i]]
	}
}

// Cost implements [Instruction].
func (in *collectInstr) Cost() (flops, bytes int) {
	n := runElements(in.runs) + len(in.single.dst)
	return n, 16 * n
}

func (in *collectInstr) emit(e *emission) bool {
	return e.elementwise(native.Add, 1, in.runs, in.single, func(src [3]operand) (a, b operand) { return operand{off: ZeroOffset}, src[0] })
}
