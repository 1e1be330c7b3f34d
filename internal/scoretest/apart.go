package scoretest

import (
	"slices"

	"tobac/dag"
	"tobac/score"
)

// Apart are scores of two graphs far above those of all others, from three variables to two and
// back: 900 and 840. No single edge leads from one to the other.
func Apart() (s score.Scorer, forth, back *dag.Graph) {
	forth, back = dag.New(5), dag.New(5)
	for i := range 3 {
		for j := 3; j < 5; j++ {
			forth.Set(i, j, true)
			back.Set(j, i, true)
		}
	}
	return score.NewFunc(5, func(j int, parents []int) float64 {
		switch {
		case len(parents) == 0:
			return 0
		case j > 2 && slices.Equal(parents, []int{0, 1, 2}):
			return 450
		case j <= 2 && slices.Equal(parents, []int{3, 4}):
			return 280
		}
		return -600
	}), forth, back
}
