// Package ranks has the ranks of numbers.
package ranks

import (
	"cmp"
	"math"
	"slices"
)

// NormalScores are the normal quantiles of the ranks r of n numbers, Φ⁻¹((r − ½)/n).
func NormalScores(column []float64) []float64 {
	scores, n := Of(column), float64(len(column))
	for i, r := range scores {
		scores[i] = NormalQuantile((2*r - 1 - n) / n)
	}
	return scores
}

// NormalQuantile is Φ⁻¹((1 + x)/2), odd in x to the bit, as that of gonum is not.
func NormalQuantile(x float64) float64 { return math.Sqrt2 * math.Erfinv(x) }

// Of is the rank of every number, from 1, equal ones with their mean rank.
func Of(column []float64) []float64 {
	n := len(column)
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	slices.SortFunc(index, func(a, b int) int { return cmp.Compare(column[a], column[b]) })
	out := make([]float64, n)
	for first := 0; first < n; {
		last := first + 1
		for last < n && column[index[last]] == column[index[first]] {
			last++
		}
		for _, i := range index[first:last] {
			out[i] = float64(first+last+1) / 2 // of the ranks first+1, …, last
		}
		first = last
	}
	return out
}
