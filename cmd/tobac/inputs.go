package main

import (
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/file"
)

// What stands for a path where there is none.
const (
	embeddedSachs = "sachs (embedded)"
	standardInput = "standard input"
)

// readTable reads a data file, or standard input for the path "-", and returns
// the name for it in messages.
func readTable(path string, stdin io.Reader) (t *dataset.Table, label string, err error) {
	if path == "-" {
		t, err = dataset.ReadCSV(stdin, standardInput)
		return t, standardInput, err
	}
	t, err = dataset.ReadFile(path)
	return t, path, err
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
		return nil, &locatedError{path, err}
	}
	return g, nil
}

// A scaling is the standardisation of the training data: column j becomes
// (x − Mean[j]) / SD[j].
type scaling struct {
	Mean []float64 `json:"mean"`
	SD   []float64 `json:"sd"`
}

// apply returns the scaled table; nil scales nothing.
func (s *scaling) apply(t *dataset.Table) *dataset.Table {
	if s == nil {
		return t
	}
	x := mat.DenseCopyOf(t.X)
	n, d := x.Dims()
	for i := range n {
		for j := range d {
			x.Set(i, j, (x.At(i, j)-s.Mean[j])/s.SD[j])
		}
	}
	return &dataset.Table{Names: t.Names, X: x, Intervened: t.Intervened}
}

// readHeldout reads held-out rows of the named columns and scales them like the
// training data. Columns are matched by name; others are left out.
func readHeldout(path string, names []string, s *scaling) (*dataset.Table, error) {
	t, err := dataset.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if t, err = t.Select(names); err != nil {
		return nil, &locatedError{path, err}
	}
	t = s.apply(t)
	if err := t.Validate(); err != nil {
		return nil, &locatedError{path, fmt.Errorf("after scaling like the training data: %s", withoutPackage(err.Error()))}
	}
	return t, nil
}
