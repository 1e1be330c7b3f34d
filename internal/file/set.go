package file

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// A Set is a number of files that appear in a folder together or not at all: they
// are written to a hidden folder inside it, and moved into place once all of them
// are complete. A name like figures/graph.svg is that of a file in a folder below, which
// is made if need be. A [Manifest], which is moved last, beside them says that they were written by this
// program; only such files, as long as nobody changed them, are replaced by
// another set. Those of its names that it does not write are then taken away, so that
// the folder holds the results of one run. It belongs to one goroutine.
type Set struct {
	dir     string
	names   []string
	guard   Guard
	staging *staging
	id      string            // of the run; "": that of the manifest that is there
	made    []string          // folders created for the files, innermost first
	written []string          // names of the files in staging
	sums    map[string]string // their checksums
}

// OpenSet prepares dir for files with the given names. It creates dir if need
// be and writes to it, so that an unusable folder, and a file that must not be
// replaced, are found before the work. The caller calls [Set.Commit], and
// [Set.Discard] in every case.
func OpenSet(dir string, names []string, guard Guard) (s *Set, err error) {
	const allowed = "allowed: the path of a folder, which is created if it does not exist"
	s = &Set{dir: filepath.Clean(dir), names: names, guard: guard, sums: map[string]string{}}
	if info, err := disk.Stat(s.dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: is a file; %s", dir, allowed)
	}
	defer func() {
		if err != nil {
			s.Discard()
		}
	}()
	if err := s.makeFolder(s.dir); err != nil {
		return nil, fmt.Errorf("%w; %s", WithPath(dir, err), allowed)
	}
	if s.staging, err = newStaging(s.dir); err != nil {
		return nil, fmt.Errorf("%s: cannot be written: %w", dir, cause(err))
	}
	for _, folder := range s.folders() {
		if info, err := disk.Stat(folder); err == nil && info.IsDir() {
			if err := Check(filepath.Join(folder, Manifest)); err != nil {
				return s, err
			}
		}
	}
	_, err = s.check()
	return s, err
}

// folders are those below dir that names are in.
func (s *Set) folders() []string {
	var all []string
	for _, name := range s.names {
		if folder := filepath.Dir(filepath.Join(s.dir, name)); folder != s.dir && !slices.Contains(all, folder) {
			all = append(all, folder)
		}
	}
	return all
}

// makeFolder makes a folder and those above it.
func (s *Set) makeFolder(dir string) error {
	var missing []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := disk.Lstat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, d)
	}
	s.made = append(missing, s.made...)
	return disk.MkdirAll(dir, 0o777)
}

// SetID notes the id of the run that the files are of in the manifest.
func (s *Set) SetID(id string) { s.id = id }

// check finds places that must not be written to, and returns the checksums of
// the files that are there now.
func (s *Set) check() (now map[string]string, err error) {
	known, foreign, err := readManifest(s.dir)
	if err != nil {
		return nil, err
	}
	now = map[string]string{}
	var refused []string
	for _, name := range s.places() {
		path := filepath.Join(s.dir, name)
		info, err := disk.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, WithPath(path, err)
		case info.IsDir():
			return nil, fmt.Errorf("%s: is a folder where a file must be written", path)
		}
		if err := s.guard.CheckInput(path); err != nil {
			return nil, err
		}
		switch kind := info.Mode().Type(); {
		case kind != 0 && kind != fs.ModeSymlink:
			return nil, fmt.Errorf("%s: is no regular file; move it away, or choose another folder", path)
		}
		if now[name], err = checksum(path); err != nil {
			return nil, WithPath(path, err)
		}
		ours := now[name] != "" && now[name] == known.Files[name]
		if name == Manifest {
			ours = !foreign
		}
		if !ours && !s.guard.Force {
			refused = append(refused, path)
		}
	}
	if len(refused) > 0 {
		return nil, foreignFiles(refused)
	}
	return now, nil
}

// foreignFiles is the error for files that are not replaced.
func foreignFiles(paths []string) error {
	reason := "was not written by tobac, or was changed since, and is not overwritten"
	if len(paths) > 1 {
		reason = "were not written by tobac, or were changed since, and are not overwritten"
	}
	return fmt.Errorf("%s: %s; choose another folder, move what you want to keep, or give --force", strings.Join(paths, ", "), reason)
}

// Write writes one file, which appears in the folder on commit.
func (s *Set) Write(name string, write func(io.Writer) error) error {
	sum, err := create(filepath.Join(s.dir, name), s.staging.file(name), write)
	if err != nil {
		return err
	}
	if !slices.Contains(s.names, name) {
		s.names = append(slices.Clone(s.names), name)
	}
	s.written = append(s.written, name)
	s.sums[name] = sum
	return nil
}

// Commit moves the files into place, unless one has come there that must not be
// replaced. If one cannot be moved, those before it are taken back and former files
// return; those that cannot return now do so when the next set is opened in the folder.
func (s *Set) Commit() (err error) {
	defer func() {
		if err == nil {
			s.made = nil
		}
		s.Discard()
	}()
	now, err := s.check()
	if err != nil {
		return err
	}
	j, err := s.prepare(now)
	if err != nil {
		return err
	}
	if err := s.move(j); err != nil {
		// From here on the next sweep would take it back too.
		disk.Rename(s.staging.file(journalName), s.staging.file(journalBack))
		if !j.takeBack(s.dir, s.staging) {
			s.staging.leave()
			s.staging = nil
		}
		return err
	}
	return nil
}

// move makes the moves of a journal.
func (s *Set) move(j *journal) error {
	for _, name := range slices.Concat(j.Removed, j.Names) {
		path, fresh := filepath.Join(s.dir, name), s.staging.file(name)
		if err := disk.Rename(path, fresh+former); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return WithPath(path, err)
		}
		if slices.Contains(j.Removed, name) {
			continue
		}
		if err := disk.Rename(fresh, path); err != nil {
			return WithPath(path, err)
		}
	}
	for _, folder := range s.folders() {
		disk.Remove(folder) // if nothing is left in it
	}
	return nil
}

// prepare writes the manifest and the journal, and returns the latter.
func (s *Set) prepare(now map[string]string) (*journal, error) {
	known, _, err := readManifest(s.dir)
	if err != nil {
		return nil, err
	}
	var removed []string
	fresh := manifest{Note: manifestNote, ID: cmp.Or(s.id, known.ID), Files: s.sums}
	for name, sum := range known.Files {
		switch {
		case slices.Contains(s.written, name) || !filepath.IsLocal(filepath.FromSlash(name)):
		case slices.Contains(s.names, name) && now[name] == sum:
			removed = append(removed, name)
		default:
			if _, err := disk.Lstat(filepath.Join(s.dir, name)); err == nil {
				fresh.Files[name] = sum
			}
		}
	}
	slices.Sort(removed)
	for _, name := range s.written { // before the first move: finishing them makes no folders
		if err := s.makeFolder(filepath.Dir(filepath.Join(s.dir, name))); err != nil {
			return nil, WithPath(filepath.Join(s.dir, name), err)
		}
	}
	if err := s.Write(Manifest, fresh.write); err != nil { // the last, and so the last to be moved
		return nil, err
	}
	j := &journal{Names: s.written, Removed: removed, Former: now, Fresh: s.sums}
	_, err = create(filepath.Join(s.dir, journalName), s.staging.file(journalName), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(j)
	})
	return j, err
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
	for _, d := range s.made {
		disk.Remove(d) // not if somebody else has put something there
	}
	s.made = nil
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
