package autograd

import (
	"tobac/autograd/internal/ir"
	"tobac/internal/vector"
)

// valueOf1 evaluates a function of the parameters on all elements.
func valueOf1(f func(at Attr) func(dst, x []float64)) func(Attr, []float64, Shape, [][]float64,
	[]Shape) error {
	return func(at Attr, out []float64, _ Shape, in [][]float64, _ []Shape) error {
		f(at)(out, in[0])
		return nil
	}
}

// valueOf2 evaluates a function of two operands on all elements; scalars go with
// every element of the other operand.
func valueOf2(k *ir.Binary) func(Attr, []float64, Shape, [][]float64, []Shape) error {
	return func(_ Attr, out []float64, _ Shape, in [][]float64, _ []Shape) error {
		switch a, b := in[0], in[1]; {
		case len(a) == len(out) && len(b) == len(out):
			k.VV(out, a, b)
		case len(a) == len(out):
			k.VS(out, a, b[0])
		default:
			k.SV(out, a[0], b)
		}
		return nil
	}
}

// completeBinary makes what is missing: from the function of two vectors if there is one,
// else from that of two numbers.
func completeBinary(k *ir.Binary) {
	if vv := k.VV; vv != nil {
		if k.VS == nil {
			k.VS = func(dst, a []float64, b float64) {
				vector.Fill(dst, b)
				vv(dst, a, dst)
			}
		}
		if k.SV == nil {
			k.SV = func(dst []float64, a float64, b []float64) {
				vector.Fill(dst, a)
				vv(dst, dst, b)
			}
		}
		return
	}
	f := k.F
	if k.VV == nil {
		k.VV = func(dst, a, b []float64) {
			a, b = a[:len(dst)], b[:len(dst)]
			for i := range dst {
				dst[i] = f(a[i], b[i])
			}
		}
	}
	if k.VS == nil {
		k.VS = func(dst, a []float64, b float64) {
			a = a[:len(dst)]
			for i := range dst {
				dst[i] = f(a[i], b)
			}
		}
	}
	if k.SV == nil {
		k.SV = func(dst []float64, a float64, b []float64) {
			b = b[:len(dst)]
			for i := range dst {
				dst[i] = f(a, b[i])
			}
		}
	}
}
