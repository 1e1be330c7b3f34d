package models

import (
	"tobac/dag"

	"gonum.org/v1/gonum/mat"
)

// Graphs are the graphs of all particles, [TOBAC.HardGraph] of every row of the block
// Z.
func (t *TOBAC) Graphs(z *mat.Dense) []*dag.Graph {
	m, _ := z.Dims()
	graphs := make([]*dag.Graph, m)
	for i := range graphs {
		graphs[i] = t.HardGraph(z.RawRowView(i))
	}
	return graphs
}
