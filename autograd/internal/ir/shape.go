package ir

import (
	"slices"
	"strconv"
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
func (s Shape) String() string { return string(s.Append(nil)) }

// Append appends what String prints.
func (s Shape) Append(text []byte) []byte {
	text = append(text, '(')
	for i, d := range s {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(d), 10)
	}
	return append(text, ')')
}

// Strides are those of a dense row-major layout.
func (s Shape) Strides() []int {
	st := make([]int, len(s))
	n := 1
	for i := len(s) - 1; i >= 0; i-- {
		st[i] = n
		n *= s[i]
	}
	return st
}

// Drop returns the shape without the given dimensions.
func (s Shape) Drop(dims []int) Shape {
	out := Shape{}
	for i, d := range s {
		if !slices.Contains(dims, i) {
			out = append(out, d)
		}
	}
	return out
}

// ExpandsTo reports whether s broadcasts to t by the usual rule: trailing
// dimensions align, and each is either equal or 1 in s.
func (s Shape) ExpandsTo(t Shape) bool {
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

// Broadcast returns the common shape of s and t under the usual rule.
func Broadcast[S ~[]int](s, t S) (S, bool) {
	n := max(len(s), len(t))
	out := make(S, n)
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

// ExpandIndices lists, for every element of to, the element of from it reads
// when from is broadcast to to.
func ExpandIndices[S ~[]int](from, to S) []int {
	idx := make([]int, Shape(to).Len())
	fs, ts := Shape(from).Strides(), Shape(to).Strides()
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

// Identity lists 0, 1, …, n−1.
func Identity(n int) []int {
	idx := make([]int, n)
	for i := range idx {
		idx[i] = i
	}
	return idx
}

// Along lists, for the given rows of an axis of shape s, the elements in them, in
// the row-major order of the array that has these rows along the axis.
func Along[S ~[]int](s S, axis int, rows []int) []int {
	outer, inner := Shape(s[:axis]).Len(), Shape(s[axis+1:]).Len()
	idx := make([]int, 0, outer*len(rows)*inner)
	for o := range outer {
		for _, i := range rows {
			for k := range inner {
				idx = append(idx, (o*s[axis]+i)*inner+k)
			}
		}
	}
	return idx
}
