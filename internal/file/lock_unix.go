//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock of an open file unless somebody holds it, which busy says.
// The lock ends with the process.
func tryLock(f *os.File) (held, busy bool) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return err == nil, errors.Is(err, syscall.EWOULDBLOCK)
}
