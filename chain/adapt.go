package chain

import (
	"slices"
)

// firstWindow is the length of the first window, and of what comes before.
const firstWindow = 10

// jumped is whether the last ten log densities are all above those before, by 10 and more than the
// twenty before them differ: the chain had settled, and has left for a more probable place.
func jumped(logs []float64) bool {
	n := len(logs) - firstWindow
	if n < 2*firstWindow {
		return false
	}
	settled := logs[n-2*firstWindow : n]
	spread := slices.Max(settled) - slices.Min(settled)
	return slices.Min(logs[n:]) > slices.Max(logs[:n])+10+spread
}

// window is the number of iterations of the window that iteration i of a warm-up belongs to, 0
// for none, and whether it is the last of them.
func window(warm, i int) (length int, end bool) {
	first, last := firstWindow, warm-50
	if warm < 150 {
		first, last = warm/15, warm-warm/10
	}
	if warm < 20 || i < first {
		return 0, false
	}
	for at, width := first, firstWindow; at < last; width *= 2 {
		to := at + width
		if last-to < width/2 { // too few for another
			to = last
		}
		if i < to {
			return to - at, i == to-1
		}
		at = to
	}
	return 0, false
}

// longest is the length of the longest window.
func longest(warm int) (length int) {
	for i := range warm {
		n, _ := window(warm, i)
		length = max(length, n)
	}
	return length
}
