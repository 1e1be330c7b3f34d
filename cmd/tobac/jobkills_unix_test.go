//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"tobac/jobs"
)

// A fit by jobs is killed in the middle, alone or beside tobac work on the same folder. The next
// one writes the bytes of an undisturbed fit, no finished job is lost or done again, and nothing is left of
// the killed process.
func TestKilledJobs(t *testing.T) {
	s := newScenes(t)
	const words = "data/train.csv --engine svgd --model linear --orders 8 --particles 8 --samples 32 --steps 60"
	args, _, want := uninterrupted(t, s, words)
	args = append(args, "--jobs", "state")
	finished := func() []string {
		all, err := filepath.Glob("state/done/*/????????????????????????????????????????????????????????????????")
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for _, both := range []bool{false, true} {
		s.next(t)
		succeed(t, append(args, "--plan")...)
		victim := process(args)
		if err := victim.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- victim.Wait() }() // whose error is the kill
		var other *exec.Cmd
		if both {
			other = process([]string{"work", "state", "--quiet", "--workers", "1"})
			if err := other.Start(); err != nil {
				t.Fatal(err)
			}
		}
		for len(finished()) < 2 && len(ended) == 0 {
			time.Sleep(time.Millisecond)
		}
		victim.Process.Kill()
		<-ended
		if !killed(victim) {
			t.Fatalf("it ended before it was killed: %v", victim.ProcessState)
		}
		if both {
			if err := other.Wait(); err != nil {
				t.Fatal(err)
			}
		}
		before := map[string]string{}
		for _, path := range finished() {
			before[path] = readFile(t, path)
		}
		if n := len(before); both && n != 8 || n < 2 {
			t.Errorf("%d jobs are finished after the kill, one of two %v", n, both)
		}
		succeed(t, args...)
		checkKept(t, "killed", want)
		for path, text := range before { // with the seconds it took
			if readFile(t, path) != text {
				t.Errorf("%s was done again", path)
			}
		}
		folder, err := jobs.ExistingFolder("state")
		if err != nil {
			t.Fatal(err)
		}
		for _, pattern := range []string{"claims/*/*", "owners/*", "failed/*/*"} {
			if left, err := filepath.Glob(filepath.Join(folder.Dir(), pattern)); err != nil || len(left) > 0 {
				t.Errorf("left: %q, %v", left, err)
			}
		}
	}
}
