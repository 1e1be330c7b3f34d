package file

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A staging is a hidden folder beside the place where files belong. While it is
// in use its owner holds a lock on a file in it, which the system takes back when
// the process ends, however it ends: see [sweep].
type staging struct {
	path string
	lock *openFile
}

const (
	stagingBegin, stagingEnd = ".tobac-", ".tmp" // of names of staging folders

	lockName = ".lock"
	// lockText marks a staging folder as one of this program. It is written once the lock
	// is held. What has no such text yet holds nothing else.
	lockText = "tobac: temporary files of a run\n"
	former   = ".former" // ending of a file that was moved away
)

// newStaging makes a staging folder in dir, and removes those that ended
// processes left there. Another process that sweeps may take an unmarked folder for
// one of those, and then this one makes another.
func newStaging(dir string) (s *staging, err error) {
	sweep(dir)
	const attempts = 10
	for range attempts {
		var lost bool
		if s, lost, err = makeStaging(dir); err == nil && !lost {
			return s, nil
		}
		s.remove()
		if err != nil && !lost {
			return nil, err
		}
	}
	return nil, errors.New("another process removes the temporary folder again and again")
}

// makeStaging makes a staging folder; lost says that a sweep of another process came
// between.
func makeStaging(dir string) (s *staging, lost bool, err error) {
	path, err := disk.MkdirTemp(dir, stagingBegin+"*"+stagingEnd)
	if err != nil {
		return nil, false, err
	}
	s = &staging{path: path}
	if s.lock, err = disk.OpenFile(s.file(lockName), os.O_RDWR|os.O_CREATE|os.O_EXCL); err != nil {
		return s, errors.Is(err, fs.ErrNotExist), err
	}
	held, busy := tryLock(s.lock.file)
	if !held {
		return s, busy, nil // without locks: unmarked, and never swept
	}
	mine, err := s.lock.file.Stat()
	if err != nil {
		return s, false, err
	}
	there, err := disk.Lstat(s.file(lockName))
	if err != nil || !os.SameFile(mine, there) {
		return s, err == nil || errors.Is(err, fs.ErrNotExist), err
	}
	_, err = s.lock.Write([]byte(lockText))
	return s, false, err
}

// file is the place of a file of the set, all of which are beside each other here.
func (s *staging) file(name string) string {
	return filepath.Join(s.path, strings.ReplaceAll(name, "/", "%2F"))
}

// remove removes the folder: the journal after the files that it is about, and the
// mark last, so that whatever cannot be removed, and whenever the process ends, the
// next sweep understands what is left. A nil staging has nothing to remove.
func (s *staging) remove() {
	if s == nil {
		return
	}
	defer s.leave()
	rank := func(path string) int {
		return slices.Index([]string{journalName, journalBack, lockName}, filepath.Base(path))
	}
	all := disk.matching(s.path, "", "")
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	for _, path := range all {
		if filepath.Base(path) == lockName {
			s.leave() // before the file goes, which other systems demand
		}
		if err := disk.RemoveAll(path); err != nil {
			return
		}
	}
	disk.Remove(s.path)
}

// leave gives the lock back, and leaves the folder to the next sweep.
func (s *staging) leave() {
	if s.lock != nil {
		s.lock.Close()
		s.lock = nil
	}
}

// sweep removes the staging folders that ended processes left in dir: those with
// a mark of this program whose lock nobody holds, and those whose process ended before
// it had put anything into them. A set that was being moved into place, or taken back,
// is moved to the end first.
func sweep(dir string) {
	for _, path := range disk.matching(dir, stagingBegin, stagingEnd) {
		if info, err := disk.Lstat(path); err != nil || !info.IsDir() {
			continue
		}
		lock, err := disk.OpenFile(filepath.Join(path, lockName), os.O_RDWR)
		if errors.Is(err, fs.ErrNotExist) {
			disk.Remove(path) // which fails unless it is empty
		}
		if err != nil {
			continue
		}
		s := &staging{path: path, lock: lock}
		held, _ := tryLock(lock.file)
		text, err := io.ReadAll(io.LimitReader(lock, int64(len(lockText)+1)))
		switch {
		case !held || err != nil:
		case string(text) == lockText && finish(dir, s):
			s.remove()
		case len(text) < len(lockText) && lockText[:len(text)] == string(text) && len(disk.matching(path, "", "")) == 1:
			s.remove() // ended before it was marked
		}
		s.leave()
	}
}

// A journal says which moves a commit makes. It is in the staging folder from
// before the first of them until after the last.
type journal struct {
	Names   []string          `json:"names"`   // of files to move into place, in this sequence
	Removed []string          `json:"removed"` // of files to take away
	Former  map[string]string `json:"former"`  // checksums of the files that are in their places before
	Fresh   map[string]string `json:"fresh"`   // checksums of the files to move into place
}

// Names of the journal: of a commit that goes on, and of one that failed and is
// taken back.
const (
	journalName = ".moves"
	journalBack = ".back"
)

// finish makes the moves that an ended commit did not make. It reports whether
// nothing of value is left in the staging folder: where somebody has changed a file
// since, all stays as it is.
func finish(dir string, s *staging) bool {
	back := true
	text, err := disk.ReadFile(s.file(journalBack))
	if errors.Is(err, fs.ErrNotExist) {
		back = false
		text, err = disk.ReadFile(s.file(journalName))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // ended before the first move, or after all of this
		return len(disk.matching(s.path, "", former)) == 0
	case err != nil:
		return false
	}
	j := journal{}
	if err := json.Unmarshal(text, &j); err != nil {
		return !back // ended while it was written, before the first move
	}
	if back {
		return j.takeBack(dir, s)
	}
	for _, name := range j.Names {
		fresh, place := s.file(name), filepath.Join(dir, name)
		if _, err := disk.Lstat(fresh); errors.Is(err, fs.ErrNotExist) {
			continue // moved already
		}
		if !holds(place, j.Former[name]) || disk.Rename(fresh, place) != nil {
			return false
		}
	}
	for _, name := range j.Removed {
		if place := filepath.Join(dir, name); holds(place, j.Former[name]) {
			disk.Remove(place)
		}
	}
	return true
}

// takeBack undoes the moves of a commit. It reports whether each file that was there
// before is in its place again, or one that somebody has put there since.
func (j *journal) takeBack(dir string, s *staging) bool {
	all := true
	for _, name := range slices.Concat(j.Removed, j.Names) {
		place, moved := filepath.Join(dir, name), s.file(name+former)
		_, err := disk.Lstat(moved)
		switch {
		case err == nil:
			all = all && holds(place, j.Fresh[name]) && disk.Rename(moved, place) == nil
		case !errors.Is(err, fs.ErrNotExist):
			all = false
		default:
			if _, had := j.Former[name]; had || j.Fresh[name] == "" || !holds(place, j.Fresh[name]) {
				continue // in its place, or of somebody else
			}
			if err := disk.Remove(place); err != nil && !errors.Is(err, fs.ErrNotExist) {
				all = false
			}
		}
	}
	return all
}

// holds reports whether a place is free, or has the file with a checksum.
func holds(place, sum string) bool {
	got, err := checksum(place)
	return errors.Is(err, fs.ErrNotExist) || err == nil && got != "" && got == sum
}
