package dense

import (
	"math"

	"tobac/autograd/internal/ir"
	"tobac/internal/vector"
)

// crossingInstr crosses the lanes.
type crossingInstr struct {
	over  ir.Over
	dst   []operand
	src   []operand
	lane  []int       // of stacks
	from  [][]operand // of unstacked values, by lane
	count int         // lanes
}

func (p *Plan) lowerCrossing(v *ir.Value) Instruction {
	in := &crossingInstr{over: v.Op.Over, count: p.Count}
	if v.Attr.Axis != p.lane { // of the loop: the same number at every index
		in.count = 1
	}
	for e, live := range v.Live {
		if !live {
			continue
		}
		first, step, n := v.Crossed(e)
		in.dst = append(in.dst, p.operand(v, e))
		in.src = append(in.src, p.operand(v.Args[0], first))
		switch v.Op.Over {
		case ir.OverStack:
			in.lane = append(in.lane, v.StackIndex(e))
		case ir.OverUnstack:
			from := make([]operand, n)
			for l := range from {
				from[l] = p.operand(v.Args[0], first+l*step)
			}
			in.from = append(in.from, from)
		}
	}
	p.Scratch = max(p.Scratch, p.Count)
	return in
}

// Run implements [Instruction].
func (in *crossingInstr) Run(f *Frame) {
	for i, d := range in.dst {
		s := in.src[i]
		dst, src := f.M[d.off:][:d.width], f.M[s.off:][:s.width]
		if s.width > 1 {
			src = src[:in.count]
		}
		switch in.over {
		case ir.OverSum:
			x := Kernels.Sum(src)
			if s.width == 1 {
				x = float64(in.count) * src[0]
			}
			vector.Fill(dst, x)
		case ir.OverMax:
			vector.Fill(dst, Kernels.Max(src))
		case ir.OverLogSumExp:
			vector.Fill(dst, in.logSumExp(src))
		case ir.OverSoftmax:
			in.softmax(dst, src)
		case ir.OverStack:
			dst[0] = f.M[s.lane(in.lane[i])]
		case ir.OverUnstack:
			for l := range dst {
				dst[l] = f.M[in.from[i][min(l, in.count-1)].off]
			}
		case ir.OverExpand:
			if s.width == d.width {
				copy(dst, f.M[s.off:][:s.width])
			} else {
				vector.Fill(dst, src[0])
			}
		}
	}
}

func (in *crossingInstr) logSumExp(x []float64) float64 {
	if len(x) == 1 && in.count > 1 {
		return x[0] + math.Log(float64(in.count))
	}
	return LogSumExp(x)
}

// LogSumExp is ln Σ e^x, shifted by the largest; that itself if it is infinite or NaN.
func LogSumExp(x []float64) float64 {
	top, log := LogSumExpParts(x)
	return top + log
}

// LogSumExpParts are max x and ln Σ e^(x − max x), which is 0 where the largest is
// infinite or NaN.
func LogSumExpParts(x []float64) (top, log float64) {
	top = Kernels.Max(x)
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return top, 0
	}
	return top, math.Log(Kernels.SumExp(x, top))
}

// softmax is e^x normalised: e^(x − max x)/Σ, so that the numbers add up to 1 for any
// size of x.
func (in *crossingInstr) softmax(dst, src []float64) {
	if len(src) == 1 && in.count > 1 {
		vector.Fill(dst, 1/float64(in.count))
		return
	}
	top, log := LogSumExpParts(src)
	for l := range dst {
		dst[l] = src[min(l, len(src)-1)] - top - log
		if l >= len(src) {
			dst[l] = dst[0]
		}
	}
	Kernels.Exp(dst, dst)
}

// Cost implements [Instruction].
func (in *crossingInstr) Cost() (flops, bytes int) {
	for i, d := range in.dst {
		bytes += 8 * (d.width + in.src[i].width)
		switch in.over {
		case ir.OverSum, ir.OverMax:
			flops += in.src[i].width
		case ir.OverLogSumExp:
			flops += 3 * in.src[i].width
		case ir.OverSoftmax:
			flops += 5 * in.src[i].width
		}
	}
	return flops, bytes
}
