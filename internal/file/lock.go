package file

import "os"

// TryLock takes the lock of an open file, which ends with the process or when the
// file is closed, unless somebody holds it, which busy says. A system or file system without
// locks gives neither. Hard links to a file share its lock.
func TryLock(f *os.File) (held, busy bool) { return tryLock(f) }
