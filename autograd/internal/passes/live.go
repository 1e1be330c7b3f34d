package passes

import (
	"slices"

	"tobac/autograd/internal/ir"
)

// Live finds, from the outputs back, the elements that are read.
var Live = Pass{Name: "element-liveness", Needs: Supported, Keeps: Folded | Supported, Gives: Alive,
	Run: func(f *ir.Func) error {
		findLive(f)
		return nil
	}}

// AllLive takes every element for one that is read.
var AllLive = Pass{Name: "no element-liveness", Needs: Supported, Keeps: Folded | Supported,
	Gives: Alive, Run: func(f *ir.Func) error {
		for _, v := range f.Values {
			v.Live, v.AllLive = v.Support, v.NoZeros
		}
		return nil
	}}

// findLive marks, from the outputs back, what is read. Until its turn comes a value has Live
// where elements are marked one by one, AllLive if all are.
func findLive(f *ir.Func) {
	for _, v := range f.Values {
		v.Live, v.AllLive = nil, false
	}
	for _, v := range f.Outputs {
		v.AllLive = true
	}
	none := make([]bool, len(longest(f)))
	m := marker{make([]bool, len(none))}
	for _, v := range slices.Backward(f.Values) {
		switch {
		case v.AllLive:
			v.Live, v.AllLive = v.Support, v.NoZeros
		case v.Live == nil:
			v.Live = none[:v.Len():v.Len()]
			continue
		default:
			v.AllLive = v.NoZeros
			for e := range v.Live {
				v.Live[e] = v.Live[e] && v.Support[e]
				v.AllLive = v.AllLive && v.Live[e]
			}
		}
		unmarked := func(a *ir.Value) bool { return !a.AllLive }
		if v.Op != nil && (v.Const == nil || v.IsView()) && slices.ContainsFunc(v.Args, unmarked) &&
			slices.Contains(v.Live, true) {
			m.operands(v)
		}
	}
}

// A marker marks elements of operands.
type marker struct{ unread []bool }

// marks are those of an operand of which elements are marked; nobody reads them where all
// elements are marked already.
func (m marker) marks(a *ir.Value) []bool {
	switch {
	case a.AllLive:
		return m.unread[:a.Len()]
	case a.Live == nil:
		a.Live = make([]bool, a.Len())
	}
	return a.Live
}

// operands marks the elements of the operands that the live elements read.
func (m marker) operands(v *ir.Value) {
	switch class := v.Op.Class; {
	case v.IsView():
		at := m.marks(v.Args[0])
		for e, live := range v.Live {
			if live {
				at[v.Index[e]] = true
			}
		}
	case class == ir.Softmax:
		at := m.marks(v.Args[0])
		for _, group := range v.Sources() {
			any := false
			for _, e := range group {
				any = any || v.Live[e]
			}
			for _, e := range group {
				at[e] = at[e] || any
			}
		}
	case class == ir.MatMul:
		m.factors(v)
	case class == ir.Opaque, v.AllLive &&
		(class == ir.Elementwise1 || class == ir.Elementwise2 || class == ir.Select):
		for _, a := range v.Args {
			a.AllLive = true
		}
	default:
		var few [3][]bool
		at := few[:0]
		for _, a := range v.Args {
			at = append(at, m.marks(a))
		}
		for e, live := range v.Live {
			if live {
				v.Reads(e, func(arg, k int) { at[arg][k] = true })
			}
		}
	}
}

// factors marks what the live elements of matrix products read.
func (m marker) factors(v *ir.Value) {
	batch, rows, k, cols := v.Product()
	if v.AllLive && v.Args[0].NoZeros && v.Args[1].NoZeros {
		v.Args[0].AllLive, v.Args[1].AllLive = true, true
		return
	}
	x, y := v.Args[0].Support, v.Args[1].Support
	atX, atY := m.marks(v.Args[0]), m.marks(v.Args[1])
	for g := range batch {
		i, j := g*rows*k, g*k*cols
		a, b := factor{x[i:][:rows*k], atX[i:][:rows*k]}, factor{y[j:][:k*cols], atY[j:][:k*cols]}
		markFactor(v.Live[g*rows*cols:][:rows*cols], a, b, rows, k, cols)
	}
}

// A factor is what is known of a matrix: which elements may differ from zero, and which are read.
type factor struct{ support, live []bool }

// markFactor marks what the product of two matrices reads.
func markFactor(live []bool, a, b factor, m, k, n int) {
	if allTrue(live) && allTrue(a.support) && allTrue(b.support) {
		fill(a.live)
		fill(b.live)
		return
	}
	wanted := ir.PackRows(m, n, live)
	right := ir.PackRows(k, n, b.support)
	read := ir.NewRows(k, n)
	for i := range m {
		for l := range k {
			if a.support[i*k+l] && ir.OrAnd(read.Row(l), wanted.Row(i), right.Row(l)) {
				a.live[i*k+l] = true
			}
		}
	}
	for l := range k {
		for j := range n {
			b.live[l*n+j] = b.live[l*n+j] || read.Has(l, j)
		}
	}
}

func allTrue(b []bool) bool { return !slices.Contains(b, false) }
