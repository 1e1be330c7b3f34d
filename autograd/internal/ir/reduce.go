package ir

import "math"

// SumOp and LogSumExpOp are the reductions over sources, without them.
var (
	SumOp       = &Op{Name: "sum", Class: Sum}
	LogSumExpOp = &Op{Name: "logsumexp", Class: LogSumExp}
)

// Reduction is one of them over the given sources.
func Reduction(op *Op, sources [][]int) *Op {
	reduce := sum
	if op.Class == LogSumExp {
		reduce = LogSumExpOf
	}
	return &Op{
		Name: op.Name, Class: op.Class,
		Sources: func(Attr, Shape, Shape) [][]int { return sources },
		Eval: func(_ Attr, out []float64, _ Shape, in [][]float64, _ []Shape) error {
			var x []float64
			for e, src := range sources {
				x = x[:0]
				for _, s := range src {
					x = append(x, in[0][s])
				}
				out[e] = reduce(x)
			}
			return nil
		},
	}
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

// LogSumExpOf is ln Σ e^x, shifted by the largest; that itself if it is infinite or NaN.
func LogSumExpOf(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = math.Max(top, v)
	}
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return top
	}
	s := 0.0
	for _, v := range x {
		s += math.Exp(v - top)
	}
	return top + math.Log(s)
}

// Softmax normalises e^x in place: e^(x − max x)/Σ, so that the numbers add up to 1 for
// any size of x.
func Softmax(x []float64) {
	top := math.Inf(-1)
	for _, v := range x {
		top = math.Max(top, v)
	}
	s := 0.0
	for i, v := range x {
		x[i] = math.Exp(v - top)
		s += x[i]
	}
	for i := range x {
		x[i] /= s
	}
}
