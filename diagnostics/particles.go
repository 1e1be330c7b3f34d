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
	return []Check{
		Below("variance of particles", variance, math.Min(0.8, 1-3*noise), math.Min(0.5, 1-6*noise), fmt.Sprintf(
			"the variance of the particles collapses: in some coordinate it is about %.2f of the posterior's",
			variance,
		)),
		Above("dependence", dependence, math.Max(0.3, 4*noise), math.Max(0.6, 8*noise), fmt.Sprintf(
			"coordinates depend on each other as the particles do not (%.2f): their variances may be off",
			dependence,
		)),
	}
}
