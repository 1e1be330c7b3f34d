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

// name of the engine in the progress and in posteriors.
const name = "exact"

// Limits of what is averaged over rather than estimated.
const (
	negligible = 12.0 // nats behind the best from which on a part is left out
	Draws      = 1000 // draws of a posterior in closed form
	allGraphs  = 15   // variables up to which evidences are sums over all graphs
	// variables above which the sums of one model alone are kept in memory, and computed again if
	// it is chosen
	Kept       = 17
	graphTerms = 4e8 // terms of a sum over all graphs that is tried with more variables
)

// DrawsOf is the number of draws of a problem. Those of completed tables are mixed, a part of each;
// from Draws/4 on draws that are worth few are exchanged for those of chains.
func DrawsOf(p *engine.Problem) int { return max(Draws/max(1, p.Shared.Tables), Draws/4) }
