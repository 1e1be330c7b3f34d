package diagnostics

import (
	"fmt"
	"math"
)

// Particles judges a number of particles by the least variance of a coordinate, as a part of the
// posterior's, by the dependence of coordinates that the particles lack, and by the shape k of
// importance weights of a normal distribution near them, as gaussian.Particles has them. What as
// many independent draws would have is allowed.
func Particles(variance, dependence, k float64, count int) []Check {
	noise := 1 / math.Sqrt(float64(count))
	small := fmt.Sprintf("the variance of the particles collapses: in some coordinate it is about "+
		"%.2f of the posterior's", variance)
	lacking := fmt.Sprintf("coordinates depend on each other as the particles do not (%.2f): their "+
		"variances may be off", dependence)
	far := fmt.Sprintf("the posterior is far from the normal distribution whose coordinates the "+
		"particles have (k %.2f): means and variances may be off", k)
	return []Check{
		Below("variance of particles", variance, min(0.8, 1-3*noise), min(0.5, 1-6*noise), small),
		Above("dependence", dependence, max(0.3, 3.5*noise), max(0.6, 7*noise), lacking),
		Above("k", k, 0.7, math.Inf(1), far),
	}
}

// Population judges points of tempered sequential Monte Carlo by the greatest correlation of a
// coordinate with itself before the moves of a temperature, smc.State.StaysMost: points that hardly
// move stay copies of a few.
func Population(stays float64) []Check {
	text := fmt.Sprintf("points hardly move at some temperature (correlation %.2f with where they "+
		"were): means and variances may be off; raise the number of moves", stays)
	return []Check{Above("correlation over the moves", stays, 0.6, 0.9, text)}
}
