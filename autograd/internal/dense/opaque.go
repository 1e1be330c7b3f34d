package dense

import (
	"math"

	"tobac/autograd/internal/ir"
)

// opaqueInstr gathers the operands of every lane and evaluates the operation.
type opaqueInstr struct {
	v      *ir.Value
	width  int
	shapes []ir.Shape
	src    [][]operand
	dst    []operand // elements that nothing reads have no lanes
}

func (p *Plan) lowerOpaque(v *ir.Value) Instruction {
	in := &opaqueInstr{v: v, width: p.width(v), shapes: v.ArgShapes()}
	size := v.Len()
	for _, a := range v.Args {
		src := make([]operand, a.Len())
		for e := range src {
			src[e] = p.operand(a, e)
		}
		in.src = append(in.src, src)
		size += a.Len()
	}
	for e, live := range v.Live {
		o := operand{}
		if live {
			o = p.operand(v, e)
		}
		in.dst = append(in.dst, o)
	}
	p.Scratch = max(p.Scratch, size)
	return in
}

// Run implements [Instruction].
func (in *opaqueInstr) Run(f *Frame) {
	for l := range in.width {
		buf := f.Scratch
		args := f.args[:0]
		for _, src := range in.src {
			x := buf[:len(src)]
			buf = buf[len(src):]
			for e, s := range src {
				x[e] = f.M[s.lane(l)]
			}
			args = append(args, x)
		}
		f.args = args
		out := buf[:len(in.dst)]
		if err := in.v.Op.Eval(in.v.Attr, out, in.v.Shape, args, in.shapes); err != nil {
			f.Failed = append(f.Failed, Failure{in.v, l, err})
			fill(out, math.NaN())
		}
		for e, d := range in.dst {
			if d.width > 0 {
				f.M[d.lane(l)] = out[e]
			}
		}
	}
}

// Cost counts what is gathered and scattered, and no operation: those of an
// unknown function are unknown.
func (in *opaqueInstr) Cost() (flops, bytes int) {
	n := len(in.dst)
	for _, src := range in.src {
		n += len(src)
	}
	return 0, 8 * n * in.width
}
