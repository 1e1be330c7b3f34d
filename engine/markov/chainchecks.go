package markov

import (
	"fmt"
	"math"

	"tobac/diagnostics"
	"tobac/mcmc"
)

// Thresholds of the checks: doubtful, then bad. bench/notes/diagnostics.md has the runs that they
// were measured on.
var (
	LimitRHat     = [2]float64{1.1, 1.3}
	limitESS      = [2]float64{100, 25}
	LimitExchange = [2]float64{0.05, 0.005}
)

// ChainChecks are about Markov chains over graphs.
func ChainChecks(d *mcmc.Diagnostics) []diagnostics.Check {
	if math.IsNaN(d.MaxRHat()) {
		return []diagnostics.Check{diagnostics.Above("r_hat", d.MaxRHat(), LimitRHat[0], LimitRHat[1], fmt.Sprintf("%d samples are too few to tell whether the chains agree", d.Samples))}
	}
	worst := math.Max(d.MaxRHat(), d.LogP.RHat)
	all := []diagnostics.Check{
		diagnostics.Above("r_hat", worst, LimitRHat[0], LimitRHat[1], fmt.Sprintf("the chains disagree (R̂ up to %.2f): run longer", worst)),
		diagnostics.Below("ess", d.MinESS(), limitESS[0], limitESS[1], fmt.Sprintf("the effective sample size of the least certain edges is %.0f: run longer, with more mcmc.iterations", d.MinESS())),
	}
	least := math.Inf(1)
	for _, rung := range d.Rungs[:max(len(d.Rungs)-1, 0)] {
		least = math.Min(least, rung.Exchange)
	}
	if !math.IsInf(least, 1) {
		all = append(all, diagnostics.Below("exchange", least, LimitExchange[0], LimitExchange[1],
			fmt.Sprintf("only %.1f %% of the exchanges between two inverse temperatures succeed: use more of them", 100*least)))
	}
	return all
}
