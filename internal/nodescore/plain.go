package nodescore

import (
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// Plain are linear scores of columns of all scales, x and intervened as of [score.NewBGe]: they
// score columns whose noise has no density, sets of more parents than are fitted, and ranks.
func Plain(x, intervened mat.Matrix) (score.SubsetScorer, error) {
	_, d := x.Dims()
	return score.NewBGe(x, intervened, score.BGeOptions{AlphaLambda: float64(d+1) + 0.3})
}
