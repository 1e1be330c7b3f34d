package inference

import (
	"context"
	"math"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/nodescore"
	"tobac/score"
	"tobac/sem"
)

// A Settled has one hypothesis: that which short chains have found, or estimated evidences in place
// of node scores.
type Settled struct {
	sem.Model
	Hypothesis sem.Hypothesis
}

var _ sem.Scored = Settled{}

// Hypotheses implements [sem.Scored].
func (m Settled) Hypotheses(context.Context, *dataset.Table, *score.Prior, int) ([]sem.Hypothesis,
	error) {
	return []sem.Hypothesis{m.Hypothesis}, nil
}

// Traits are those of the model.
func (m Settled) Traits() sem.Traits { return sem.TraitsOf(m.Model) }

// Suiting is the hypothesis under which graphs have the greatest density, on average.
func Suiting(all []sem.Hypothesis, graphs ...*dag.Graph) int {
	best, highest := 0, math.Inf(-1)
	for k, h := range all {
		v := h.LogWeight
		for _, g := range graphs {
			v += nodescore.OfGraph(h.Scores, g) / float64(len(graphs))
		}
		if v > highest {
			best, highest = k, v
		}
	}
	return best
}
