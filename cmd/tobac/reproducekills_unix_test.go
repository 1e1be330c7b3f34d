//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"strings"
	"testing"
	"time"
)

// A study is killed in the middle. The next command writes the bytes of an undisturbed one, and does no finished cell again.
func TestKilledStudy(t *testing.T) {
	inFolder(t, nil)
	args := strings.Fields("reproduce table1 --quick --only tobac-* --only empty --workers 2 --out")
	succeed(t, append(args, "whole")...)
	victim := process(append(args, "killed"))
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- victim.Wait() }() // whose error is the kill
	for len(outputsOf(t, "killed")) < 2 && len(ended) == 0 {
		time.Sleep(time.Millisecond)
	}
	victim.Process.Kill()
	<-ended
	if !killed(victim) {
		t.Fatalf("it ended before it was killed: %v", victim.ProcessState)
	}
	before := map[string]string{}
	for _, path := range outputsOf(t, "killed") {
		before[path] = readFile(t, path)
	}
	if len(before) < 2 || len(before) == 8 {
		t.Errorf("%d of 8 cells were finished", len(before))
	}
	succeed(t, append(args, "killed")...)
	if readFile(t, "killed/results.csv") != readFile(t, "whole/results.csv") {
		t.Error("results.csv differs from that of a study that was not killed")
	}
	for path, text := range before { // with the seconds it took
		if readFile(t, path) != text {
			t.Errorf("%s was done again", path)
		}
	}
}
