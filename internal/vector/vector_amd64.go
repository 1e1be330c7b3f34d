//go:build !purego

package vector

import "golang.org/x/sys/cpu"

// assembled lists the sets in assembly that this processor can run, best last.
func assembled() []Set {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		return []Set{AVX2}
	}
	return nil
}

//go:noescape
func expAVX2(dst, a *float64, n int) (ok bool)

//go:noescape
func sumExpAVX2(a *float64, n int, shift float64) float64

//go:noescape
func maxAVX2(a *float64, n int) float64

//go:noescape
func uniformAVX2(dst *float64, n int, state *[4 * block]uint64)
