package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A Set is a number of files that appear in a folder together or not at all: they
// are written to a hidden folder inside it, and moved into place once all of them
// are complete. It belongs to one goroutine.
type Set struct {
	dir     string
	staging string
	made    []string // folders created for dir, innermost first
	written []string // names of the files in staging
}

// OpenSet prepares dir for files with the given names. It creates dir if need
// be and writes to it, so that an unusable folder is found before the work.
// The caller calls [Set.Commit], and [Set.Discard] in every case.
func OpenSet(dir string, names ...string) (s *Set, err error) {
	const allowed = "allowed: the path of a folder, which is created if it does not exist"
	s = &Set{dir: filepath.Clean(dir)}
	if info, err := os.Stat(s.dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: is a file; %s", dir, allowed)
	}
	for d := s.dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		s.made = append(s.made, d)
	}
	defer func() {
		if err != nil {
			s.Discard()
		}
	}()
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return nil, fmt.Errorf("%w; %s", WithPath(dir, err), allowed)
	}
	for _, name := range names {
		if err := s.checkPlace(name); err != nil {
			return nil, err
		}
	}
	if s.staging, err = os.MkdirTemp(s.dir, temporary); err != nil {
		return nil, fmt.Errorf("%s: cannot be written: %w", dir, cause(err))
	}
	return s, nil
}

// checkPlace returns an error if a folder stands in the place of a file.
func (s *Set) checkPlace(name string) error {
	path := filepath.Join(s.dir, name)
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder where a file must be written", path)
	}
	return nil
}

// Write writes one file, which appears in the folder on commit.
func (s *Set) Write(name string, write func(io.Writer) error) error {
	if err := create(filepath.Join(s.dir, name), filepath.Join(s.staging, name), write); err != nil {
		return err
	}
	s.written = append(s.written, name)
	return nil
}

// Commit moves the files into place. If one cannot be moved, those before it
// are taken back and former files return.
func (s *Set) Commit() (err error) {
	var undo []func()
	defer func() {
		if err == nil {
			s.made = nil
		} else {
			for i := len(undo) - 1; i >= 0; i-- {
				undo[i]()
			}
		}
		s.Discard()
	}()
	move := func(from, to string) error {
		err := os.Rename(from, to)
		if err == nil {
			undo = append(undo, func() { os.Rename(to, from) }) // the first error matters more
		}
		return err
	}
	for _, name := range s.written {
		if err := s.checkPlace(name); err != nil {
			return err
		}
		path, fresh := filepath.Join(s.dir, name), filepath.Join(s.staging, name)
		if err := move(path, fresh+".former"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return WithPath(path, err)
		}
		if err := move(fresh, path); err != nil {
			return WithPath(path, err)
		}
	}
	return nil
}

// Discard removes everything that was not committed, folders made for it
// included. A nil set has nothing to remove.
func (s *Set) Discard() {
	if s == nil {
		return
	}
	if s.staging != "" {
		os.RemoveAll(s.staging) // what cannot be removed is hidden and harmless
		s.staging = ""
	}
	for _, d := range s.made {
		os.Remove(d) // not if somebody else has put something there
	}
	s.made = nil
}
