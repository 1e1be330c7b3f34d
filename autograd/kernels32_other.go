//go:build purego || !amd64

package autograd

// runSingleLanes returns the first operation left to Go, which is number pc.
func runSingleLanes(_ *singleMachine, pc int) int { return pc }

// round is dst = x, rounded to the nearest, but below 1 where x is.
func round(dst []float32, x []float64) { roundGo(dst, x) }
