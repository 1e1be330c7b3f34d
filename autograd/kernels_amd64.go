//go:build !purego

package autograd

import "tobac/internal/vector"

//go:noescape
func lanesAVX2(x *laneMachine, pc int) int

//go:noescape
func lanesAVX512(x *laneMachine, pc int) int

// runLanes runs operations of a group, from number pc on, up to the first one
// that the kernels in use leave to Go, and returns that one's number.
func runLanes(x *laneMachine, pc int) int {
	switch kernels {
	case vector.AVX512:
		return lanesAVX512(x, pc)
	case vector.AVX2:
		return lanesAVX2(x, pc)
	}
	return pc
}
