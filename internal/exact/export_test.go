package exact

import (
	"math"

	"tobac/dag"
)

// Rounding is the relative difference of two sums over all graphs, one from the empty set up and
// one from the whole set down.
func (g *Graphs) Rounding() float64 { return math.Abs(g.prepared().rounding) }

// LogExtensions is ln of the number of linear extensions of an acyclic graph: of
// the orders in which no edge points backwards. It counts the paths through the
// sets that hold all parents of their members, for one connected component at a
// time: at most 2^c sets for a component of c variables. It panics if the graph has
// a cycle, or a component with more than [MaxVariables] variables.
func LogExtensions(g *dag.Graph) float64 {
	var c counter
	return c.log(g)
}
