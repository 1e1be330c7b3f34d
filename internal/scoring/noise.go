package scoring

import (
	"fmt"
	"math"
)

// A NoisePrior is a log-normal prior of a noise variance, ln σ² ~ N(Mean, SD²).
type NoisePrior struct{ Mean, SD float64 }

// RelativeNoise is the prior of a noise variance in units of the variable's own
// variance: two thirds of its mass between 0.018 and 1.
var RelativeNoise = NoisePrior{Mean: -2, SD: 2}

// LogDensity is the logarithm of the density of ln σ².
func (p NoisePrior) LogDensity(logVariance float64) float64 {
	z := (logVariance - p.Mean) / p.SD
	return -0.5*z*z - math.Log(p.SD) - 0.5*math.Log(2*math.Pi)
}

// Grid is the trapezoidal rule around an estimate, in steps of 1.25 standard
// deviations √(2/rows) of the posterior of ln σ² given the graph. One point is
// the rule of Laplace. It panics without a point, or unless the estimate is finite and positive.
func (p NoisePrior) Grid(estimate float64, rows, points int) (variances, logWeights []float64) {
	if points < 1 || !(estimate > 0) || math.IsInf(estimate, 0) {
		panic(fmt.Sprintf("score: grid of %d points around the noise variance %v, want at least "+
			"one point and a finite positive number", points, estimate))
	}
	sd := math.Sqrt(2 / float64(max(rows, 1)))
	step, width := 1.25*sd, 1.25*sd
	if points == 1 {
		width = math.Sqrt(2*math.Pi) * sd
	}
	for k := range points {
		at := math.Log(estimate) + (float64(k)-float64(points-1)/2)*step
		variances = append(variances, math.Exp(at))
		logWeights = append(logWeights, math.Log(width)+p.LogDensity(at))
	}
	return variances, logWeights
}
