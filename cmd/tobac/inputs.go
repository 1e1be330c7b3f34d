package main

import (
	"io"

	"tobac/dataset"
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
