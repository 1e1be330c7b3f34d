//go:build purego || !amd64

package vm

import "tobac/internal/vector"

// assembled returns the first operation left to Go, which is number pc.
func assembled(_ vector.Set, _ *state, pc int) int { return pc }

// scalePanels is for kernel sets in assembly, of which there are none.
func scalePanels(_, _, _ *float64, _ *int32, _ int) {}
