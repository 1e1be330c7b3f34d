package bcd

import (
	"math"

	"tobac/autograd"
)

// assignment is the permutation matrix P that maximises Σ P∘X for a square matrix
// X. It has no derivative.
var assignment = &autograd.Primitive{
	Name:  "assignment",
	Shape: oneSquare,
	Value: func(_ autograd.Attr, out []float64, shape autograd.Shape, in [][]float64,
		_ []autograd.Shape) error {
		d := shape[0]
		for _, v := range in[0] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				for e := range out {
					out[e] = math.NaN()
				}
				return nil
			}
		}
		clear(out)
		for i, j := range assign(in[0], d) {
			out[i*d+j] = 1
		}
		return nil
	},
}

// assign returns the column of each row in the assignment of largest sum, by
// shortest augmenting paths with potentials (the Hungarian method) in time d³. Of
// equal sums, it takes one that depends on the numbers alone.
func assign(x []float64, d int) []int {
	ofRow, ofColumn := make([]float64, d), make([]float64, d+1) // potentials
	// of each column; column d belongs to the row that is added
	row := make([]int, d+1)
	for j := range row {
		row[j] = -1
	}
	slack, from, done := make([]float64, d), make([]int, d), make([]bool, d+1)
	for i := range d {
		row[d] = i
		for j := range slack {
			slack[j], from[j] = math.Inf(1), d
		}
		clear(done)
		at := d
		for row[at] >= 0 {
			done[at] = true
			r, next := row[at], -1
			for j := range d {
				if done[j] {
					continue
				}
				if cost := -x[r*d+j] - ofRow[r] - ofColumn[j]; cost < slack[j] {
					slack[j], from[j] = cost, at
				}
				if next < 0 || slack[j] < slack[next] {
					next = j
				}
			}
			step := slack[next]
			for j := range d + 1 {
				switch {
				case done[j]:
					ofRow[row[j]] += step
					ofColumn[j] -= step
				case j < d:
					slack[j] -= step
				}
			}
			at = next
		}
		for at != d { // augment along the path
			row[at] = row[from[at]]
			at = from[at]
		}
		row[d] = -1
	}
	columns := make([]int, d)
	for j, i := range row[:d] {
		columns[i] = j
	}
	return columns
}
