package score

import (
	"fmt"
	"math"

	"tobac/internal/scoring"

	"gonum.org/v1/gonum/floats"
)

// Posterior returns, from log p(D | Variances[k]), the probability of each point
// and log p(D). A first or last point with more than a few hundredths of the
// probability says that the grid is too narrow or off the centre. It panics unless there is one
// number for each point.
func (g NoiseGrid) Posterior(logEvidence []float64) (weights []float64, total float64) {
	if len(logEvidence) != len(g.Variances) {
		panic(fmt.Sprintf("score: %d evidences for %d points", len(logEvidence), len(g.Variances)))
	}
	weights = make([]float64, len(logEvidence))
	floats.AddTo(weights, logEvidence, g.LogWeights)
	total = floats.LogSumExp(weights)
	for k := range weights {
		weights[k] = math.Exp(weights[k] - total)
	}
	return weights, total
}

func NoisePrior(s Conjugate) scoring.NoisePrior { return s.(*linear).noisePrior() }
