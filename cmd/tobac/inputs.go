package main

import (
	"tobac/dataset"
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
