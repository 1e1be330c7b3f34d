//go:build unix

package file_test

import (
	"io/fs"
	"syscall"
	"testing"

	"tobac/internal/file"
)

// New files have the permissions that the umask leaves.
func TestNewFilesHonourTheUmask(t *testing.T) {
	for umask, want := range map[int]fs.FileMode{0o022: 0o644, 0o002: 0o664, 0o077: 0o600} {
		inFolder(t)
		before := syscall.Umask(umask)
		err := file.Write("one", writes("x"))
		s, setErr := file.OpenSet(".", []string{"two"}, file.Guard{Force: true})
		if setErr == nil {
			if setErr = s.Write("two", writes("x")); setErr == nil {
				setErr = s.Commit()
			}
		}
		s.Discard()
		syscall.Umask(before)
		if err != nil || setErr != nil {
			t.Fatalf("umask %03o: errors %v and %v", umask, err, setErr)
		}
		checkMode(t, "one", want)
		checkMode(t, "two", want)
	}
}
