//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tobac/internal/file"
)

// killed runs this test's program until it has prepared dir, and kills it: with
// stop "writing" while it writes, with "moving" between two moves.
func killed(t *testing.T, dir, stop string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledHelper$")
	cmd.Env = append(os.Environ(), "KILLED_DIR="+dir, "KILLED_STOP="+stop)
	err := cmd.Run()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
		t.Fatalf("the helper was not killed: %v", err)
	}
}

// TestKilledHelper is the program that is killed.
func TestKilledHelper(t *testing.T) {
	dir := os.Getenv("KILLED_DIR")
	if dir == "" {
		t.Skip("runs as a process of other tests")
	}
	s, err := file.OpenSet(dir, []string{"a", "b"}, file.Guard{})
	if err != nil {
		t.Fatal(err)
	}
	die := func() { syscall.Kill(os.Getpid(), syscall.SIGKILL) }
	if os.Getenv("KILLED_STOP") == "moving" {
		file.Inject(func(call, path string) error {
			if call == "rename" && filepath.Base(path) == "b.former" {
				die()
			}
			return nil
		})
	}
	if err := s.Write("a", writes("new a")); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("KILLED_STOP") == "writing" {
		die()
	}
	if err := s.Write("b", writes("new b")); err != nil {
		t.Fatal(err)
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
		{"nothing changed", func() {}, "new a new b"},
		{"changed by somebody", func() { writeFile(t, "run/b", "mine") }, "new a mine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t)
			if err := put("run", file.Guard{}, map[string]string{"a": "old a", "b": "old b"}, "a", "b"); err != nil {
				t.Fatal(err)
			}
			killed(t, "run", "moving")
			if got := readFile(t, "run/a") + " " + readFile(t, "run/b"); got != "new a old b" {
				t.Fatalf("the killed run left %q", got)
			}
			c.change()
			s, err := file.OpenSet("run", []string{"other"}, file.Guard{})
			if err != nil {
				t.Fatal(err)
			}
			s.Discard()
			if got := readFile(t, "run/a") + " " + readFile(t, "run/b"); got != c.want {
				t.Errorf("the folder holds %q, want %q", got, c.want)
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
