package score

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

// A NoiseGrid integrates over the noise variance that all variables have in common,
//
//	p(D) = ∫ p(D | σ²) p(ln σ²) d ln σ² ≈ Σ_k e^LogWeights[k] p(D | Variances[k]),
//
// with one computation of an engine for each point. See [Linear.NoiseGrid] and [GP.NoiseGrid].
type NoiseGrid struct {
	Variances  []float64
	LogWeights []float64
}

// Grid is the trapezoidal rule around an estimate, in steps of 1.25 standard
// deviations √(2/rows) of the posterior of ln σ² given the graph. One point is
// the rule of Laplace. It panics without a point, or unless the estimate is finite and positive.
func (p NoisePrior) Grid(estimate float64, rows, points int) NoiseGrid {
	if points < 1 || !(estimate > 0) || math.IsInf(estimate, 0) {
		panic(fmt.Sprintf("score: grid of %d points around the noise variance %v, want at least "+
			"one point and a finite positive number", points, estimate))
	}
	sd := math.Sqrt(2 / float64(max(rows, 1)))
	step, width := 1.25*sd, 1.25*sd
	if points == 1 {
		width = math.Sqrt(2*math.Pi) * sd
	}
	var g NoiseGrid
	for k := range points {
		at := math.Log(estimate) + (float64(k)-float64(points-1)/2)*step
		g.Variances = append(g.Variances, math.Exp(at))
		g.LogWeights = append(g.LogWeights, math.Log(width)+p.LogDensity(at))
	}
	return g
}

// noisePrior is the prior of the common noise variance: [RelativeNoise] in units of
// the geometric mean of the columns' variances.
func (l *Linear) noisePrior() NoisePrior {
	p, varying := RelativeNoise, 0
	sum := 0.0
	for j := range l.d {
		g := &l.group[l.of[j]]
		if v := g.Scatter[j*l.d+j] / float64(max(g.N-1, 1)); v > 0 {
			sum += math.Log(v)
			varying++
		}
	}
	p.Mean += sum / float64(max(varying, 1))
	return p
}

// NoiseGrid is a grid of points around the noise variance of l, with the prior
// Linear.noisePrior.
func (l *Linear) NoiseGrid(points int) NoiseGrid {
	rows := 0
	for j := range l.d {
		rows += l.group[l.of[j]].N
	}
	return l.noisePrior().Grid(l.opt.NoiseVariance, rows, points)
}
