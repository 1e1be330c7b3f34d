package diagnostics

import (
	"fmt"
	"math"
)

// Sampling judges the draws of chains by the worst parameter, by energies (one list for each
// chain; none for samplers without momenta) and by the number of divergent iterations.
func Sampling(s Summary, energies [][]float64, divergent int) []Check {
	worst, bulk, tail, name, least := 0.0, math.Inf(1), math.Inf(1), "", ""
	for _, p := range s {
		if math.IsNaN(p.ScaleRatio) { // a constant, such as an element of a triangular matrix
			continue
		}
		if p.ScaleRatio > worst {
			worst, name = p.ScaleRatio, p.Name
		}
		if m := math.Min(p.Bulk, p.Tail); m < math.Min(bulk, tail) {
			least = p.Name
		}
		bulk, tail = math.Min(bulk, p.Bulk), math.Min(tail, p.Tail)
	}
	checks := []Check{
		Above(
			"R̂",
			worst,
			1.01,
			1.1,
			fmt.Sprintf("the chains disagree on %s (R̂ %.3f)", name, worst),
		),
		Below(
			"bulk effective sample size",
			bulk,
			400,
			100,
			fmt.Sprintf("few effective draws of %s: %.0f in the bulk", least, bulk),
		),
		Below(
			"tail effective sample size",
			tail,
			400,
			100,
			fmt.Sprintf("few effective draws of %s: %.0f in the tails", least, tail),
		),
		Above("divergent iterations", float64(divergent), 0, math.Inf(1), fmt.Sprintf(
			"%d divergent iterations: a part of the posterior may be too curved for the step size; raise the acceptance or change the parameters",
			divergent,
		)),
	}
	if len(energies) > 0 {
		fraction := math.Inf(1)
		for _, e := range energies {
			fraction = math.Min(fraction, energyFraction(e))
		}
		checks = append(checks, Below("energy fraction", fraction, 0.3, 0.1, fmt.Sprintf(
			"the energies are explored slowly (fraction %.2f): the posterior has heavy tails in these parameters",
			fraction,
		)))
	}
	return checks
}
