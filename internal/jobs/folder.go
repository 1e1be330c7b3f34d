package jobs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tobac/internal/file"
	"tobac/internal/memory"
)

// A Folder keeps a list of jobs and the finished ones, one sealed file each, moved
// into place, so that a file which is there is complete:
//
//	tobac-jobs.json    what a program must share to use the folder
//	lists/N-DIGEST     jobs to be done, in the sequence in which lists were added
//	data/DIGEST        what jobs share
//	done/ab/ID         the output of a job, and what was measured
//
// Several goroutines and processes may use one folder at a time, also on several machines that
// share a file system. Folders of one [Program] are put together by copying their files.
//
// What leads out of the folder, by a name or a link, is an error, whoever has made it.
type Folder struct {
	dir  string
	root *os.Root
}

const (
	headerName = "tobac-jobs.json"
	listsName  = "lists"
	dataName   = "data"
	doneName   = "done"
)

// A header says which programs can use a folder.
type header struct {
	Program string `json:"program"`
}

// OpenFolder opens a folder of jobs, which is made if it is not there or empty. One
// of another [Program] is an error, and so is a folder of other things.
func OpenFolder(dir string) (*Folder, error) {
	f, err := ExistingFolder(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, file.WithPath(dir, err)
	}
	there, err := os.ReadDir(dir)
	if err != nil {
		return nil, file.WithPath(dir, err)
	}
	for _, e := range there {
		if e.Name()[0] != '.' && e.Name() != headerName {
			// another process has made it since
			if f, err := ExistingFolder(dir); !errors.Is(err, fs.ErrNotExist) {
				return f, err
			}
			return nil, fmt.Errorf("%s: is not a folder of jobs, and has other files, such as "+
				"%s; allowed: a folder of jobs, an empty one, or a new one", dir, e.Name())
		}
	}
	text, err := json.Marshal(header{Program()})
	if err != nil {
		return nil, err
	}
	f, err = openFolder(dir)
	if err == nil {
		err = f.writeSealed(headerName, append(text, '\n'))
	}
	if err != nil {
		return nil, err
	}
	return ExistingFolder(dir)
}

// ExistingFolder opens a folder of jobs that is there, and writes nothing. One that
// is not there is fs.ErrNotExist.
func ExistingFolder(dir string) (*Folder, error) {
	f, err := openFolder(dir)
	var text []byte
	if err == nil {
		text, err = f.readSealed(headerName)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: is not a folder of jobs: it has no %s: %w", dir, headerName,
			fs.ErrNotExist)
	}
	if f == nil {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w; it says which program the outputs of the folder are of: take "+
			"a new folder, or remove the file if all of them are of this program", err)
	}
	var h header
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, fmt.Errorf("%s: %w", f.path(headerName), err)
	}
	if h.Program != Program() {
		return nil, fmt.Errorf("%s: its jobs are of another program or machine (%s) than this "+
			"one (%s), whose results differ in bits; use the one that made the folder, or a new "+
			"folder", dir, h.Program, Program())
	}
	return f, nil
}

// openFolder opens a folder, whatever is in it.
func openFolder(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, file.WithPath(dir, err)
	}
	return &Folder{dir, root}, nil // closed by the garbage collector
}

// Dir is the path of the folder.
func (f *Folder) Dir() string { return f.dir }

// path is that of a file in it, for messages.
func (f *Folder) path(name string) string { return filepath.Join(f.dir, name) }

// writeSealed writes a file with the checksum of its content, at once or not at all;
// its folder is made if need be.
func (f *Folder) writeSealed(name string, content []byte) error {
	return file.WriteIn(f.root, name, file.Sealed(func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}))
}

// readSealed reads what writeSealed wrote.
func (f *Folder) readSealed(name string) ([]byte, error) {
	text, err := f.read(name)
	if err != nil {
		return nil, err
	}
	content, err := file.Unseal(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path(name), err)
	}
	return content, nil
}

// read reads a file, unless the memory does not hold what is made of it.
func (f *Folder) read(name string) ([]byte, error) {
	in, err := file.OpenIn(f.root, name)
	if err != nil {
		return nil, file.WithPath(f.path(name), err)
	}
	defer in.Close() // only read
	text, err := memory.ReadAll(in, 2)
	if err != nil {
		return nil, file.WithPath(f.path(name), err)
	}
	return text, nil
}

// entries are what is in one of its folders, sorted, without hidden ones; none if it is not there.
func (f *Folder) entries(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(f.root.FS(), name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, file.WithPath(f.path(name), err)
	}
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool { return e.Name()[0] == '.' }), nil
}

// jobPath is the path of a file of a job, in one of 256 folders: a few hundred files each stay
// fast.
func jobPath(folder, id string) string { return folder + "/" + id[:min(2, len(id))] + "/" + id }

// isDigest reports whether a name is a SHA-256 in hexadecimal, as IDs of jobs are.
func isDigest(name string) bool {
	raw, err := hex.DecodeString(name)
	return err == nil && len(raw) == sha256.Size && strings.ToLower(name) == name
}

// together is one error, in one line, of several; nil of none.
func together(all ...error) error {
	all = slices.DeleteFunc(all, func(err error) bool { return err == nil })
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	shown := all[:min(namedFailures, len(all))]
	text, args := "%w"+strings.Repeat("; %w", len(shown)-1), make([]any, len(shown))
	for i, err := range shown {
		args[i] = err
	}
	if more := len(all) - len(shown); more > 0 {
		text, args = text+"; and %d more", append(args, more)
	}
	return fmt.Errorf(text, args...)
}

// A Failure is a job that failed.
type Failure struct {
	Index int // in the list
	ID    string
	Job   Job
	Err   error
}

// A FailedError names the jobs of a list that failed.
type FailedError struct {
	Jobs     int // of the list
	Failures []Failure
}

// namedFailures is how many failures the text of an error names.
const namedFailures = 5

// Error names the first five.
func (e *FailedError) Error() string {
	all := make([]error, len(e.Failures))
	for i, f := range e.Failures {
		all[i] = fmt.Errorf("job %d (%s, %.12s): %w", f.Index+1, f.Job.Kind, f.ID, f.Err)
	}
	return fmt.Sprintf("%d of %d jobs failed: %v", len(e.Failures), e.Jobs, together(all...))
}

// Unwrap are the errors of the jobs.
func (e *FailedError) Unwrap() []error {
	all := make([]error, len(e.Failures))
	for i, f := range e.Failures {
		all[i] = f.Err
	}
	return all
}

// A NotKeptError says that outputs could not be written to the folder. They were
// returned, so that nothing is lost to the caller.
type NotKeptError struct {
	Dir   string
	Count int
	Err   error // the first
}

// Error names the folder.
func (e *NotKeptError) Error() string {
	return fmt.Sprintf("%s: the outputs of %d jobs could not be kept: %v", e.Dir, e.Count, e.Err)
}

// Unwrap is the first error.
func (e *NotKeptError) Unwrap() error { return e.Err }
