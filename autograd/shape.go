package autograd

import (
	"fmt"
	"slices"
	"strings"
)

// Shape lists the dimensions of one value, outermost first (row-major). The
// empty shape is a scalar. Mapped axes are not part of it; see [Axis].
type Shape []int

// Len is the number of elements: the product of the dimensions, 1 for a scalar.
func (s Shape) Len() int {
	n := 1
	for _, d := range s {
		n *= d
	}
	return n
}

// Equal reports whether both shapes have the same dimensions.
func (s Shape) Equal(t Shape) bool { return slices.Equal(s, t) }

// String prints the shape as (3,4); a scalar prints as ().
func (s Shape) String() string {
	parts := make([]string, len(s))
	for i, d := range s {
		parts[i] = fmt.Sprint(d)
	}
	return "(" + strings.Join(parts, ",") + ")"
}

// strides of a dense row-major layout.
func (s Shape) strides() []int {
	st := make([]int, len(s))
	n := 1
	for i := len(s) - 1; i >= 0; i-- {
		st[i] = n
		n *= s[i]
	}
	return st
}

// drop returns the shape without the given axes, which must be sorted.
func (s Shape) drop(axes []int) Shape {
	out := Shape{}
	for i, d := range s {
		if !slices.Contains(axes, i) {
			out = append(out, d)
		}
	}
	return out
}

// expandable reports whether s broadcasts to t by the usual rule: trailing
// dimensions align, and each is either equal or 1 in s.
func (s Shape) expandable(t Shape) bool {
	if len(s) > len(t) {
		return false
	}
	off := len(t) - len(s)
	for i, d := range s {
		if d != t[off+i] && d != 1 {
			return false
		}
	}
	return true
}

// broadcast returns the common shape of s and t under the usual rule.
func broadcast(s, t Shape) (Shape, bool) {
	n := max(len(s), len(t))
	out := make(Shape, n)
	for i := range n {
		a, b := 1, 1
		if k := i - (n - len(s)); k >= 0 {
			a = s[k]
		}
		if k := i - (n - len(t)); k >= 0 {
			b = t[k]
		}
		switch {
		case a == b:
			out[i] = a
		case a == 1:
			out[i] = b
		case b == 1:
			out[i] = a
		default:
			return nil, false
		}
	}
	return out, true
}

// expandIndices lists, for every element of to, the element of from it reads
// when from is broadcast to to.
func expandIndices(from, to Shape) []int {
	idx := make([]int, to.Len())
	fs, ts := from.strides(), to.strides()
	off := len(to) - len(from)
	for e := range idx {
		k := 0
		for i := range to {
			if i < off || from[i-off] == 1 {
				continue
			}
			k += e / ts[i] % to[i] * fs[i-off]
		}
		idx[e] = k
	}
	return idx
}
