package file

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Set is a number of files that appear in a folder together or not at all: they are written to a
// hidden folder inside it, and moved into place once all of them are complete. A name like
// figures/graph.svg is that of a file in a folder below, which is made if need be. A [Manifest],
// which is moved first, has their checksums: it says that they were written by this program, and
// which of them are not there yet. Only files with such a checksum are replaced by another set.
// Those of its names that it does not write are then taken away, so that the folder holds the
// results of one run. It belongs to one goroutine.
type Set struct {
	dir     string
	place   *place // that dir is; nil means not open
	names   []string
	guard   Guard
	staging *staging
	id      string            // of the run; "" means that of the manifest that is there
	made    []string          // folders created for dir, innermost first
	below   []string          // folders created in it
	written []string          // names of the files in staging
	sums    map[string]string // their checksums
}

// OpenSet prepares dir for files with the given names. It creates dir if need
// be and writes to it, so that an unusable folder, and a file that must not be
// replaced, are found before the work. The caller calls [Set.Commit], and
// [Set.Discard] in every case.
func OpenSet(dir string, names []string, guard Guard) (*Set, error) {
	s := &Set{dir: filepath.Clean(dir), names: names, guard: guard, sums: map[string]string{}}
	if err := s.open(dir); err != nil {
		s.Discard()
		return nil, err
	}
	return s, nil
}

// open is [OpenSet] of the folder that the caller named dir.
func (s *Set) open(dir string) (err error) {
	const allowed = "allowed: the path of a folder, which is created if it does not exist"
	if info, err := disk.Stat(s.dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: is a file; %s", dir, allowed)
	}
	if err := s.makeFolder(); err != nil {
		return fmt.Errorf("%w; %s", WithPath(dir, err), allowed)
	}
	if s.place, err = disk.OpenPlace(s.dir); err == nil {
		s.staging, err = newStaging(s.place)
	}
	if err != nil {
		return fmt.Errorf("%s: cannot be written: %w", dir, cause(err))
	}
	_, refused, err := s.check()
	if err == nil && !s.guard.Force {
		if err = cmp.Or(s.occupied(dir), refused); err != nil {
			err = &Refusal{err}
		}
	}
	if err != nil {
		return err
	}
	for _, folder := range s.folders(s.names) {
		if err := s.probe(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return WithPath(s.place.path(folder), err)
		}
	}
	return nil
}

// probe finds a folder below that cannot be written to.
func (s *Set) probe(folder string) error {
	below, err := s.place.OpenPlace(folder)
	if err != nil {
		return err
	}
	defer below.Close()
	probe, err := newStaging(below)
	probe.remove()
	return err
}

// folders are those below dir that files with these names are in.
func (s *Set) folders(names []string) []string {
	var all []string
	for _, name := range names {
		if folder := path.Dir(name); folder != "." && !slices.Contains(all, folder) {
			all = append(all, folder)
		}
	}
	return all
}

// makeFolder makes the folder and those above it.
func (s *Set) makeFolder() error {
	for d := s.dir; ; d = filepath.Dir(d) {
		if _, err := disk.Lstat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		s.made = append(s.made, d)
	}
	return disk.MkdirAll(s.dir, 0o777)
}

// A Refusal is the error for a folder that a set does not write to unless it is forced.
type Refusal struct{ error }

// occupied refuses a folder that no set has written to and that has other things, but for hidden
// ones.
func (s *Set) occupied(dir string) error {
	if known, _, err := readManifest(s.place); err != nil || known.Note != "" {
		return nil // which check has read
	}
	others := slices.DeleteFunc(s.place.matching("", ""), func(name string) bool {
		return name[0] == '.' || slices.ContainsFunc(s.guard.Beside, func(path string) bool {
			return leads(s.dir, path, name)
		})
	})
	if n := len(others); n > 0 {
		const most = 3
		text := strings.Join(others[:min(n, most)], ", ")
		if n > most {
			text += fmt.Sprintf(" and %d more", n-most)
		}
		return fmt.Errorf("%s: holds other things than results of tobac (%s, no valid %s); "+
			"choose a new or empty folder, or give --force", dir, text, Manifest)
	}
	return nil
}

// leads reports whether a path is that of a folder, or begins with a name in it.
func leads(dir, path, name string) bool {
	rel, err := Relative(dir, path)
	first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	return path != "" && err == nil && (first == "." || first == name)
}

// Relative is a path as seen from a folder, both of which may be relative to the current one. There
// is none on another drive.
func Relative(dir, path string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.Rel(from, to)
}

// SetID notes the id of the run that the files are of in the manifest.
func (s *Set) SetID(id string) { s.id = id }

// check finds places that must not be written to: refused is why, without force. It returns the
// checksums of the files that are there now.
func (s *Set) check() (now map[string]string, refused, err error) {
	known, none, err := readManifest(s.place)
	if err != nil {
		return nil, nil, err
	}
	for _, folder := range s.folders(s.names) {
		if info, err := s.place.Lstat(folder); err == nil && !info.IsDir() {
			return nil, nil,
				fmt.Errorf("%s: is a link or a file; allowed: a folder", s.place.path(folder))
		}
	}
	now = map[string]string{}
	var foreign []string
	for _, name := range s.places() {
		path := s.place.path(name)
		info, err := s.place.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, nil, WithPath(path, err)
		case info.IsDir():
			return nil, nil, fmt.Errorf("%s: is a folder where a file must be written", path)
		}
		if err := s.guard.CheckInput(path); err != nil {
			return nil, nil, err
		}
		switch kind := info.Mode().Type(); {
		case kind != 0 && kind != fs.ModeSymlink:
			return nil, nil,
				fmt.Errorf("%s: is no regular file; move it away, or choose another folder", path)
		}
		if now[name], err = checksum(s.place, name); err != nil {
			return nil, nil, WithPath(path, err)
		}
		ours := known.has(name, now[name])
		if name == Manifest {
			ours = !none
		}
		if !ours && !s.guard.Force {
			foreign = append(foreign, path)
		}
	}
	if len(foreign) > 0 {
		refused = foreignFiles(foreign)
	}
	return now, refused, nil
}

// foreignFiles is the error for files that are not replaced.
func foreignFiles(paths []string) error {
	reason := "was not written by tobac, or was changed since, and is not overwritten"
	if len(paths) > 1 {
		reason = "were not written by tobac, or were changed since, and are not overwritten"
	}
	return fmt.Errorf("%s: %s; choose another folder, move what you want to keep, or give --force",
		strings.Join(paths, ", "), reason)
}

// Write writes one file, which appears in the folder on commit. Its name is one of those of
// the set.
func (s *Set) Write(name string, write func(io.Writer) error) error {
	if !slices.Contains(s.places(), name) {
		panic("file: the set has no name " + name)
	}
	sum, err := s.staging.create(name, s.place.path(name), write)
	if err != nil {
		return err
	}
	s.written = append(s.written, name)
	s.sums[name] = sum
	return nil
}

// Commit moves the files into place, unless one has come there that must not be replaced. Where a
// move fails, or the process ends, files of two runs are in the folder: a [Folder] refuses those
// that the manifest does not have, and the next set replaces all of them.
func (s *Set) Commit() (err error) {
	defer func() {
		if err == nil {
			s.made, s.below = nil, nil
		}
		s.Discard()
	}()
	if err := s.still(); err != nil {
		return err
	}
	now, refused, err := s.check()
	if err := cmp.Or(err, refused); err != nil {
		return err
	}
	removed, err := s.prepare(now)
	if err != nil {
		return err
	}
	return s.move(removed)
}

// still is an error if the path of the folder leads to another one by now.
func (s *Set) still() error {
	there, err := disk.Stat(s.dir)
	if err != nil {
		return WithPath(s.dir, err)
	}
	here, err := s.place.Lstat(".")
	switch {
	case err != nil:
		return WithPath(s.dir, err)
	case !os.SameFile(here, there):
		return fmt.Errorf("%s: is another folder than it was", s.dir)
	}
	return nil
}

// begun is the name in staging of the manifest that is in the folder while files are moved there.
const begun = ".begun"

// move moves the staged files into place, and takes former ones away.
func (s *Set) move(removed []string) error {
	moves := [][2]string{{begun, Manifest}}
	for _, name := range append(s.written, Manifest) {
		moves = append(moves, [2]string{name, name})
	}
	for k, m := range moves {
		if k == len(moves)-1 {
			for _, name := range removed {
				if err := s.place.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return WithPath(s.place.path(name), err)
				}
			}
		}
		if err := s.place.Rename(s.staging.file(m[0]), m[1]); err != nil {
			return WithPath(s.place.path(m[1]), err)
		}
	}
	for _, folder := range s.folders(s.names) {
		s.place.Remove(folder) // if nothing is left in it
	}
	return nil
}

// prepare makes folders and stages the manifests, and returns the files that are to be taken away.
func (s *Set) prepare(now map[string]string) (removed []string, err error) {
	known, _, err := readManifest(s.place)
	if err != nil {
		return nil, err
	}
	fresh := manifest{Note: manifestNote, ID: cmp.Or(s.id, known.ID), Files: s.sums}
	former := map[string]string{}
	for _, name := range s.names {
		if !known.has(name, now[name]) {
			continue
		}
		former[name] = now[name]
		if !slices.Contains(s.written, name) {
			removed = append(removed, name)
		}
	}
	for name, sum := range known.Files {
		if !slices.Contains(s.written, name) && !slices.Contains(removed, name) &&
			s.place.has(name) {
			fresh.Files[name] = sum
		}
	}
	for _, folder := range s.folders(s.written) {
		switch err := s.place.Mkdir(folder, 0o777); {
		case err == nil:
			s.below = append(s.below, folder)
		case !errors.Is(err, fs.ErrExist):
			return nil, WithPath(s.place.path(folder), err)
		}
	}
	at := s.place.path(Manifest)
	if _, err := s.staging.create(Manifest, at, fresh.write); err != nil {
		return nil, err
	}
	fresh.Former = former
	_, err = s.staging.create(begun, at, fresh.write)
	return removed, err
}

// Discard removes everything that was not committed, folders made for it
// included. A nil set has nothing to remove.
func (s *Set) Discard() {
	if s == nil {
		return
	}
	if s.staging != nil {
		s.staging.remove()
		s.staging = nil
	}
	if s.place != nil {
		for _, folder := range s.below {
			s.place.Remove(folder) // not if somebody else has put something there
		}
		s.place.Close()
		s.place = nil
	}
	for _, d := range s.made {
		disk.Remove(d) // the same
	}
	s.made, s.below = nil, nil
}

// places are the names of all files that the set may write, its manifest
// included.
func (s *Set) places() []string {
	names := slices.Clone(s.names)
	if !slices.Contains(names, Manifest) {
		names = append(names, Manifest)
	}
	return names
}
