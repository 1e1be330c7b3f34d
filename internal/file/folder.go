package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A Folder reads files that a [Set] wrote, each of which must be as it was written,
// and of the same run as the others.
type Folder struct {
	dir      string
	manifest manifest // without a note: the folder has none
	unproven bool
	first    string // path of the first file that said of which run it is
	id       string // what it said
}

// ErrUnproven is wrapped by the errors of a [Folder] that come from what it proves, and
// would not be there without.
var ErrUnproven = errors.New("not what the run wrote")

// unproven is such an error. It ends with what to do.
func unproven(path, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s; fit again, or give --edited to read the folder as it is", path,
		ErrUnproven, fmt.Sprintf(format, args...))
}

// OpenFolder prepares to read the files of a folder. Where it has no [Manifest] nothing is
// proved but that files which know their run are of the same. With edited nothing is
// proved at all.
func OpenFolder(dir string, edited bool) (*Folder, error) {
	f := &Folder{dir: dir, unproven: edited}
	if edited {
		return f, nil
	}
	place, err := disk.OpenPlace(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil // the first file that is read is the error
	case err != nil:
		return nil, WithPath(dir, err)
	}
	defer place.Close()
	m, foreign, err := readManifest(place)
	if err != nil {
		return nil, err
	}
	if f.manifest = m; foreign {
		return nil, unproven(f.path(Manifest),
			"it is damaged, and what lies beside it cannot be checked")
	}
	if m.Note != "" {
		f.first, f.id = f.path(Manifest), m.ID
	}
	return f, nil
}

func (f *Folder) path(name string) string { return filepath.Join(f.dir, name) }

// Open opens a file for reading once all of it has proved to be what was written. A file
// that neither is there nor was written is [fs.ErrNotExist]. The file is read twice.
func (f *Folder) Open(name string) (*os.File, error) {
	path := f.path(name)
	want, listed := f.manifest.Files[name]
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // whose reading might never end
		return nil, fmt.Errorf("%s: is %s; allowed: a file", path, kindOf(info.Mode()))
	}
	var file *os.File
	if err == nil {
		file, err = os.Open(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && listed:
		return nil, unproven(path, "it is missing, and %s lists it", f.path(Manifest))
	case err != nil:
		return nil, WithPath(path, err)
	case !listed && f.manifest.ID == "" && f.manifest.Former == nil:
		return file, nil
	case !listed:
		file.Close() // only read
		return nil, unproven(path, "%s does not list it", f.path(Manifest))
	}
	got, err := sum(file)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err == nil && got == want {
		return file, nil
	}
	file.Close() // only read
	if err != nil {
		return nil, WithPath(path, err)
	}
	return nil, unproven(path, "its SHA-256 is not that in %s: it was changed, the disk fails, "+
		"or a run was killed while it put its files here", f.path(Manifest))
}

// SameRun compares the id of the run in a file with that of the files before; "" is that of
// a file which has none.
func (f *Folder) SameRun(name, id string) error {
	switch {
	case f.unproven:
	case f.first == "":
		f.first, f.id = f.path(name), id
	case f.id != id:
		of := func(id string) string {
			if id == "" {
				return "no run"
			}
			return "the run " + id
		}
		return unproven(f.path(name), "it is of %s, %s of %s", of(id), f.first, of(f.id))
	}
	return nil
}

// CheckEdited is an error for a file that a [Set] with an id wrote into its folder and
// somebody changed there.
func CheckEdited(path string) error {
	dir, err := disk.OpenPlace(filepath.Dir(path))
	if err != nil {
		return nil // the reader of the file says what is the matter
	}
	defer dir.Close()
	m, _, err := readManifest(dir)
	if err != nil {
		return nil // the same
	}
	want, listed := m.Files[filepath.Base(path)]
	if !listed || m.ID == "" {
		return nil
	}
	if got, err := checksum(dir, filepath.Base(path)); err == nil && got != "" && got != want {
		return fmt.Errorf("%s: %w: its SHA-256 is not that in %s; write it again, or give it "+
			"another name if it was changed on purpose", path, ErrUnproven,
			filepath.Join(filepath.Dir(path), Manifest))
	}
	return nil
}
