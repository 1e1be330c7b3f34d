package passes

import (
	"math"

	"tobac/autograd/internal/ir"
)

// Zeros finds the elements that are zero whatever the inputs: those of constants,
// and what products, sums and copies make of them.
var Zeros = Pass{Name: "structural-zeros", Keeps: Folded, Gives: Supported, Run: func(f *ir.Func) error {
	for _, v := range f.Values {
		v.Support = make([]bool, v.Len())
		switch {
		case v.IsView() || v.Const != nil || v.Op == nil:
			constantSupport(v)
		default:
			support(v)
		}
	}
	return nil
}}

// AnySupport takes every element but those that views make zero for one that may
// differ from zero.
var AnySupport = Pass{Name: "no structural-zeros", Keeps: Folded, Gives: Supported, Run: func(f *ir.Func) error {
	for _, v := range f.Values {
		v.Support = make([]bool, v.Len())
		if v.IsView() {
			constantSupport(v)
			continue
		}
		fill(v.Support)
	}
	return nil
}}

func fill(b []bool) {
	for e := range b {
		b[e] = true
	}
}

// constantSupport is that of views, of constants too, whose elements are found in
// the operand; of constants; and of inputs. A single number that is zero is no
// structure: it is computed with like any other.
func constantSupport(v *ir.Value) {
	for e := range v.Support {
		switch {
		case v.IsView():
			v.Support[e] = v.Index[e] >= 0 && v.Args[0].Support[v.Index[e]]
		case v.Const != nil:
			v.Support[e] = v.Const[e] != 0 || math.Signbit(v.Const[e]) || len(v.Shape) == 0
		default:
			v.Support[e] = true
		}
	}
}

// support of the result of an operation.
func support(v *ir.Value) {
	switch v.Op.Class {
	case ir.Elementwise1:
		if v.Op.Unary != nil && v.Op.Unary.Zero {
			copy(v.Support, v.Args[0].Support)
			return
		}
	case ir.Elementwise2, ir.Select:
		for e := range v.Support {
			v.Support[e] = pairSupport(v, e)
		}
		return
	case ir.Sum:
		a := v.Args[0]
		for e, src := range v.Sources() {
			for _, s := range src {
				v.Support[e] = v.Support[e] || a.Support[s]
			}
		}
		return
	case ir.MatMul:
		productSupport(v)
		return
	case ir.Crossing:
		if v.Op.Over == ir.OverLogSumExp || v.Op.Over == ir.OverSoftmax {
			break
		}
		for e := range v.Support {
			first, step, n := v.Crossed(e)
			for k := range n {
				v.Support[e] = v.Support[e] || v.Args[0].Support[first+k*step]
			}
		}
		return
	}
	fill(v.Support)
}

func pairSupport(v *ir.Value, e int) bool {
	n := len(v.Args)
	a, b := v.Args[n-2].Support[v.At(n-2, e)], v.Args[n-1].Support[v.At(n-1, e)]
	if v.Op.Class == ir.Select {
		return a || b
	}
	if v.Op.Binary == nil {
		return true
	}
	switch v.Op.Binary.Zero {
	case ir.ZeroEither:
		return a && b
	case ir.ZeroBoth:
		return a || b
	case ir.ZeroFirst:
		return a
	}
	return true
}

// productSupport is that of matrix products.
func productSupport(v *ir.Value) {
	batch, m, k, n := v.Product()
	for g := range batch {
		a, b := v.Args[0].Support[g*m*k:], v.Args[1].Support[g*k*n:]
		if k > 0 && allTrue(a[:m*k]) && allTrue(b[:k*n]) {
			fill(v.Support[g*m*n:][:m*n])
			continue
		}
		right := ir.PackRows(k, n, func(l, j int) bool { return b[l*n+j] })
		out := ir.PackRows(m, n, func(int, int) bool { return false })
		for i := range m {
			for l, nonzero := range a[i*k:][:k] {
				if nonzero {
					ir.Or(out.Row(i), right.Row(l))
				}
			}
			for j := range n {
				v.Support[(g*m+i)*n+j] = out.Has(i, j)
			}
		}
	}
}
