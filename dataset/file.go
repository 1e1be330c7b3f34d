package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ReadFile reads the table in a file: a NumPy array if the name ends in .npy ([ReadNPY]), text otherwise ([ReadCSV]). Errors begin with the path.
func ReadFile(path string) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, cause(err))
	}
	defer f.Close() // only read: closing cannot lose anything
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory; allowed: a text table or a NumPy file (.npy)", path)
	}
	if strings.EqualFold(filepath.Ext(path), ".npy") {
		return ReadNPY(f, path)
	}
	return ReadCSV(f, path)
}

// cause strips the operation and the path from an error of package os, because our errors begin with the path the caller knows.
func cause(err error) error {
	if located := new(fs.PathError); errors.As(err, &located) {
		return located.Err
	}
	return err
}

// WriteAtomic writes a file with what write produces, completely or not at all: the content goes to a temporary file in the same folder, which is
// synced and then renamed to path. If anything fails, the temporary file is removed and a former file at path stays as it was. A new file
// has permissions 0644, an existing one keeps its own, and a symbolic link keeps pointing to its file. What is neither file nor folder,
// such as /dev/stdout, is written to directly. Errors begin with the path; that of write is wrapped. Writes are buffered.
func WriteAtomic(path string, write func(io.Writer) error) error {
	if err := writeAtomic(path, write); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func writeAtomic(path string, write func(io.Writer) error) error {
	mode := fs.FileMode(0o644)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return cause(err)
	case info.IsDir():
		return errors.New("is a directory")
	case !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return cause(err)
		}
		return errors.Join(buffered(f, write), f.Close())
	default:
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	return replace(path, mode, write)
}

// replace puts a new file in the place of path.
func replace(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return cause(err)
	}
	renamed := false
	defer func() { // also when write panics
		if !renamed {
			f.Close()           // closed already, or not worth a second error
			os.Remove(f.Name()) // the first error matters more
		}
	}()
	if err := buffered(f, write); err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	renamed = true
	return nil
}

func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriter(w)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}
