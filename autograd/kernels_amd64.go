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

// scalePanelsAVX2 is to[4i+r] = from[4i+r]·m[scales[i]] for i < n, r < 4.
//
//go:noescape
func scalePanelsAVX2(to, from, m *float64, scales *int32, n int)

func scalePanels(m []float64, lv *laneLevel) {
	n := len(lv.scales)
	if kernels == vector.Portable || n == 0 {
		scalePanelsGo(m, lv)
		return
	}
	to, from := m[lv.scaleTo:][:maxTileRows*n], m[lv.scaleFrom:][:maxTileRows*n]
	scalePanelsAVX2(&to[0], &from[0], &m[0], &lv.scales[0], n)
}
