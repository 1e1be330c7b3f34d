package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"tobac/internal/file"
	"tobac/internal/memory"
	"tobac/posterior"
)

// effectsFile holds the total effects of a run.
const effectsFile = "effects.csv"

// errNoSummary is for a folder without what a report needs.
var errNoSummary = errors.New("allowed: a folder written by tobac fit --out")

// needed adds to the error of a missing file what is allowed instead.
func needed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; %w", err, errNoSummary)
	}
	return err
}

// readDraws reads a posterior in a folder that tobac fit wrote.
func readDraws(f *file.Folder, dir, name string) (*posterior.Posterior, error) {
	in, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close() // only read: closing cannot lose anything
	p, err := posterior.Read(in, filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	return p, f.SameRun(name, p.Run)
}

// storedText is all of a file in a folder of results.
func storedText(files *file.Folder, folder, name string) ([]byte, error) {
	in, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close() // only read
	text, err := memory.ReadAll(in, 4)
	if err != nil {
		return nil, file.WithPath(filepath.Join(folder, name), err)
	}
	return text, nil
}
