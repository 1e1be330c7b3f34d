//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"tobac/internal/jobs"
)

// A fit by jobs is killed in the middle, alone or beside tobac work on the same folder. The next
// one writes the bytes of an undisturbed fit, no finished job is lost or done again, and nothing is left of
// the killed process.
func TestKilledJobs(t *testing.T) {
	s := newScenes(t)
	const words = "data/train.csv --engine svgd --model linear --orders 8 --particles 8 --samples 32 --steps 60"
	args, _, want := uninterrupted(t, s, words)
	args = append(args, "--jobs", "state")
	for _, both := range []bool{false, true} {
		s.next(t)
		succeed(t, append(args, "--plan")...)
		victim := process(args)
		if err := victim.Start(); err != nil {
			t.Fatal(err)
		}
		var other *exec.Cmd
		if both {
			other = process([]string{"work", "state", "--quiet", "--workers", "1"})
			if err := other.Start(); err != nil {
				t.Fatal(err)
			}
		}
		killWhen(t, victim, func() bool { return len(outputsOf(t, "state")) >= 2 })
		if both {
			if err := other.Wait(); err != nil {
				t.Fatal(err)
			}
		}
		before := outputsOf(t, "state")
		check := kept(t, before)
		if n := len(before); both && n != 8 || n < 2 {
			t.Errorf("%d jobs are finished after the kill, one of two %v", n, both)
		}
		succeed(t, args...)
		checkKept(t, "killed", want)
		check()
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
