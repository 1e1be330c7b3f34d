package vector

import "unsafe"

// Unwritten is what numbers of [Memory] are until something is written there. Tests make it
// NaN, so that what depends on it shows.
var Unwritten float64

// Memory allocates n numbers that start where a cache line does, so that no vector of them
// is part of two.
func Memory(n int) []float64 {
	const line, number = 64, 8
	x := make([]float64, n+line/number)
	past := int(uintptr(unsafe.Pointer(unsafe.SliceData(x))) % line)
	x = x[(line-past)%line/number:][:n:n]
	if Unwritten != 0 {
		for i := range x {
			x[i] = Unwritten
		}
	}
	return x
}
