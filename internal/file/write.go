package file

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes a file with what write produces, completely or not at all. The
// folder must exist. A file at path keeps its permissions, and a symbolic link
// keeps pointing to its file. What is neither file nor folder, such as
// /dev/stdout, is written to directly. The error of write is wrapped. Writes are
// buffered.
func Write(path string, write func(io.Writer) error) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return replace(path, path, nil, write)
	case err != nil:
		return WithPath(path, err)
	case info.IsDir():
		return isFolder(path)
	case !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return WithPath(path, err)
		}
		if err := errors.Join(buffered(f, write), f.Close()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return WithPath(path, err)
	}
	return replace(path, target, info, write)
}

// Check finds a path that [Write] cannot write to, before the work: it makes and
// removes a temporary folder.
func Check(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return isFolder(path)
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return WithPath(path, err)
	case !info.IsDir():
		return fmt.Errorf("%s: %s is no folder", path, dir)
	}
	probe, err := newStaging(dir)
	if err != nil {
		return WithPath(path, err)
	}
	probe.remove()
	return nil
}

func isFolder(path string) error { return fmt.Errorf("%s: is a folder; allowed: a file", path) }

// replace puts a new file in the place of target, which the caller named path.
// former is what is there, nil: nothing.
func replace(path, target string, former fs.FileInfo, write func(io.Writer) error) error {
	staging, err := newStaging(filepath.Dir(target))
	if err != nil {
		return WithPath(path, err)
	}
	defer staging.remove() // also when write panics
	fresh := staging.file(filepath.Base(target))
	if _, err := create(path, fresh, write); err != nil {
		return err
	}
	if former != nil {
		if err := os.Chmod(fresh, former.Mode().Perm()); err != nil {
			return WithPath(path, err)
		}
	}
	if err := os.Rename(fresh, target); err != nil {
		return WithPath(path, err)
	}
	return nil
}

// create writes a new file to the disk and returns its checksum. Errors begin with
// the path that stands for it.
func create(path, fresh string, write func(io.Writer) error) (sum string, err error) {
	f, err := os.Create(fresh)
	if err != nil {
		return "", WithPath(path, err)
	}
	defer f.Close() // closed already, unless an error came first
	h := sha256.New()
	for _, do := range []func() error{func() error { return buffered(io.MultiWriter(f, h), write) }, f.Sync, f.Close} {
		if err := do(); err != nil {
			if located := new(fs.PathError); errors.As(err, &located) && located.Path == fresh {
				err = located.Err
			}
			return "", fmt.Errorf("%s: %w", path, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriter(w)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}
