package nodescore

import (
	"tobac/internal/scoring"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
)

// NoisePrior is the prior of the common noise variance, as Linear.noisePrior.
func (g *GP) NoisePrior() scoring.NoisePrior {
	p := scoring.RelativeNoise
	p.Mean += 2 * floats.Sum(g.logs) / float64(g.d)
	return p
}

// NoiseGrid is a grid of points around an estimate of the common noise variance,
// with the prior [GP.NoisePrior].
func (g *GP) NoiseGrid(estimate float64, points int) score.NoiseGrid {
	rows := 0
	for _, group := range g.group {
		rows += group.n * len(group.children)
	}
	v, w := g.NoisePrior().Grid(estimate, rows, points)
	return score.NoiseGrid{Variances: v, LogWeights: w}
}

// LeastVariance is the smallest variance of a column over the rows in which it was
// not set: where noise variances are equal, an upper bound of theirs and, since some
// variable has no parents, an estimate. [MaximiseNoiseVariance] can start there.
func (g *GP) LeastVariance() float64 {
	least := floats.Min(g.sd)
	return least * least
}
