package stein

import (
	"fmt"
	"math"

	"tobac/diagnostics"
	"tobac/internal/inference"
	"tobac/posterior"
	"tobac/sem"
)

// Thresholds of the checks: doubtful, then bad. bench/notes/diagnostics.md has the runs that they
// were measured on.
var (
	limitCrowding   = [2]float64{0.1, 0.8}
	limitCyclic     = [2]float64{0.1, 0.5}
	limitNeighbours = [2]float64{1.5, 1.1}
)

// checks of particles.
func (p *particles) checks(post *posterior.Posterior) []diagnostics.Check {
	var all []diagnostics.Check
	_, scored := p.fits[0].model.(sem.Scored)
	neighbours, imbalance, crowding, stein := math.Inf(1), 0.0, 0.0, 1.0
	for k, f := range p.fits {
		w := 1.0
		if len(p.fits) > 1 {
			w = post.Components[k].Weight
		}
		neighbours = math.Min(neighbours, f.seen.neighbours)
		stein = math.Min(stein, f.seen.stein)
		imbalance += w * f.seen.imbalance
		crowding += w * f.seen.crowding
	}
	if p.fits[0].sampler.Particles > 1 {
		all = append(all,
			diagnostics.Below("neighbours", neighbours, limitNeighbours[0], limitNeighbours[1],
				fmt.Sprintf(
					"the kernel bandwidth is too small: a particle interacts with only %.2f "+
						"others", neighbours-1)))
		if !math.IsNaN(stein) {
			stein = math.Min(1, stein*float64(len(p.fits))) // the smallest of several p-values
			all = append(all, diagnostics.Check{Name: "stein", Value: stein, Doubtful: math.NaN(),
				Bad: math.NaN()})
		}
		limit := limitCrowding
		if !scored {
			limit = [2]float64{0.99, math.Inf(1)} // one graph may be all that the data allow
		}
		all = append(all, diagnostics.Above("crowding", crowding, limit[0], limit[1],
			fmt.Sprintf("the particles collapse: beyond chance, %.0f %% of their pairs have the "+
				"same graph", 100*crowding)))
	}
	if !p.fits[0].ordered() {
		cyclic := float64(post.Cyclic()) / float64(len(post.Draws))
		all = append(all, diagnostics.Above("cyclic", cyclic, limitCyclic[0], limitCyclic[1],
			fmt.Sprintf("%.0f %% of the particles have a cycle and are left out", 100*cyclic)))
	}
	if !math.IsNaN(imbalance) {
		all = append(all, inference.ImbalanceCheck(imbalance, "particles"))
	}
	var sets setChecks
	for _, f := range p.fits {
		sets = sets.worse(f.seenSets)
	}
	return append(append(all, sets.checks()...), inference.OrderChecks(post)...)
}
