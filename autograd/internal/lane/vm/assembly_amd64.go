//go:build !purego

package vm

import "tobac/internal/vector"

//go:noescape
func runAVX2(x *state, pc int) int

//go:noescape
func runAVX512(x *state, pc int) int

// assembled runs operations of a group, from number pc on, up to the first one
// that the kernels of the set leave to Go, and returns that one's number.
func assembled(set vector.Set, x *state, pc int) int {
	switch set {
	case vector.AVX512:
		return runAVX512(x, pc)
	case vector.AVX2:
		return runAVX2(x, pc)
	}
	return pc
}

// scalePanels is to[4i+r] = from[4i+r]·m[offsets[i]] for i < n, r < 4.
//
//go:noescape
func scalePanels(to, from, m *float64, offsets *int32, n int)
