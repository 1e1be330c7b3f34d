//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// tryLock takes the lock of an open file unless somebody holds it, which busy says.
// The lock ends with the process.
func tryLock(f *os.File) (held, busy bool) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return err == nil, errors.Is(err, syscall.EWOULDBLOCK)
}

// ownedBy reports whether a file is known to be of a user.
func ownedBy(info fs.FileInfo, user int) bool {
	status, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(status.Uid) == user
}
