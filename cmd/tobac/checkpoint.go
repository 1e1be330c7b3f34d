package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tobac"
)

// checkCheckpoint finds a path that no checkpoint can be written to, before the
// work.
func checkCheckpoint(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder; allowed: a file", path)
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return pathError(path, err)
	case !info.IsDir():
		return fmt.Errorf("%s: %s is no folder", path, dir)
	}
	probe, err := os.CreateTemp(dir, ".tobac-*.tmp")
	if err != nil {
		return pathError(path, err)
	}
	probe.Close()
	os.Remove(probe.Name()) // what cannot be removed is hidden and empty
	return nil
}

// writeCheckpoint replaces the file by the state of a run, at once or not at all.
func writeCheckpoint(path string, s *tobac.Snapshot) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".tobac-*.tmp")
	if err != nil {
		return pathError(path, err)
	}
	defer func() {
		if err != nil {
			file.Close() // the first error matters more
			os.Remove(file.Name())
			err = pathError(path, err)
		}
	}()
	b := bufio.NewWriter(file)
	const readable = 0o644
	for _, do := range []func() error{
		func() error { return json.NewEncoder(b).Encode(s) }, b.Flush, file.Sync,
		func() error { return file.Chmod(readable) }, file.Close,
		func() error { return os.Rename(file.Name(), path) },
	} {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// readCheckpoint reads the state of a run.
func readCheckpoint(path string) (*tobac.Snapshot, error) {
	f, err := openFile(path)
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
