package vm

import (
	"math"

	"tobac/internal/vector"
)

// ShiftFactors writes to the arena, from at on, for every x at one of the offsets, p and
// q of σ(x + logit u) = p·u/(p·u + q·(1−u)), chosen so that neither overflows.
func (x *Machine) ShiftFactors(at int, offsets []int32) {
	var arg, exp [64]float64
	for len(offsets) > 0 {
		n := min(len(offsets), len(arg))
		for i, off := range offsets[:n] {
			arg[i] = -math.Abs(x.Arena[off])
		}
		whole := (n + VectorLen - 1) / VectorLen * VectorLen
		x.set.Exp(exp[:whole], arg[:whole])
		for i, off := range offsets[:n] {
			p, q := 1.0, exp[i]
			if !(x.Arena[off] >= 0) {
				p, q = q, p
			}
			x.Arena[at+2*i], x.Arena[at+2*i+1] = p, q
		}
		offsets, at = offsets[n:], at+2*n
	}
}

// ScalePanels multiplies constants of panels with a number for each term, in the arena:
// RowsPerTile constants from from on with the number at the first offset, as many with
// that at the second, and so on. The products go to the places from to on.
func (x *Machine) ScalePanels(to, from int, offsets []int32) {
	if len(offsets) == 0 {
		return
	}
	rows := RowsPerTile(x.set)
	n := rows * len(offsets)
	dst, src := x.Arena[to:][:n], x.Arena[from:][:n]
	if x.set != vector.Portable {
		scalePanels(&dst[0], &src[0], &x.Arena[0], &offsets[0], len(offsets))
		return
	}
	for i, off := range offsets {
		s := x.Arena[off]
		for r := rows * i; r < rows*(i+1); r++ {
			dst[r] = src[r] * s
		}
	}
}
