package tobac

import (
	"context"
	"math"
	"tobac/dag"
	"tobac/dataset"
	"tobac/score"
)

// A settledModel has one hypothesis: that which short chains have found, or estimated evidences in place of node scores.
type settledModel struct {
	Model
	hypothesis Hypothesis
}

var _ Scored = settledModel{}

// Hypotheses implements [Scored].
func (m settledModel) Hypotheses(context.Context, *dataset.Table, *score.Prior, int) ([]Hypothesis, error) {
	return []Hypothesis{m.hypothesis}, nil
}

// suiting is the hypothesis under which graphs have the greatest density, on average.
func suiting(all []Hypothesis, graphs ...*dag.Graph) int {
	best, highest := 0, math.Inf(-1)
	for k, h := range all {
		v := h.LogWeight
		for _, g := range graphs {
			v += score.OfGraph(h.Scores, g) / float64(len(graphs))
		}
		if v > highest {
			best, highest = k, v
		}
	}
	return best
}
