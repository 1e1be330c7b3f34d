package nodescore

import (
	"math"

	"tobac/internal/scoring"

	"gonum.org/v1/gonum/floats"
)

// lowRank approximates the kernel matrix K0 of n inputs by L Lᵀ, L of n×r, with the
// partial Cholesky factor whose next pivot is the row that the earlier ones
// explain least: the process restricted to r of its rows. It needs r·n values of the
// kernel and n·r² operations. It writes G = Lᵀ H L, the lower triangle of r rows of r
// elements, to the scratch matrix and returns L, of which column k is l[k], and r ≤ rank, less
// if r rows explain everything to rounding.
func (s *gpScratch) lowRank(n, rank int, x [][]float64) (l [][]float64, r int) {
	rest := s.norm[:n] // what is left of the diagonal
	length := s.sum[:n]
	trace := 0.0
	for i := range n {
		square := 1.0
		for _, c := range x {
			square += c[i] * c[i]
		}
		length[i] = math.Sqrt(square)
		rest[i] = square / 2
		trace += rest[i]
	}
	for len(l) < rank {
		pivot := 0
		for i, v := range rest {
			if v > rest[pivot] {
				pivot = i
			}
		}
		if rest[pivot] <= 1e-13*trace {
			break
		}
		column := make([]float64, n)
		for i := range column {
			column[i] = 1
		}
		for _, c := range x {
			floats.AddScaled(column, c[pivot], c)
		}
		for i, v := range column {
			scale := length[pivot] * length[i]
			column[i] = scale * angular(v/scale)
		}
		for _, earlier := range l {
			floats.AddScaled(column, -earlier[pivot], earlier)
		}
		root := math.Sqrt(rest[pivot])
		for i := range column {
			column[i] /= root
			rest[i] -= column[i] * column[i]
		}
		l = append(l, column)
	}
	r = len(l)
	for k, column := range l {
		floats.AddConst(-scoring.Mean(column), column)
		for h := range k + 1 {
			s.matrix[k*r+h] = floats.Dot(l[h], column)
		}
	}
	return l, r
}
