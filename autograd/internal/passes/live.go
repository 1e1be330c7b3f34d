package passes

import (
	"slices"

	"tobac/autograd/internal/ir"
)

// Live finds, from the outputs back, the elements that are read.
var Live = Pass{Name: "element-liveness", Needs: Supported, Keeps: Folded | Supported, Gives: Alive, Run: func(f *ir.Func) error {
	for _, v := range f.Values {
		v.Live = make([]bool, len(v.Support))
	}
	for _, v := range f.Outputs {
		fill(v.Live)
	}
	markAll(f)
	return nil
}}

// AllLive takes every element for one that is read.
var AllLive = Pass{Name: "no element-liveness", Needs: Supported, Keeps: Folded | Supported, Gives: Alive, Run: func(f *ir.Func) error {
	for _, v := range f.Values {
		v.Live = make([]bool, len(v.Support))
		fill(v.Live)
	}
	markAll(f)
	return nil
}}

func markAll(f *ir.Func) {
	for _, v := range slices.Backward(f.Values) {
		any := false
		for e := range v.Live {
			v.Live[e] = v.Live[e] && v.Support[e]
			any = any || v.Live[e]
		}
		if any && v.Op != nil && (v.Const == nil || v.IsView()) {
			markOperands(v)
		}
	}
}

// markOperands marks the elements of the operands that the live elements read.
func markOperands(v *ir.Value) {
	if v.IsView() {
		for e, live := range v.Live {
			if live {
				v.Args[0].Live[v.Index[e]] = true
			}
		}
		return
	}
	switch v.Op.Class {
	case ir.Sum, ir.LogSumExp, ir.Fold:
		for e, src := range v.Sources() {
			if v.Live[e] {
				for _, s := range src {
					v.Args[0].Live[s] = true
				}
			}
		}
	case ir.Softmax:
		for _, group := range v.Sources() {
			any := false
			for _, e := range group {
				any = any || v.Live[e]
			}
			for _, e := range group {
				v.Args[0].Live[e] = v.Args[0].Live[e] || any
			}
		}
	case ir.MatMul:
		markFactors(v)
	case ir.Crossing:
		for e, live := range v.Live {
			if live {
				first, step, n := v.Crossed(e)
				for k := range n {
					v.Args[0].Live[first+k*step] = true
				}
			}
		}
	case ir.Elementwise1, ir.Elementwise2, ir.Select:
		if allTrue(v.Live) {
			for _, a := range v.Args {
				fill(a.Live)
			}
			return
		}
		for e, live := range v.Live {
			if live {
				for i, a := range v.Args {
					a.Live[v.At(i, e)] = true
				}
			}
		}
	default:
		if v.Is(ir.Collected) {
			for e, live := range v.Live {
				if live && v.Attr.Ints[2*e] >= 0 {
					v.Args[v.Attr.Ints[2*e]].Live[v.Attr.Ints[2*e+1]] = true
				}
			}
			return
		}
		for _, a := range v.Args {
			fill(a.Live)
		}
	}
}

// markFactors marks what the live elements of matrix products read.
func markFactors(v *ir.Value) {
	batch, m, k, n := v.Product()
	for g := range batch {
		markFactor(v.Live[g*m*n:], v.Args[0], v.Args[1], g*m*k, g*k*n, m, k, n)
	}
}

// markFactor marks what the product of the matrices at x0 of a and y0 of b reads.
func markFactor(live []bool, a, b *ir.Value, x0, y0, m, k, n int) {
	if allTrue(live[:m*n]) && allTrue(a.Support[x0:][:m*k]) && allTrue(b.Support[y0:][:k*n]) {
		fill(a.Live[x0:][:m*k])
		fill(b.Live[y0:][:k*n])
		return
	}
	wanted := ir.PackRows(m, n, func(i, j int) bool { return live[i*n+j] })
	right := ir.PackRows(k, n, func(l, j int) bool { return b.Support[y0+l*n+j] })
	read := ir.PackRows(k, n, func(int, int) bool { return false })
	for i := range m {
		for l := range k {
			x := x0 + i*k + l
			if a.Support[x] && ir.OrAnd(read.Row(l), wanted.Row(i), right.Row(l)) {
				a.Live[x] = true
			}
		}
	}
	for l := range k {
		for j := range n {
			b.Live[y0+l*n+j] = b.Live[y0+l*n+j] || read.Has(l, j)
		}
	}
}

func allTrue(b []bool) bool { return !slices.Contains(b, false) }
