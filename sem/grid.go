package sem

import "tobac/score"

// MixedVariables is the number of variables up to which noise variances and numbers of edges are
// averaged over.
const MixedVariables = 12

// gridPoints is the number of noise variances that are averaged over.
func gridPoints(d int) int {
	if d > MixedVariables {
		return 1
	}
	return 5
}

// onGrid are the hypotheses of a grid of common noise variances.
func onGrid(grid score.NoiseGrid, logWeight float64, at func(v float64) score.Scorer) (all []Hypothesis) {
	for k, v := range grid.Variances {
		all = append(all, Hypothesis{Scores: at(v), NoiseVariance: v, LogWeight: logWeight + grid.LogWeights[k]})
	}
	return all
}
