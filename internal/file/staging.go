package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
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
)

// newStaging makes a staging folder in dir, and removes those that ended
// processes left there. Another process that sweeps may take an unmarked folder for
// one of those, and then this one makes another.
func newStaging(dir *place) (s *staging, err error) {
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

// remove removes the folder, the mark last, so that whatever cannot be removed, and whenever the
// process ends, the next sweep understands what is left. A nil staging has nothing to remove.
func (s *staging) remove() {
	if s == nil {
		return
	}
	defer s.leave()
	if s.in != nil {
		all := slices.DeleteFunc(s.in.matching("", ""), func(name string) bool {
			return name == lockName
		})
		for _, name := range append(all, lockName) {
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
// it had put anything into them. A folder that is not known to be the user's alone stays as it is.
func sweep(dir *place) {
	for _, name := range dir.matching(stagingBegin, stagingEnd) {
		s := &staging{dir: dir, name: name}
		s.tidy()
		s.leave()
	}
}

// tidy removes a staging folder whose process has ended.
func (s *staging) tidy() {
	info, err := s.dir.Lstat(s.name)
	if err != nil || !info.IsDir() {
		return
	}
	if s.in, err = s.dir.OpenPlace(s.name); err != nil {
		return
	}
	if !s.in.private(".") || s.in.has(lockName) && !s.in.private(lockName) {
		return
	}
	s.lock, err = s.in.OpenFile(lockName, os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.dir.Remove(s.name) // which fails unless it is empty
		return
	case err != nil:
		return
	}
	if held, _ := tryLock(s.lock.file); !held {
		return
	}
	text, err := io.ReadAll(io.LimitReader(s.lock, int64(len(lockText)+1)))
	// ended before it was marked
	unmarked := len(text) < len(lockText) && lockText[:len(text)] == string(text) &&
		len(s.in.matching("", "")) == 1
	if err == nil && (string(text) == lockText || unmarked) {
		s.remove()
	}
}
