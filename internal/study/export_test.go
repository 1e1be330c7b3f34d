package study

import (
	"tobac/dag"
	"tobac/metrics"
	"tobac/posterior"
)

// Number is that of package metrics.
type Number = metrics.Number

// JudgeSVIDAG judges the posterior that is one graph.
func JudgeSVIDAG(g, truth *dag.Graph, classes bool) (*SVIDAGScores, error) {
	p := &posterior.Posterior{Kind: posterior.Draws, Draws: []posterior.Draw{{Graph: g}},
		Marginals:  posterior.Marginals{Probabilities: g.Matrix()},
		Components: []posterior.Component{{Draws: 1, Weight: 1}}}
	return judgeSVIDAG(p, truth, classes)
}
