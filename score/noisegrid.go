package score

import (
	"math"

	"tobac/internal/scoring"
)

// A NoiseGrid integrates over the noise variance that all variables have in common,
//
//	p(D) = ∫ p(D | σ²) p(ln σ²) d ln σ² ≈ Σ_k e^LogWeights[k] p(D | Variances[k]),
//
// with one computation of an engine for each point. See [Linear].
type NoiseGrid struct {
	Variances  []float64
	LogWeights []float64
}

// noisePrior is the prior of the common noise variance: [scoring.RelativeNoise] in units
// of the geometric mean of the columns' variances.
func (l *linear) noisePrior() scoring.NoisePrior {
	p, varying := scoring.RelativeNoise, 0
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

// NoiseGrid implements [Linear].
func (l *linear) NoiseGrid(points int) NoiseGrid {
	rows := 0
	for j := range l.d {
		rows += l.group[l.of[j]].N
	}
	v, w := l.noisePrior().Grid(l.opt.NoiseVariance, rows, points)
	return NoiseGrid{Variances: v, LogWeights: w}
}
