package diagnostics

import (
	"fmt"
	"math"
)

// Particles judges a number of particles by the least variance of a coordinate, as a part of the
// posterior's, and by the dependence of coordinates that the particles lack, such as those of
// gaussian.Particles. What as many independent draws would have is allowed.
func Particles(variance, dependence float64, count int) []Check {
	noise := 1 / math.Sqrt(float64(count))
	small := fmt.Sprintf("the variance of the particles collapses: in some coordinate it is about "+
		"%.2f of the posterior's", variance)
	lacking := fmt.Sprintf("coordinates depend on each other as the particles do not (%.2f): their "+
		"variances may be off", dependence)
	return []Check{
		Below("variance of particles", variance, min(0.8, 1-3*noise), min(0.5, 1-6*noise), small),
		Above("dependence", dependence, max(0.3, 4*noise), max(0.6, 8*noise), lacking),
	}
}
