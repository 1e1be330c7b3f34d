//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"tobac/internal/file"
)

// killed runs this test's program until it has prepared dir, and kills it: with
// stop "writing" while it writes, with the name of a file after that was moved.
func killed(t *testing.T, dir, stop string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledHelper$")
	cmd.Env = append(os.Environ(), "KILLED_DIR="+dir, "KILLED_STOP="+stop)
	err := cmd.Run()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
		t.Fatalf("the helper was not killed: %v", err)
	}
}

// moved are the files of a run that is killed, in the sequence in which they are moved.
var moved = []string{"a", "b", "below/c", "gone"}

// TestKilledHelper is the program that is killed.
func TestKilledHelper(t *testing.T) {
	dir := os.Getenv("KILLED_DIR")
	if dir == "" {
		t.Skip("runs as a process of other tests")
	}
	s, err := file.OpenSet(dir, moved, file.Guard{})
	if err != nil {
		t.Fatal(err)
	}
	die := func() { syscall.Kill(os.Getpid(), syscall.SIGKILL) }
	after := false // the move
	file.Inject(func(call, path string) error {
		if after {
			die()
		}
		after = call == "rename" && strings.HasSuffix(filepath.ToSlash(path), "/"+os.Getenv("KILLED_STOP"))
		return nil
	})
	s.SetID("new")
	for _, name := range moved[:3] { // the last is a file that this run does not have
		if err := s.Write(name, writes("new "+name)); err != nil {
			t.Fatal(err)
		}
		if os.Getenv("KILLED_STOP") == "writing" {
			die()
		}
	}
	t.Fatal(s.Commit())
}

// The next run into a folder removes what a killed one left, and nothing that is
// in use or of others.
func TestKilledRunsLeaveNothing(t *testing.T) {
	inFolder(t)
	old := map[string]string{"a": "old a", "b": "old b"}
	if err := put("run", file.Guard{}, old, "a", "b"); err != nil {
		t.Fatal(err)
	}
	inUse, err := file.OpenSet("run", []string{"a"}, file.Guard{})
	if err != nil {
		t.Fatal(err)
	}
	defer inUse.Discard()
	if err := os.Mkdir("run/.tobac-1.tmp", 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "run/.tobac-1.tmp/mine", "not of this program")
	writeFile(t, "run/.tobac-2.tmp", "a file")
	before := len(listing(t, "run"))
	killed(t, "run", "writing")
	if left := listing(t, "run"); len(left) != before+1 {
		t.Fatalf("the killed run left %v", left)
	}
	if err := put("run", file.Guard{}, map[string]string{"a": "x", "b": "y"}, "a", "b"); err != nil {
		t.Fatal(err)
	}
	if left := listing(t, "run"); len(left) != before {
		t.Errorf("left in the folder: %v", left)
	}
	if err := inUse.Write("a", writes("in use")); err != nil {
		t.Errorf("the folder of another run: %v", err)
	}
}

// A run that is killed while it moves its files has moved all of them for the next
// one.
func TestKilledWhileMoving(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func()
		want   string
	}{
		{"nothing changed", func() {}, "new a new b"}, // nothing is told
		{"changed by somebody", func() { writeFile(t, "run/b", "mine") }, "new a mine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t)
			if err := put("run", file.Guard{}, map[string]string{"a": "old a", "b": "old b"}, "a", "b"); err != nil {
				t.Fatal(err)
			}
			killed(t, "run", "a")
			if got := readFile(t, "run/a") + " " + readFile(t, "run/b"); got != "new a old b" {
				t.Fatalf("the killed run left %q", got)
			}
			c.change()
			told := ""
			defer file.OnUnfollowed(func(folder, why string) { told = why })()
			s, err := file.OpenSet("run", moved, file.Guard{})
			s.Discard()
			if got := readFile(t, "run/a") + " " + readFile(t, "run/b"); got != c.want || (err == nil) != (told == "") {
				t.Errorf("the folder holds %q, want %q; told %q, error %v", got, c.want, told, err)
			}
			hidden := 0
			for _, name := range listing(t, "run") {
				if strings.HasPrefix(name, ".tobac-") {
					hidden++
				}
			}
			// What was to take the place of somebody's file is not thrown away.
			if want := strings.Count(c.want, "mine"); hidden != want {
				t.Errorf("%d temporary folders are left, want %d", hidden, want)
			}
		})
	}
}

// A run that is killed after any of its moves mixes nothing: what a reader gets is of one
// run, or refused, and after the next one opens the folder all of it is of the killed one.
func TestKilledNeverMixes(t *testing.T) {
	old := map[string]string{}
	for _, name := range moved {
		old[name] = "old " + name
	}
	for _, stop := range append(slices.Clone(moved[:3]), file.Manifest) {
		t.Run(stop, func(t *testing.T) {
			inFolder(t)
			if err := put("run", file.Guard{}, old, moved...); err != nil {
				t.Fatal(err)
			}
			killed(t, "run", stop)
			refused := 0
			for _, name := range moved {
				text, err := proved("run", name)
				switch {
				case err != nil && !errors.Is(err, file.ErrUnproven) && !(stop == file.Manifest && errors.Is(err, fs.ErrNotExist)):
					t.Errorf("%s: %v", name, err)
				case err != nil:
					refused++
				case text != map[bool]string{false: "old ", true: "new "}[stop == file.Manifest]+name:
					t.Errorf("%s holds %q", name, text)
				}
			}
			if want := slices.Index(moved, stop) + 2; stop != file.Manifest && refused != want || stop == file.Manifest && refused != 1 {
				t.Errorf("%d of %d files are refused", refused, len(moved))
			}
			s, err := file.OpenSet("run", moved, file.Guard{})
			if err != nil {
				t.Fatal(err)
			}
			s.Discard()
			for _, name := range moved[:3] {
				if text, err := proved("run", name); text != "new "+name {
					t.Errorf("afterwards %s holds %q, error %v", name, text, err)
				}
			}
			if left := listing(t, "run"); !slices.Equal(left, []string{"a", "b", "below", file.Manifest}) {
				t.Errorf("afterwards the folder holds %v", left)
			}
		})
	}
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
