package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"

	"tobac/dag"
	"tobac/dataset"
	"tobac/posterior"
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
	f, err := openFile(path)
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

// openFile opens a file for reading, with errors that begin with the path.
func openFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close() // only read
		return nil, fmt.Errorf("%s: is a folder; allowed: a file", path)
	}
	return f, nil
}

// pathError is an error of package os behind the path that the user knows.
func pathError(path string, err error) error {
	if located := new(fs.PathError); errors.As(err, &located) {
		err = located.Err
	}
	if link := new(os.LinkError); errors.As(err, &link) {
		err = link.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// readHeldout reads held-out rows of the named columns and scales them like the
// training data. Columns are matched by name; others are left out.
func readHeldout(path string, names []string, s *posterior.Standardization) (*dataset.Table, error) {
	t, err := dataset.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if t, err = t.Select(names); err != nil {
		return nil, &locatedError{path, err}
	}
	t = &dataset.Table{Names: t.Names, X: s.Apply(t.X)}
	if err := t.Validate(); err != nil {
		return nil, &locatedError{path, fmt.Errorf("after scaling like the training data: %s", withoutPackage(err.Error()))}
	}
	return t, nil
}

// splitStream is the random stream that chooses the held-out rows. It is
// ChaCha8 keyed with the seed, 8 bytes little-endian, and its purpose, and so
// differs from every other stream of the seed.
func splitStream(seed uint64) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:8], seed)
	copy(key[8:], "tobac fit --holdout")
	return rand.New(rand.NewChaCha8(key))
}
