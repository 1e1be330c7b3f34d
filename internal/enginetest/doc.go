// Package enginetest has a small problem for the examples and tests of engines.
package enginetest

import (
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
)

// Chain is a table of 50 rows, simulated from linear equations along the chain X0 → X1 → X2, as a
// problem whose model is open.
func Chain() *engine.Problem {
	graph, err := dag.FromEdges(3, []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
	if err != nil {
		panic(err)
	}
	s, err := dataset.SimulateLinear(graph, dataset.LinearConfig{Rows: 50, Seed: 1})
	if err != nil {
		panic(err)
	}
	return &engine.Problem{Data: s.Train, Workers: 1}
}
