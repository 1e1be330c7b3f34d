package passes

import (
	"math"
	"slices"

	"tobac/autograd/internal/ir"
)

// Zeros finds the elements that are zero whatever the inputs: those of constants,
// and what products, sums and copies make of them.
var Zeros = Pass{Name: "structural-zeros", Keeps: Folded, Gives: Supported, Run: func(f *ir.Func) error {
	all := longest(f)
	for _, v := range f.Values {
		if v.NoZeros = noZeros(v); v.NoZeros {
			v.Support = all[:v.Len():v.Len()]
			continue
		}
		switch {
		case v.IsView() || v.Const != nil:
			constantSupport(v)
		case v.Op.Class == ir.Elementwise1:
			v.Support = v.Args[0].Support
		default:
			v.Support = make([]bool, v.Len())
			support(v)
		}
		v.NoZeros = allTrue(v.Support)
	}
	return nil
}}

// AnySupport takes every element but those that views make zero for one that may
// differ from zero.
var AnySupport = Pass{Name: "no structural-zeros", Keeps: Folded, Gives: Supported, Run: func(f *ir.Func) error {
	all := longest(f)
	for _, v := range f.Values {
		if v.NoZeros = !v.IsView() || v.Args[0].NoZeros && !slices.Contains(v.Index, -1); v.NoZeros {
			v.Support = all[:v.Len():v.Len()]
			continue
		}
		constantSupport(v)
		v.NoZeros = allTrue(v.Support)
	}
	return nil
}}

// longest is true for as many elements as a value has at most.
func longest(f *ir.Func) []bool {
	n := 0
	for _, v := range f.Values {
		n = max(n, v.Len())
	}
	return trues(n)
}

// noZeros reports whether no element of v is known to be zero, where that is found at once.
func noZeros(v *ir.Value) bool {
	switch {
	case v.IsView():
		return v.Args[0].NoZeros && !slices.Contains(v.Index, -1)
	case v.Const != nil:
		return len(v.Shape) == 0 || !slices.ContainsFunc(v.Const, func(x float64) bool { return math.Float64bits(x) == 0 })
	case v.Op == nil:
		return true
	}
	switch v.Op.Class {
	case ir.Elementwise1:
		return v.Op.Unary == nil || !v.Op.Unary.Zero || v.Args[0].NoZeros
	case ir.Elementwise2, ir.Select:
		return v.Args[len(v.Args)-2].NoZeros && v.Args[len(v.Args)-1].NoZeros
	case ir.Sum:
		return v.Args[0].NoZeros && !slices.ContainsFunc(v.Sources(), func(s []int) bool { return len(s) == 0 })
	case ir.MatMul:
		_, _, k, _ := v.Product()
		return k > 0 && v.Args[0].NoZeros && v.Args[1].NoZeros
	case ir.Crossing:
		return v.Op.Over == ir.OverLogSumExp || v.Op.Over == ir.OverSoftmax || v.Args[0].NoZeros
	}
	return true
}

func fill(b []bool) {
	for e := range b {
		b[e] = true
	}
}

func trues(n int) []bool {
	b := make([]bool, n)
	fill(b)
	return b
}

// constantSupport is that of views, of constants too, whose elements are found in
// the operand, and of constants. A single number that is zero is no
// structure: it is computed with like any other.
func constantSupport(v *ir.Value) {
	v.Support = make([]bool, v.Len())
	for e := range v.Support {
		switch {
		case v.IsView():
			v.Support[e] = v.Index[e] >= 0 && v.Args[0].Support[v.Index[e]]
		default:
			v.Support[e] = math.Float64bits(v.Const[e]) != 0
		}
	}
}

// support of the result of an operation on operands with zeros.
func support(v *ir.Value) {
	switch v.Op.Class {
	case ir.Elementwise2, ir.Select:
		for e := range v.Support {
			v.Support[e] = pairSupport(v, e)
		}
	case ir.Sum:
		a := v.Args[0]
		for e, src := range v.Sources() {
			for _, s := range src {
				v.Support[e] = v.Support[e] || a.Support[s]
			}
		}
	case ir.MatMul:
		productSupport(v)
	case ir.Crossing:
		for e := range v.Support {
			first, step, n := v.Crossed(e)
			for k := range n {
				v.Support[e] = v.Support[e] || v.Args[0].Support[first+k*step]
			}
		}
	}
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
		right := ir.PackRows(k, n, b)
		out := ir.NewRows(m, n)
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
