package file

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// A staging is a hidden folder beside the place where files belong. While it is
// in use its owner holds a lock on a file in it, which the system takes back when
// the process ends, however it ends: see [sweep].
type staging struct {
	dir  *place // the folder around it
	name string // in dir
	in   *place // the folder itself
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
// processes left there; names are those of the files that the caller is to put into dir. Another
// process that sweeps may take an unmarked folder for
// one of those, and then this one makes another.
func newStaging(dir *place, names []string) (s *staging, err error) {
	sweep(dir, names)
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

// makeStaging makes a staging folder; lost says that another process came between: its
// sweep, or one that has taken the name.
func makeStaging(dir *place) (s *staging, lost bool, err error) {
	s = &staging{dir: dir, name: fmt.Sprintf("%s%d%s", stagingBegin, rand.Uint32(), stagingEnd)}
	if err := dir.Mkdir(s.name, 0o700); err != nil {
		return nil, errors.Is(err, fs.ErrExist), err // whose it is that is there
	}
	if s.in, err = dir.OpenPlace(s.name); err != nil {
		return s, errors.Is(err, fs.ErrNotExist), err
	}
	if s.lock, err = s.in.OpenFile(lockName, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
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
	there, err := s.in.Lstat(lockName)
	if err != nil || !os.SameFile(mine, there) {
		return s, err == nil || errors.Is(err, fs.ErrNotExist), err
	}
	_, err = s.lock.Write([]byte(lockText))
	return s, false, err
}

// base is the name of a file of the set, all of which are beside each other here.
func (s *staging) base(name string) string { return strings.ReplaceAll(name, "/", "%2F") }

// file is the same in the folder around it.
func (s *staging) file(name string) string { return s.name + "/" + s.base(name) }

// remove removes the folder: the journal after the files that it is about, and the
// mark last, so that whatever cannot be removed, and whenever the process ends, the
// next sweep understands what is left. A nil staging has nothing to remove.
func (s *staging) remove() {
	if s == nil {
		return
	}
	defer s.leave()
	if s.in != nil {
		rank := func(name string) int { return slices.Index([]string{journalName, journalBack, lockName}, name) }
		all := s.in.matching("", "")
		slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
		for _, name := range all {
			if name == lockName {
				s.unlock() // before the file goes, which other systems demand
			}
			if err := s.in.RemoveAll(name); err != nil {
				return
			}
		}
	}
	s.leave()
	s.dir.Remove(s.name)
}

// leave gives the lock back, and leaves the folder to the next sweep.
func (s *staging) leave() {
	s.unlock()
	if s.in != nil {
		s.in.Close()
		s.in = nil
	}
}

func (s *staging) unlock() {
	if s.lock != nil {
		s.lock.Close()
		s.lock = nil
	}
}

// sweep removes the staging folders that ended processes left in dir: those with
// a mark of this program whose lock nobody holds, and those whose process ended before
// it had put anything into them. A set that was being moved into place, or taken back,
// is moved to the end first, if all its files are among those with these names: whoever made the folder
// gains nothing that way, for the caller is about to replace the same files. A folder that is not
// known to be the user's alone stays as it is, and so does one whose moves are not made,
// which is said: see [OnUnfollowed].
func sweep(dir *place, names []string) {
	for _, name := range dir.matching(stagingBegin, stagingEnd) {
		s := &staging{dir: dir, name: name}
		if why := s.tidy(names); why != "" {
			unfollowed(dir.path(name), why)
		}
		s.leave()
	}
}

// tidy removes a staging folder whose process has ended. It says why not where moves
// had begun that it does not make.
func (s *staging) tidy(names []string) (why string) {
	info, err := s.dir.Lstat(s.name)
	switch {
	case err == nil && info.Mode().Type() == fs.ModeSymlink:
		return "it is a link"
	case err != nil || !info.IsDir():
		return ""
	}
	if s.in, err = s.dir.OpenPlace(s.name); err != nil {
		return ""
	}
	begun := s.in.has(journalName) || s.in.has(journalBack)
	for _, name := range []string{".", lockName, journalName, journalBack} {
		if s.in.private(name) || name != "." && !s.in.has(name) {
			continue
		}
		if begun {
			return fmt.Sprintf("%s is not known to be this user's own, or others may write to it", filepath.Join(s.name, name))
		}
		return ""
	}
	s.lock, err = s.in.OpenFile(lockName, os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist) && begun:
		return "it has no " + lockName
	case errors.Is(err, fs.ErrNotExist):
		s.dir.Remove(s.name) // which fails unless it is empty
		return ""
	case err != nil:
		return ""
	}
	if held, _ := tryLock(s.lock.file); !held {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(s.lock, int64(len(lockText)+1)))
	switch {
	case err != nil:
	case string(text) == lockText:
		if why = s.finish(names); why == "" {
			s.remove()
		}
	case len(text) < len(lockText) && lockText[:len(text)] == string(text) && len(s.in.matching("", "")) == 1:
		s.remove() // ended before it was marked
	case begun:
		return fmt.Sprintf("%s is not that of a run", filepath.Join(s.name, lockName))
	}
	return why
}

// OnUnfollowed makes f be told of staging folders with moves that are not made, and why not, until
// restore is called. It may be called by several goroutines at a time.
func OnUnfollowed(f func(folder, why string)) (restore func()) {
	before := told.Swap(&f)
	return func() { told.Store(before) }
}

var told atomic.Pointer[func(folder, why string)]

func unfollowed(folder, why string) {
	if f := told.Load(); f != nil {
		(*f)(folder, why)
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

// finish makes the moves that an ended commit did not make. It says why something of value is left
// in the staging folder: where somebody has changed a file since, all stays as it is.
func (s *staging) finish(names []string) (why string) {
	back := true
	text, err := s.in.readAll(journalBack, mostManifest)
	if errors.Is(err, fs.ErrNotExist) {
		back = false
		text, err = s.in.readAll(journalName, mostManifest)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // ended before the first move, or after all of this
		if len(s.in.matching("", former)) > 0 {
			return "it has former files, and nothing says of what"
		}
		return ""
	case err != nil:
		return fmt.Sprintf("its journal cannot be read: %v", cause(err))
	}
	j := journal{}
	if err := json.Unmarshal(text, &j); err != nil {
		if back {
			return "its journal is damaged"
		}
		return "" // ended while it was written, before the first move
	}
	for _, name := range slices.Concat(j.Names, j.Removed) {
		if !slices.Contains(names, name) {
			return fmt.Sprintf("it is to replace %q, which this command does not write there", name)
		}
	}
	if back {
		if !j.takeBack(s) {
			return "files have come or changed since, or cannot be moved"
		}
		return ""
	}
	for _, name := range j.Names {
		sum, err := checksum(s.in, s.base(name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // moved already
		}
		if err != nil || sum == "" || sum != j.Fresh[name] {
			return fmt.Sprintf("%s is not what its journal says", filepath.Join(s.name, s.base(name)))
		}
		if !holds(s.dir, name, j.Former[name]) || s.dir.Rename(s.file(name), name) != nil {
			return fmt.Sprintf("%s has changed since, or cannot be replaced", s.dir.path(name))
		}
	}
	for _, name := range j.Removed {
		if holds(s.dir, name, j.Former[name]) {
			s.dir.Remove(name)
		}
	}
	return ""
}

// takeBack undoes the moves of a commit. It reports whether each file that was there
// before is in its place again, or one that somebody has put there since.
func (j *journal) takeBack(s *staging) bool {
	all := true
	for _, name := range slices.Concat(j.Removed, j.Names) {
		moved := s.file(name + former)
		_, err := s.dir.Lstat(moved)
		switch {
		case err == nil:
			all = all && holds(s.dir, name, j.Fresh[name]) && s.dir.Rename(moved, name) == nil
		case !errors.Is(err, fs.ErrNotExist):
			all = false
		default:
			if _, had := j.Former[name]; had || j.Fresh[name] == "" || !holds(s.dir, name, j.Fresh[name]) {
				continue // in its place, or of somebody else
			}
			if err := s.dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				all = false
			}
		}
	}
	return all
}

// holds reports whether a place is free, or has the file with a checksum.
func holds(dir *place, name, sum string) bool {
	got, err := checksum(dir, name)
	return errors.Is(err, fs.ErrNotExist) || err == nil && got != "" && got == sum
}
