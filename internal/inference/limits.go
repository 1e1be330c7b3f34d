package inference

import "tobac/engine"

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
