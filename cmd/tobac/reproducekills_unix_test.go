//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"strings"
	"testing"

	"tobac/internal/must"
)

// A study is killed in the middle. The next command writes the bytes of an undisturbed one, and
// does no finished cell again.
func TestKilledStudy(t *testing.T) {
	inFolder(t, nil)
	args := strings.Fields("reproduce table1 --quick --runs 3 --only tobac-eqvar --workers 2 --out")
	succeed(t, append(args, "whole")...)
	victim := process(append(args, "killed"))
	must.Do(t, victim.Start())
	killWhen(t, victim, func() bool { return len(outputsOf(t, "killed/cells")) >= 1 })
	before := outputsOf(t, "killed/cells")
	check := kept(t, before)
	if len(before) == 3 {
		t.Errorf("%d of 3 cells were finished", len(before))
	}
	succeed(t, append(args, "killed")...)
	if readFile(t, "killed/results.csv") != readFile(t, "whole/results.csv") {
		t.Error("results.csv differs from that of a study that was not killed")
	}
	check()
}
