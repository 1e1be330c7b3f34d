//go:build !purego

package vector

import "golang.org/x/sys/cpu"

// assembled lists the sets in assembly that this processor can run, best last.
func assembled() []Set {
	switch x := &cpu.X86; {
	case !x.HasAVX2 || !x.HasFMA:
		return nil
	case !x.HasAVX512F || !x.HasAVX512DQ:
		return []Set{AVX2}
	}
	return []Set{AVX2, AVX512}
}

//go:noescape
func maxAVX2(a *float64, n int) float64

//go:noescape
func uniformAVX2(dst *float64, n int, state *Stream)

//go:noescape
func panelAVX2(x *panel)

//go:noescape
func panelAVX512(x *panel)

//go:noescape
func innerAVX2(sums *[gramRows * tileRows]float64, a0, a1, b0, b1, b2, b3 *float64, n int,
	tail *uint64)

//go:noescape
func rowsAVX2(y, a *float64, pitch, rows int, x *float64, n int, tail *uint64)

//go:noescape
func addAVX2(dst, a, b *float64, n int)

//go:noescape
func subAVX2(dst, a, b *float64, n int)

//go:noescape
func mulAVX2(dst, a, b *float64, n int)

//go:noescape
func shiftAVX2(dst, a *float64, b float64, n int)

//go:noescape
func scaleAVX2(dst, a *float64, b float64, n int)

//go:noescape
func gatherAVX2(dst, a *float64, index *int32, n int)

//go:noescape
func addScaledAVX2(dst, a, b *float64, n int, scale float64)

//go:noescape
func scaledSumAVX2(dst, a, b *float64, n int, scale float64)

//go:noescape
func scaleByRMSAVX2(x, squares *float64, n int, decay, rest, rate, epsilon float64)

//go:noescape
func finiteAVX2(a *float64, n int) bool
