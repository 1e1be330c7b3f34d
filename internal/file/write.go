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
	"path"
	"path/filepath"
)

// Write writes a file with what write produces, completely or not at all. The
// folder must exist. A file at path keeps its permissions, and a symbolic link
// keeps pointing to its file; one to a file that is not there is an error. What is
// neither file nor folder, such as /dev/stdout, is written to directly. The error of
// write is wrapped. Writes are buffered.
func Write(path string, write func(io.Writer) error) error {
	info, err := disk.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := checkLink(path); err != nil {
			return err
		}
		return replace(path, path, nil, write)
	case err != nil:
		return WithPath(path, err)
	case info.IsDir():
		return isFolder(path)
	case !info.Mode().IsRegular():
		f, err := disk.OpenDevice(path)
		if err != nil {
			return WithPath(path, err)
		}
		if err := errors.Join(buffered(f, write), f.Close()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}
	if err := checkLink(path); err != nil {
		return err
	}
	target, err := disk.EvalSymlinks(path)
	if err != nil {
		return WithPath(path, err)
	}
	return replace(path, target, info, write)
}

// Check finds a path that [Write] cannot write to, before the work: it makes and
// removes a temporary folder.
func Check(path string) error {
	if info, err := disk.Stat(path); err == nil && info.IsDir() {
		return isFolder(path)
	}
	if err := checkLink(path); err != nil {
		return err
	}
	target := path
	if through, err := disk.EvalSymlinks(path); err == nil {
		target = through
	}
	dir := filepath.Dir(target)
	info, err := disk.Stat(dir)
	switch {
	case err != nil:
		return WithPath(path, err)
	case !info.IsDir():
		return fmt.Errorf("%s: %s is no folder", path, dir)
	}
	place, err := disk.OpenPlace(dir)
	if err != nil {
		return WithPath(path, err)
	}
	defer place.Close()
	probe, err := newStaging(place)
	probe.remove()
	if err != nil {
		return WithPath(path, err)
	}
	return nil
}

// checkLink finds a link to a file that is not there, which a rename would replace, and one that
// another user than root has put there.
func checkLink(path string) error {
	info, err := disk.Lstat(path)
	if err != nil || info.Mode().Type() != fs.ModeSymlink {
		return nil
	}
	if !ownedBy(info, user()) && !ownedBy(info, 0) {
		return fmt.Errorf("%s: is a link that is not known to be this user's own; allowed: a "+
			"file, or a link of this user's", path)
	}
	if _, err := disk.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: is a link to a file that is not there; allowed: a new file, or a "+
			"link to one that is there", path)
	}
	return nil
}

func isFolder(path string) error { return fmt.Errorf("%s: is a folder; allowed: a file", path) }

// replace puts a new file in the place of target, which the caller named path.
// former is what is there, nil means nothing.
func replace(path, target string, former fs.FileInfo, write func(io.Writer) error) error {
	place, err := disk.OpenPlace(filepath.Dir(target))
	if err != nil {
		return WithPath(path, err)
	}
	defer place.Close()
	return place.replace(filepath.Base(target), path, former, write)
}

// replace puts a new file into the folder, in the place of a link too.
func (p *place) replace(name, path string, former fs.FileInfo, write func(io.Writer) error) error {
	staging, err := newStaging(p)
	if err != nil {
		return WithPath(path, err)
	}
	defer staging.remove() // also when write panics
	if _, err := staging.create(name, path, write); err != nil {
		return err
	}
	if former != nil {
		if err := staging.in.Chmod(staging.base(name), former.Mode().Perm()); err != nil {
			return WithPath(path, err)
		}
	}
	if err := p.Rename(staging.file(name), name); err != nil {
		return WithPath(path, err)
	}
	return nil
}

// create writes a file of the set to the disk and returns its checksum. Errors begin with
// the path that stands for it.
func (s *staging) create(name, path string, write func(io.Writer) error) (sum string, err error) {
	f, err := s.in.OpenFile(s.base(name), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return "", WithPath(path, err)
	}
	defer f.Close() // closed already, unless an error came first
	h := sha256.New()
	for _, do := range []func() error{func() error { return buffered(io.MultiWriter(f, h), write) },
		f.Sync, f.Close} {
		if err := do(); err != nil {
			if located := new(fs.PathError); errors.As(err, &located) &&
				located.Path == f.file.Name() {
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

// OpenIn opens a file below an open folder for reading. A link, and what else is no regular
// file, is an error.
func OpenIn(root *os.Root, name string) (*os.File, error) {
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("is %s; allowed: a file", kindOf(info.Mode()))
	}
	return root.Open(name)
}

// kindOf says what something that is no file is.
func kindOf(mode fs.FileMode) string {
	switch mode.Type() {
	case fs.ModeDir:
		return "a folder"
	case fs.ModeSymlink:
		return "a link"
	}
	return "a pipe, a device or a socket"
}

// WriteIn writes a file below an open folder, completely or not at all, and makes the folders
// above it. What is there is replaced, a link too: nothing outside of the folder is reached.
// Errors begin with the path of the file.
func WriteIn(root *os.Root, name string, write func(io.Writer) error) error {
	dir, err := (&place{root}).OpenBelow(path.Dir(name))
	if err != nil {
		return WithPath((&place{root}).path(name), err)
	}
	defer dir.Close()
	return dir.replace(path.Base(name), dir.path(path.Base(name)), nil, write)
}
