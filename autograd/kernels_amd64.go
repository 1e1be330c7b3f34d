//go:build !purego

package autograd

import "tobac/internal/vector"

//go:noescape
func lanesAVX2(x *laneMachine, pc int) int

// runLanes runs operations of a group, from number pc on, up to the first one
// that the kernels in use leave to Go, and returns that one's number.
func runLanes(x *laneMachine, pc int) int {
	if kernels != vector.AVX2 {
		return pc
	}
	return lanesAVX2(x, pc)
}
