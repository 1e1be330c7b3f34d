//go:build purego || !amd64

package autograd

// runLanes returns the first operation left to Go, which is number pc.
func runLanes(_ *laneMachine, pc int) int { return pc }

func scalePanels(m []float64, lv *laneLevel) { scalePanelsGo(m, lv) }
