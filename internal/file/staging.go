package file

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A staging is a hidden folder beside the place where files belong. While it is
// in use its owner holds a lock on a file in it, which the system takes back when
// the process ends, however it ends: see [sweep].
type staging struct {
	path string
	lock *os.File
}

const (
	temporary = ".tobac-*.tmp" // names of staging folders
	lockName  = ".lock"
	// lockText marks a staging folder as one of this program. It is written once the lock
	// is held: a folder without it may belong to a process that has just made it.
	lockText = "tobac: temporary files of a run\n"
	former   = ".former" // ending of a file that was moved away
)

// newStaging makes a staging folder in dir, and removes those that ended
// processes left there.
func newStaging(dir string) (*staging, error) {
	sweep(dir)
	path, err := os.MkdirTemp(dir, temporary)
	if err != nil {
		return nil, err
	}
	s := &staging{path: path}
	if s.lock, err = os.OpenFile(s.file(lockName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666); err == nil && tryLock(s.lock) {
		_, err = s.lock.WriteString(lockText)
	}
	if err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

// file is the place of a file of the set, all of which are beside each other here.
func (s *staging) file(name string) string {
	return filepath.Join(s.path, strings.ReplaceAll(name, "/", "%2F"))
}

// remove removes the folder. What cannot be removed is hidden and harmless.
func (s *staging) remove() {
	if s.lock != nil {
		s.lock.Close() // before the folder goes, which other systems demand
	}
	os.RemoveAll(s.path)
}

// sweep removes the staging folders that ended processes left in dir: those with
// a mark of this program whose lock nobody holds. A set that was being moved into
// place is moved there first: all of it is in the folder, or was.
func sweep(dir string) {
	left, err := filepath.Glob(filepath.Join(escaped(dir), temporary))
	if err != nil {
		return
	}
	for _, path := range left {
		lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if text, err := io.ReadAll(io.LimitReader(lock, int64(len(lockText)+1))); err == nil && string(text) == lockText && tryLock(lock) {
			if complete(dir, path) {
				os.RemoveAll(path)
			}
		}
		lock.Close()
	}
}

// escaped is a path in which no character is a pattern.
func escaped(path string) string {
	if os.PathSeparator == '\\' {
		return path // which has no way to escape
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// A journal says which moves a commit makes. It is in the staging folder from
// before the first of them until after the last.
type journal struct {
	Names   []string          `json:"names"`   // of files to move into place, in this sequence
	Removed []string          `json:"removed"` // of files to take away
	Former  map[string]string `json:"former"`  // checksums of the files that are in their places before
}

const journalName = ".moves"

// complete makes the moves that an ended commit did not make. It reports whether
// nothing of value is left in the staging folder: where somebody has changed a file
// since, all stays as it is.
func complete(dir, path string) bool {
	text, err := os.ReadFile(filepath.Join(path, journalName))
	if err != nil {
		left, err := filepath.Glob(filepath.Join(escaped(path), "*"+former))
		return err == nil && len(left) == 0
	}
	j := journal{}
	if err := json.Unmarshal(text, &j); err != nil {
		return true // ended while it was written, before the first move
	}
	free := func(name string) bool {
		sum, err := checksum(filepath.Join(dir, name))
		return errors.Is(err, fs.ErrNotExist) || err == nil && sum != "" && sum == j.Former[name]
	}
	for _, name := range j.Names {
		fresh := (&staging{path: path}).file(name)
		if _, err := os.Lstat(fresh); errors.Is(err, fs.ErrNotExist) {
			continue // moved already
		}
		if !free(name) || os.Rename(fresh, filepath.Join(dir, name)) != nil {
			return false
		}
	}
	for _, name := range j.Removed {
		if free(name) {
			os.Remove(filepath.Join(dir, name))
		}
	}
	return true
}
