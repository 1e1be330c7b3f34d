package ir

import "math/bits"

// Rows holds the rows of a matrix of bits.
type Rows struct {
	words []uint64
	per   int // words of a row
}

// NewRows are rows×cols bits that are not set.
func NewRows(rows, cols int) Rows {
	per := (cols + 63) / 64
	return Rows{make([]uint64, rows*per), per}
}

// PackRows packs rows×cols bits, row by row.
func PackRows(rows, cols int, bits []bool) Rows {
	r := NewRows(rows, cols)
	for i := range rows {
		row := r.Row(i)
		for j, set := range bits[i*cols:][:cols] {
			if set {
				row[j/64] |= 1 << (j % 64)
			}
		}
	}
	return r
}

// Row i.
func (r Rows) Row(i int) []uint64 { return r.words[i*r.per:][:r.per] }

// Has reports whether bit (i, j) is set.
func (r Rows) Has(i, j int) bool { return r.words[i*r.per+j/64]>>(j%64)&1 == 1 }

// Set sets bit (i, j).
func (r Rows) Set(i, j int) { r.words[i*r.per+j/64] |= 1 << (j % 64) }

// Or adds the bits of b to those of a.
func Or(a, b []uint64) {
	for k, w := range b {
		a[k] |= w
	}
}

// OrAnd adds the bits that b and c share to those of a, and reports whether there are any.
func OrAnd(a, b, c []uint64) bool {
	any := uint64(0)
	for k, w := range b {
		w &= c[k]
		a[k] |= w
		any |= w
	}
	return any != 0
}

// CountAnd is the number of bits that a and b share.
func CountAnd(a, b []uint64) int {
	n := 0
	for k, w := range a {
		n += bits.OnesCount64(w & b[k])
	}
	return n
}
