package inference

import (
	"tobac/engine"
	"tobac/internal/drawn"
	"tobac/internal/exact"
)

// Bytes is about the memory that the engine exact needs.
func Bytes(d int, given bool) int64 {
	if given {
		return exact.MemoryGiven(d)
	}
	return exact.Memory(d)
}

// DrawDemand is that of the draws of a posterior: a bit for each pair, and the equations.
func DrawDemand(size engine.Size) engine.Demand {
	d := float64(size.Vars)
	if size.Functions && size.Models == 1 { // whose draws have no matrices of weights
		return engine.Needs((3*Draws/8+2*8*drawn.MostFunctions)*d*d+900*Draws*d,
			"%d graphs of %d variables, and the effects of %d", Draws, size.Vars,
			drawn.MostFunctions)
	}
	return engine.Needs(3*Draws*(d*d/8+300*d), "%d graphs of %d variables, with weights", Draws,
		size.Vars)
}
