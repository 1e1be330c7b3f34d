package file

import (
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

func (s *system) ReadFile(path string) ([]byte, error) {
	if err := s.before("read", path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

func (s *system) MkdirAll(path string, mode fs.FileMode) error {
	if err := s.before("mkdir", path); err != nil {
		return err
	}
	return os.MkdirAll(path, mode)
}

func (s *system) MkdirTemp(dir, pattern string) (string, error) {
	if err := s.before("mkdir", filepath.Join(dir, pattern)); err != nil {
		return "", err
	}
	return os.MkdirTemp(dir, pattern)
}

func (s *system) Rename(from, to string) error {
	if err := s.before("rename", to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

func (s *system) Chmod(path string, mode fs.FileMode) error {
	if err := s.before("chmod", path); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

func (s *system) Remove(path string) error {
	if err := s.before("remove", path); err != nil {
		return err
	}
	return os.Remove(path)
}

func (s *system) RemoveAll(path string) error {
	if err := s.before("remove", path); err != nil {
		return err
	}
	return os.RemoveAll(path)
}

// matching lists what lies in a folder and has a name that begins and ends so, with
// the folder before it. A folder that cannot be read has nothing.
func (s *system) matching(dir, begin, end string) (paths []string) {
	if s.before("readdir", dir) != nil {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, begin) && strings.HasSuffix(name, end) {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

func (s *system) Open(path string) (*openFile, error) { return s.OpenFile(path, os.O_RDONLY) }

func (s *system) Create(path string) (*openFile, error) {
	return s.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

// OpenFile opens a file; a new one has the permissions that the umask leaves.
func (s *system) OpenFile(path string, flag int) (*openFile, error) {
	if err := s.before("open", path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flag, 0o666)
	if err != nil {
		return nil, err
	}
	return &openFile{f}, nil
}

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
