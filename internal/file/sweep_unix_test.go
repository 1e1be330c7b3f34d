//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"tobac/internal/file"
	"tobac/internal/must"
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
	s := must.Get(file.OpenSet(dir, moved, file.Guard{}))(t)
	die := func() { syscall.Kill(os.Getpid(), syscall.SIGKILL) }
	after := false // the move
	file.Inject(func(call, path string) error {
		if after {
			die()
		}
		after = call == "rename" &&
			strings.HasSuffix(filepath.ToSlash(path), "/"+os.Getenv("KILLED_STOP"))
		return nil
	})
	s.SetID("new")
	for _, name := range moved[:3] { // the last is a file that this run does not have
		must.Do(t, s.Write(name, writes("new "+name)))
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
	must.Do(t, put("run", file.Guard{}, old, "a", "b"))
	inUse := must.Get(file.OpenSet("run", []string{"a"}, file.Guard{}))(t)
	defer inUse.Discard()
	must.Do(t, os.Mkdir("run/.tobac-1.tmp", 0o777))
	writeFile(t, "run/.tobac-1.tmp/mine", "not of this program")
	writeFile(t, "run/.tobac-2.tmp", "a file")
	before := len(listing(t, "run"))
	killed(t, "run", "writing")
	if left := listing(t, "run"); len(left) != before+1 {
		t.Fatalf("the killed run left %v", left)
	}
	must.Do(t, put("run", file.Guard{}, map[string]string{"a": "x", "b": "y"}, "a",
		"b"))
	if left := listing(t, "run"); len(left) != before {
		t.Errorf("left in the folder: %v", left)
	}
	if err := inUse.Write("a", writes("in use")); err != nil {
		t.Errorf("the folder of another run: %v", err)
	}
}

// A run that is killed after any of its moves mixes nothing: what a reader gets is of one
// run, or refused, and the next run replaces all files but one that somebody has changed since.
func TestKilledNeverMixes(t *testing.T) {
	old := map[string]string{}
	for _, name := range moved {
		old[name] = "old " + name
	}
	for k, stop := range append([]string{file.Manifest}, moved[:3]...) {
		t.Run(stop, func(t *testing.T) {
			inFolder(t)
			must.Do(t, put("run", file.Guard{}, old, moved...))
			killed(t, "run", stop)
			refused := 0
			for at, name := range moved {
				text, err := proved("run", name)
				switch {
				case errors.Is(err, file.ErrUnproven):
					refused++
				case err != nil || text != "new "+name || at >= k:
					t.Errorf("%s holds %q, error %v", name, text, err)
				}
			}
			if want := len(moved) - k; refused != want {
				t.Errorf("%d of %d files are refused, want %d", refused, len(moved), want)
			}
			next := map[string]string{"a": "next a", "gone": "next gone"}
			writeFile(t, "run/b", "mine")
			if err := put("run", file.Guard{}, next, moved...); err == nil ||
				!strings.Contains(err.Error(), "was changed since") {
				t.Errorf("a file that somebody has changed: error %v", err)
			}
			must.Do(t, os.Remove("run/b"))
			if err := put("run", file.Guard{}, next, moved...); err != nil {
				t.Error(err)
			}
			if left := listing(t, "run"); !slices.Equal(left,
				[]string{"a", "gone", file.Manifest}) {
				t.Errorf("afterwards the folder holds %v", left)
			}
		})
	}
}
