package neural

import (
	"fmt"
	"math"

	"tobac/diagnostics"
	"tobac/engine/markov"
	"tobac/internal/tempering"
)

// temperedChecks are about the two chains of every variable, over all orders.
func temperedChecks(tempered []*tempering.Result, names []string) []diagnostics.Check {
	const apart = 0.05 // the difference between the probabilities of two chains from which on R̂ of an edge is looked at
	worst, least, edges, largest, edge := 1.0, 1.0, 0, 0.0, [2]int{}
	for _, t := range tempered {
		d, _ := t.RHat.Dims()
		for i := range d {
			for j := range d {
				v, rHat := t.Difference.At(i, j), t.RHat.At(i, j)
				if v <= apart {
					continue
				}
				worst = math.Max(worst, rHat)
				if rHat > markov.LimitRHat[0] {
					edges++
				}
				if rHat > markov.LimitRHat[0] && v > largest {
					largest, edge = v, [2]int{i, j}
				}
			}
		}
		for _, v := range t.Rejections {
			least = math.Min(least, 1-v)
		}
	}
	return []diagnostics.Check{
		diagnostics.Above("r_hat", worst, markov.LimitRHat[0], markov.LimitRHat[1], fmt.Sprintf("the two chains do not agree everywhere (number of edges with R̂ above %v: %d), most on %q → %q, where their probabilities differ by %.2f: more iterations or rungs are needed",
			markov.LimitRHat[0], edges, names[edge[0]], names[edge[1]], largest)),
		diagnostics.Below("exchange", least, markov.LimitExchange[0], markov.LimitExchange[1],
			fmt.Sprintf("only %.1f %% of the exchanges between two temperatures succeed: more rungs are needed", 100*least)),
	}
}

// Thresholds of the checks: doubtful, then bad. bench/notes/diagnostics.md has the runs that they
// were measured on.
var (
	limitHalves = [2]float64{0.15, 0.5}
	limitHeld   = [2]float64{0.9, 0.5}
)
