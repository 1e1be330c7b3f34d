package sem

import (
	"context"

	"tobac/internal/refinement"
	"tobac/score"
)

// gridPoints is the number of noise variances that are averaged over.
func gridPoints(d int) int {
	if d > refinement.MixedVariables {
		return 1
	}
	return 5
}

// onGrid are the hypotheses of a grid of common noise variances.
func onGrid(grid score.NoiseGrid, logWeight float64,
	at func(v float64) score.Scorer) (all []Hypothesis) {
	for k, v := range grid.Variances {
		all = append(all,
			Hypothesis{Scores: at(v), NoiseVariance: v, LogWeight: logWeight + grid.LogWeights[k]})
	}
	return all
}

// leftOpen reports whether a model leaves its equations open ([Hypothesis]): many variables, and no
// given number of parents up to which all are fitted.
func leftOpen(maxParents, d int) bool { return maxParents == 0 && d > refinement.MixedVariables }

// refine is Refine, unless the number of parents is given or the equations are left open.
func refine(ctx context.Context, s refinement.Refinable, maxParents int, prior *score.Prior,
	workers int) (likely [][][]int, err error) {
	if maxParents > 0 || leftOpen(maxParents, s.Vars()) {
		return nil, nil
	}
	return refinement.Refine(ctx, s, prior, workers)
}
