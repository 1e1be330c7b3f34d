package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"tobac"
	"tobac/internal/file"
)

// writeCheckpoint replaces the file by the state of a run, at once or not at all.
func writeCheckpoint(path string, s *tobac.Snapshot) error {
	return file.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(s) })
}

// readCheckpoint reads the state of a run.
func readCheckpoint(path string) (*tobac.Snapshot, error) {
	f, err := file.Open(path, "a file")
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; allowed: a file written by tobac fit --checkpoint", err)
		}
		return nil, err
	}
	defer f.Close() // only read: closing cannot lose anything
	s := new(tobac.Snapshot)
	if err := json.NewDecoder(bufio.NewReader(f)).Decode(s); err != nil {
		return nil, fmt.Errorf("%s: not a checkpoint written by tobac fit: %w", path, err)
	}
	return s, nil
}
