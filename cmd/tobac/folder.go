package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A folder receives a set of files together or not at all. They are written to
// a hidden folder inside it, and moved into place once all of them are
// complete.
type folder struct {
	dir     string
	staging string
	made    []string // folders created for dir, innermost first
	written []string // names of the files in staging
}

// openFolder prepares dir for files with the given names. It creates dir if need
// be and writes to it, so that an unusable folder is found before the work.
func openFolder(dir string, names ...string) (f *folder, err error) {
	const allowed = "allowed: the path of a folder, which is created if it does not exist"
	f = &folder{dir: filepath.Clean(dir)}
	if info, err := os.Stat(f.dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: is a file; %s", dir, allowed)
	}
	for d := f.dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		f.made = append(f.made, d)
	}
	defer func() {
		if err != nil {
			f.discard()
		}
	}()
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return nil, fmt.Errorf("%w; %s", pathError(dir, err), allowed)
	}
	for _, name := range names {
		if err := f.checkPlace(name); err != nil {
			return nil, err
		}
	}
	if f.staging, err = os.MkdirTemp(f.dir, ".tobac-*.tmp"); err != nil {
		return nil, fmt.Errorf("%s: cannot be written: %w", dir, errors.Unwrap(pathError(dir, err)))
	}
	return f, nil
}

// checkPlace returns an error if a folder stands in the place of a file.
func (f *folder) checkPlace(name string) error {
	path := filepath.Join(f.dir, name)
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder where a file must be written", path)
	}
	return nil
}

// add writes one file, which appears in the folder on commit.
func (f *folder) add(name string, write func(io.Writer) error) error {
	path := filepath.Join(f.dir, name)
	file, err := os.Create(filepath.Join(f.staging, name))
	if err != nil {
		return pathError(path, err)
	}
	defer file.Close() // closed already, unless an error came first
	b := bufio.NewWriter(file)
	for _, do := range []func() error{func() error { return write(b) }, b.Flush, file.Sync, file.Close} {
		if err := do(); err != nil {
			return pathError(path, err)
		}
	}
	f.written = append(f.written, name)
	return nil
}

// commit moves the files into place. If one cannot be moved, those before it
// are taken back and former files return.
func (f *folder) commit() (err error) {
	var undo []func()
	defer func() {
		if err == nil {
			f.made = nil
		} else {
			for i := len(undo) - 1; i >= 0; i-- {
				undo[i]()
			}
		}
		f.discard()
	}()
	move := func(from, to string) error {
		err := os.Rename(from, to)
		if err == nil {
			undo = append(undo, func() { os.Rename(to, from) }) // the first error matters more
		}
		return err
	}
	for _, name := range f.written {
		if err := f.checkPlace(name); err != nil {
			return err
		}
		path, fresh := filepath.Join(f.dir, name), filepath.Join(f.staging, name)
		if err := move(path, fresh+".former"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return pathError(path, err)
		}
		if err := move(fresh, path); err != nil {
			return pathError(path, err)
		}
	}
	return nil
}

// discard removes everything that was not committed, folders made for it
// included. A nil folder has nothing to remove.
func (f *folder) discard() {
	if f == nil {
		return
	}
	if f.staging != "" {
		os.RemoveAll(f.staging) // what cannot be removed is hidden and harmless
		f.staging = ""
	}
	for _, d := range f.made {
		os.Remove(d) // not if somebody else has put something there
	}
	f.made = nil
}
