package dag

import "slices"

// Identity is the order 0, …, d−1.
func Identity(d int) []int {
	order := make([]int, d)
	for j := range order {
		order[j] = j
	}
	return order
}

// AllBut are the variables other than j.
func AllBut(d, j int) []int { return slices.Delete(Identity(d), j, j+1) }
