package main

import (
	"fmt"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/file"
)

// What stands for a path where there is none.
const (
	embeddedSachs = "sachs (embedded)"
	standardInput = "standard input"
)

// dataLabel is the name of a data file in messages.
func dataLabel(path string) string {
	if path == "-" {
		return standardInput
	}
	return path
}

// readTruth reads an acyclic graph on the named variables.
func readTruth(path string, names []string) (*dag.Graph, error) {
	f, err := file.Open(path, "a file")
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read: closing cannot lose anything
	g, _, err := dag.ReadEdges(f, path, names)
	if err != nil {
		return nil, err
	}
	if err := g.CheckAcyclic(names); err != nil {
		if u := g.Undirected(); len(u) > 0 {
			err = fmt.Errorf("%q and %q are joined in both directions; allowed: a directed acyclic graph, which a consensus graph with undirected edges (--) is not", names[u[0].From], names[u[0].To])
		}
		return nil, &locatedError{path, err}
	}
	return g, nil
}

// readHeldout reads held-out rows of the named columns. Columns are matched by name; others
// are left out.
func readHeldout(path string, names []string) (*dataset.Table, error) {
	t, err := dataset.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if t, err = t.Select(names); err != nil {
		return nil, &locatedError{path, err}
	}
	return t, nil
}
