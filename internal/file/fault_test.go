package file_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"tobac/internal/file"
	"tobac/internal/must"
)

// faults runs do again and again, and lets one call to the file system after the
// other fail: it alone, it and all after it until the end, or the end of the process
// there, after which nothing changes the disk any more. check is called after each.
func faults(t *testing.T, prepare func(), do func() error,
	check func(t *testing.T, name string, failed error)) {
	t.Helper()
	defer file.Inject(func(string, string) error { return nil })()
	for _, kind := range []string{"error", "errors", "end"} {
		step := 1
		if kind == "errors" {
			step = 3
		}
		for at := 1; ; at += step {
			t.Chdir(t.TempDir())
			prepare()
			calls, last := 0, ""
			restore := file.Inject(func(call, path string) error {
				if calls++; calls == at {
					last = call + " of " + filepath.Base(path)
				}
				if calls == at || calls > at && kind != "error" {
					return syscall.ENOSPC
				}
				return nil
			})
			failed := do()
			restore()
			if calls < at {
				if at < 20 {
					t.Fatalf("only %d calls", calls)
				}
				break
			}
			if failed != nil && !errors.Is(failed, syscall.ENOSPC) {
				t.Errorf("%s at call %d, %s: error %v, which hides the cause", kind, at, last,
					failed)
			}
			check(t, fmt.Sprintf("%s at call %d, %s", kind, at, last), failed)
		}
	}
}

// hidden lists what the next run should have removed.
func hidden(t *testing.T, dir string) (left []string) {
	t.Helper()
	for _, name := range listing(t, dir) {
		if strings.HasPrefix(name, ".tobac-") {
			left = append(left, name)
		}
	}
	return left
}

// Whichever call of a commit fails, or is the last of its process, each file is the former or the
// new one, a reader gets files of one set or is refused, and the next run replaces all of them and
// leaves no temporary file.
func TestCommitFaults(t *testing.T) {
	former := map[string]string{"a": "old a", "b": "old b", "c": "old c"}
	fresh := map[string]string{"a": "new a", "b": "new b", "d": "new d"}
	names := []string{"a", "b", "c", "d"}
	for _, from := range []string{"", "old"} {
		t.Run("from "+from, func(t *testing.T) {
			prepare := func() {
				if from == "" {
					return
				}
				must.Do(t, put("run", file.Guard{}, former, names...))
			}
			do := func() error { return put("run", file.Guard{}, fresh, names...) }
			faults(t, prepare, do, func(t *testing.T, name string, failed error) {
				got := map[string]bool{} // sets that a reader gets files of
				for _, file := range names {
					text, err := os.ReadFile("run/" + file)
					if err == nil && string(text) != former[file] && string(text) != fresh[file] {
						t.Errorf("%s: %s holds %q", name, file, text)
					}
					if text, err := proved("run", file); err == nil && exists("run/"+file) &&
						exists("run/"+"tobac.json") {
						got[text[:3]] = true
					}
				}
				if len(got) > 1 || failed == nil && (got["old"] || exists("run/c")) {
					t.Errorf("%s: error %v, a reader gets files of %v", name, failed, got)
				}
				if err := put("run", file.Guard{}, fresh, names...); err != nil {
					t.Errorf("%s: writing again: %v", name, err)
				}
				if left := listing(t, "run"); !slices.Equal(left,
					[]string{"a", "b", "d", file.Manifest}) {
					t.Errorf("%s: the folder holds %v", name, left)
				}
				for _, file := range []string{"a", "b", "d"} {
					if text, err := proved("run", file); text != fresh[file] {
						t.Errorf("%s: afterwards %s holds %q, error %v", name, file, text, err)
					}
				}
			})
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// proved is what a reader gets of a file.
func proved(dir, name string) (string, error) {
	f, err := file.OpenFolder(dir, false)
	if err != nil {
		return "", err
	}
	text, err := all(f, name)
	return string(text), err
}

// all is all of a file.
func all(f *file.Folder, name string) ([]byte, error) {
	in, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

// The same for a single file.
func TestWriteFaults(t *testing.T) {
	for _, from := range []string{"", "old"} {
		prepare := func() {
			if from != "" {
				writeFile(t, "state", from)
			}
		}
		do := func() error {
			return errors.Join(file.Check("state"), file.Write("state", writes("new")))
		}
		faults(t, prepare, do, func(t *testing.T, name string, failed error) {
			if err := file.Check("state"); err != nil {
				t.Fatalf("%s: the next run: %v", name, err)
			}
			if left := hidden(t, "."); left != nil {
				t.Errorf("%s: %v is left", name, left)
			}
			text, _ := os.ReadFile("state") // "" where there is none
			if got := string(text); got != "new" && (got != from || failed == nil) {
				t.Errorf("%s: error %v, the file holds %q", name, failed, got)
			}
		})
	}
}
