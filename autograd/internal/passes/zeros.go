package passes

import (
	"math"
	"slices"

	"tobac/autograd/internal/ir"
)

// Zeros finds the elements that are zero whatever the inputs: those of constants,
// and what products, sums and copies make of them.
var Zeros = Pass{Name: "structural-zeros", Keeps: Folded, Gives: Supported,
	Run: func(f *ir.Func) error {
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
var AnySupport = Pass{Name: "no structural-zeros", Keeps: Folded, Gives: Supported,
	Run: func(f *ir.Func) error {
		all := longest(f)
		for _, v := range f.Values {
			if v.NoZeros = !v.IsView() || v.Args[0].NoZeros &&
				!slices.Contains(v.Index, -1); v.NoZeros {
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
		return len(v.Shape) == 0 || !slices.ContainsFunc(v.Const, isZero) || scattered(v.Const)
	case v.Op == nil:
		return true
	}
	if v.Gaps() {
		return false
	}
	args := v.Args
	switch v.Zeros() {
	case ir.ZeroNever:
		if v.Op.Class != ir.MatMul {
			return true
		}
	case ir.ZeroRest:
		args = args[1:]
	}
	return !slices.ContainsFunc(args, func(a *ir.Value) bool { return !a.NoZeros })
}

func isZero(x float64) bool { return math.Float64bits(x) == 0 }

// scattered reports whether the zeros of many numbers are no structure, as those of a column of
// zeros and ones are none: at least a quarter of the numbers differ from zero, and on average
// fewer than eight of them in a row, so that to leave out the others takes longer.
func scattered(x []float64) bool {
	const many = 1 << 13
	if len(x) < many {
		return false
	}
	rest, runs, before := 0, 0, false
	for _, v := range x {
		now := !isZero(v)
		if now {
			rest++
			if !before {
				runs++
			}
		}
		before = now
	}
	return 4*rest >= len(x) && rest < 8*runs
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
			v.Support[e] = !isZero(v.Const[e])
		}
	}
}

// support of the result of an operation on operands with zeros.
func support(v *ir.Value) {
	if v.Op.Class == ir.MatMul {
		productSupport(v)
		return
	}
	rule := v.Zeros()
	for e := range v.Support {
		first, any, all := true, false, true
		v.Reads(e, func(arg, at int) {
			x := v.Args[arg].Support[at]
			all = all && x
			if arg == 0 {
				first = x
			}
			any = any || x && (arg > 0 || rule != ir.ZeroRest)
		})
		switch rule {
		case ir.ZeroEither:
			v.Support[e] = all
		case ir.ZeroFirst:
			v.Support[e] = first
		default:
			v.Support[e] = any
		}
	}
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
