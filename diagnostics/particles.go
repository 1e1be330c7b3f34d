package diagnostics

import (
	"fmt"
	"math"

	"tobac/internal/pareto"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Particles judges a number of particles by the least variance of a coordinate, as a part of the
// posterior's, by the dependence of coordinates that the particles lack, and by the shape k of
// importance weights of a normal distribution near them, as gaussian.Particles has them. What as
// many independent draws would have is allowed.
func Particles(variance, dependence, k float64, count int) []Check {
	noise := 1 / math.Sqrt(float64(count))
	small := fmt.Sprintf("the variance of the particles collapses: in some coordinate it is about "+
		"%.2f of the posterior's", variance)
	lacking := fmt.Sprintf(
		"coordinates depend on each other as the particles do not (%.2f): their "+
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

// Approximation judges draws from an approximation, draws × names, by log importance weights of the
// draws and the shape k of the largest, as gaussian.Weighted has them: by k, and by the means and
// standard deviations that the draws have with their weights and without.
func Approximation(names []string, draws mat.Matrix, logWeights []float64, k float64) []Check {
	weights := pareto.Counts(logWeights)
	shift, scale, shifted, scaled := 0.0, 0.0, "", ""
	for i, name := range names {
		x := mat.Col(nil, i, draws)
		mean, sd := stat.MeanStdDev(x, nil)
		better, broad := stat.PopMeanStdDev(x, weights)
		if !(sd > 0) || !(broad > 0) {
			continue // a constant
		}
		if d := (mean - better) / broad; math.Abs(d) > math.Abs(shift) {
			shift, shifted = d, name
		}
		if r := sd/broad - 1; math.Abs(r) > math.Abs(scale) {
			scale, scaled = r, name
		}
	}
	return []Check{
		farFrom(k),
		Above("shift", math.Abs(shift), 0.2, 1, fmt.Sprintf(
			"the approximation has the mean of %s off by %+.1f standard deviations: "+
				"run chains, or draw by importance weights", shifted, shift)),
		Above("scale", math.Abs(scale), 0.2, 1, fmt.Sprintf(
			"the approximation has the standard deviation of %s off by %+.0f %%: "+
				"run chains, or draw by importance weights", scaled, 100*scale)),
	}
}

// Weights judges draws that were drawn again by importance weights, such as those of
// gaussian.Pathfinder, by the shape k of the largest and the effective number of the weights.
func Weights(k, size float64) []Check {
	return []Check{
		farFrom(k),
		Below("effective number of weights", size, 100, 25, fmt.Sprintf(
			"few draws of the approximation count (%.0f): means and variances may be off", size)),
	}
}

func farFrom(k float64) Check {
	return Above("k", k, 0.7, 1, fmt.Sprintf(
		"the posterior is far from its approximation (k %.2f): means and variances may be off", k))
}
