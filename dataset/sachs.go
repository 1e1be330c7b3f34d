package dataset

import (
	"bytes"
	_ "embed" // the Sachs data

	"tobac/dag"
)

var (
	//go:embed sachs/observational.csv
	sachsTable []byte
	//go:embed sachs/consensus_edges.csv
	sachsEdges []byte
)

// Sachs returns the flow cytometry data of Sachs et al. (2005), Science 308, 523–529: 853
// observations of 11 proteins and phospholipids, as raw positive intensities with heavy right
// tails, and the consensus network of 17 edges, which has no cycle. The usual preparation is
// [Table.Standardize], then [Table.Split] with fraction 0.1. The files and their origin are in the
// folder sachs.
func Sachs() (*Table, *dag.Graph, error) {
	t, err := ReadCSV(bytes.NewReader(sachsTable), "sachs/observational.csv")
	if err != nil {
		return nil, nil, err
	}
	g, _, err := dag.ReadEdges(bytes.NewReader(sachsEdges), "sachs/consensus_edges.csv", t.Names)
	if err != nil {
		return nil, nil, err
	}
	return t, g, nil
}
