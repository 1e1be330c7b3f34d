package file

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// disk is the file system, by the functions of package os that have the same names.
// Everything in this package that looks at what is there or changes it goes through
// here, so that a test can let every single call fail: see [Inject].
var disk system

type system struct {
	fault func(call, path string) error
}

// Inject is for tests: until restore is called, f is called before each call to the
// file system that this package makes, with the name of the call and its path. An
// error of f is that of the call, which is then not made; only Close closes the file
// all the same, as the end of a process does. Nothing may be written meanwhile by
// other goroutines than those that the test waits for.
func Inject(f func(call, path string) error) (restore func()) {
	former := disk.fault
	disk.fault = f
	return func() { disk.fault = former }
}

func (s *system) before(call, path string) error {
	if s.fault == nil {
		return nil
	}
	if err := s.fault(call, path); err != nil {
		return &fs.PathError{Op: call, Path: path, Err: err}
	}
	return nil
}

func (s *system) Stat(path string) (fs.FileInfo, error) {
	if err := s.before("stat", path); err != nil {
		return nil, err
	}
	return os.Stat(path)
}

func (s *system) Lstat(path string) (fs.FileInfo, error) {
	if err := s.before("lstat", path); err != nil {
		return nil, err
	}
	return os.Lstat(path)
}

func (s *system) EvalSymlinks(path string) (string, error) {
	if err := s.before("readlink", path); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

func (s *system) MkdirAll(path string, mode fs.FileMode) error {
	if err := s.before("mkdir", path); err != nil {
		return err
	}
	return os.MkdirAll(path, mode)
}

func (s *system) Remove(path string) error {
	if err := s.before("remove", path); err != nil {
		return err
	}
	return os.Remove(path)
}

// OpenDevice opens what is neither file nor folder for writing.
func (s *system) OpenDevice(path string) (*openFile, error) {
	if err := s.before("open", path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	return &openFile{f}, nil
}

// OpenPlace opens a folder.
func (s *system) OpenPlace(path string) (*place, error) {
	if err := s.before("open", path); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &place{root}, nil
}

// A place is an open folder. Its methods take paths that begin in it, with slashes; a
// path or a link that leads out of it is an error.
type place struct{ root *os.Root }

func (p *place) path(name string) string { return filepath.Join(p.root.Name(), name) }

func (p *place) Close() { p.root.Close() } // only read

func (p *place) OpenPlace(name string) (*place, error) {
	if err := disk.before("open", p.path(name)); err != nil {
		return nil, err
	}
	root, err := p.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &place{root}, nil
}

// OpenBelow is OpenPlace of a folder that is made if need be, with those above it.
func (p *place) OpenBelow(name string) (*place, error) {
	if err := disk.before("mkdir", p.path(name)); err != nil {
		return nil, err
	}
	if err := p.root.MkdirAll(name, 0o777); err != nil {
		return nil, err
	}
	return p.OpenPlace(name)
}

func (p *place) Lstat(name string) (fs.FileInfo, error) {
	if err := disk.before("lstat", p.path(name)); err != nil {
		return nil, err
	}
	return p.root.Lstat(name)
}

// has reports whether there is something of a name.
func (p *place) has(name string) bool {
	_, err := p.Lstat(name)
	return err == nil
}

// private reports whether a file, or the folder itself, ".", is known to be the user's, and nobody
// else may write to it.
func (p *place) private(name string) bool {
	info, err := p.Lstat(name)
	return err == nil && info.Mode().Type()&^fs.ModeDir == 0 && info.Mode().Perm()&0o022 == 0 &&
		ownedBy(info, user())
}

// user is the number of the user as whom the process acts; a test may be another one.
var user = os.Geteuid

func (p *place) Mkdir(name string, mode fs.FileMode) error {
	if err := disk.before("mkdir", p.path(name)); err != nil {
		return err
	}
	return p.root.Mkdir(name, mode)
}

func (p *place) Rename(from, to string) error {
	if err := disk.before("rename", p.path(to)); err != nil {
		return err
	}
	return p.root.Rename(from, to)
}

func (p *place) Chmod(name string, mode fs.FileMode) error {
	if err := disk.before("chmod", p.path(name)); err != nil {
		return err
	}
	return p.root.Chmod(name, mode)
}

func (p *place) Remove(name string) error {
	if err := disk.before("remove", p.path(name)); err != nil {
		return err
	}
	return p.root.Remove(name)
}

func (p *place) RemoveAll(name string) error {
	if err := disk.before("remove", p.path(name)); err != nil {
		return err
	}
	return p.root.RemoveAll(name)
}

// matching lists the names that begin and end so. A folder that cannot be read has none.
func (p *place) matching(begin, end string) (names []string) {
	if disk.before("readdir", p.path(".")) != nil {
		return nil
	}
	entries, err := fs.ReadDir(p.root.FS(), ".")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, begin) && strings.HasSuffix(name, end) {
			names = append(names, name)
		}
	}
	return names
}

// Open opens a file for reading.
func (p *place) Open(name string) (*openFile, error) { return p.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile opens a file; a new one has what the umask leaves of the mode.
func (p *place) OpenFile(name string, flag int, mode fs.FileMode) (*openFile, error) {
	if err := disk.before("open", p.path(name)); err != nil {
		return nil, err
	}
	f, err := p.root.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	return &openFile{f}, nil
}

// readAll reads a regular file of at most so many bytes.
func (p *place) readAll(name string, most int64) ([]byte, error) {
	info, err := p.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > most:
		return nil, errNotOurs
	}
	f, err := p.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	return io.ReadAll(io.LimitReader(f, most))
}

// errNotOurs is the error for what this program cannot have written.
var errNotOurs = errors.New("is no regular file, or too large")

// An openFile is a file of disk.
type openFile struct{ file *os.File }

func (f *openFile) Read(p []byte) (int, error) {
	if err := disk.before("read", f.file.Name()); err != nil {
		return 0, err
	}
	return f.file.Read(p)
}

func (f *openFile) Write(p []byte) (int, error) {
	if err := disk.before("write", f.file.Name()); err != nil {
		return 0, err
	}
	return f.file.Write(p)
}

func (f *openFile) Sync() error {
	if err := disk.before("sync", f.file.Name()); err != nil {
		return err
	}
	if disk.fault != nil {
		return nil // tests are about the calls, and wait for no disk
	}
	return f.file.Sync()
}

func (f *openFile) Close() error {
	err := f.file.Close()
	if fault := disk.before("close", f.file.Name()); fault != nil {
		return fault
	}
	return err
}
