package ir

import (
	"math"
	"slices"
)

// Reduction is what crosses an axis that has become a dimension: a sum, a maximum or a
// log-sum-exp over sources.
func Reduction(over Over, sources [][]int) *Op {
	op := &Op{Name: "sum", Class: Sum}
	reduce := SumOf
	switch over {
	case OverLogSumExp:
		op, reduce = &Op{Name: "logsumexp", Class: LogSumExp}, LogSumExpOf
	case OverMax:
		op, reduce = &Op{Name: "max", Class: Fold, Binary: maxOf}, slices.Max
	}
	return &Op{
		Name: op.Name, Class: op.Class, Binary: op.Binary,
		Lists: Lists{Sources: func(Attr, Shape, Shape) [][]int { return sources }},
		Eval: func(_ Attr, out []float64, _ Shape, in [][]float64, _ []Shape) error {
			Reduce(out, in[0], sources, reduce)
			return nil
		},
	}
}

// Reduce is out[e] = f(the elements of x that are the sources of e).
func Reduce(out, x []float64, sources [][]int, f func(x []float64) float64) {
	var own []float64
	for e, src := range sources {
		own = own[:0]
		for _, s := range src {
			own = append(own, x[s])
		}
		out[e] = f(own)
	}
}

// Normalise is [SoftmaxOf] of the elements of x in each list of sources.
func Normalise(out, x []float64, sources [][]int) {
	var own []float64
	for _, src := range sources {
		own = own[:0]
		for _, s := range src {
			own = append(own, x[s])
		}
		SoftmaxOf(own)
		for i, s := range src {
			out[s] = own[i]
		}
	}
}

var maxOf = &Binary{
	Form: Larger,
	F:    func(a, b float64) float64 { return max(a, b) },
	VV: func(dst, a, b []float64) {
		a, b = a[:len(dst)], b[:len(dst)]
		for i := range dst {
			dst[i] = max(a[i], b[i])
		}
	},
}

// SumOf adds up from the first on.
func SumOf(x []float64) float64 {
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
		top = max(top, v)
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

// SoftmaxOf normalises e^x in place: e^(x − max x)/Σ, so that the numbers add up to 1 for
// any size of x. Where the largest is infinite, infinite ones become NaN and finite ones 0.
func SoftmaxOf(x []float64) {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	s := 0.0
	for i, v := range x {
		x[i] = math.Exp(v - top)
		s += x[i]
	}
	if math.IsInf(top, 0) { // s is NaN
		return
	}
	for i := range x {
		x[i] /= s
	}
}
