//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tobac/internal/file"
	"tobac/internal/must"
)

// process is the program in a process of its own, with further variables.
func process(args []string, variables ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestMainHelper$")
	cmd.Env = append(append(os.Environ(), "TOBAC_ARGS="+strings.Join(args, " ")), variables...)
	return cmd
}

// endAt kills this process at a call to the file system, if a test wants that.
func endAt() {
	at, err := strconv.Atoi(os.Getenv("TOBAC_END_AT"))
	if err != nil {
		return
	}
	calls := 0
	file.Inject(func(call, path string) error {
		if calls++; calls == at {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return nil
	})
}

func killed(cmd *exec.Cmd) bool {
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

// killWhen kills a process that has been started once something has happened, and fails if it ends
// before.
func killWhen(t *testing.T, victim *exec.Cmd, happened func() bool) {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- victim.Wait() }() // whose error is the kill
	for !happened() && len(ended) == 0 {
		time.Sleep(time.Millisecond)
	}
	victim.Process.Kill()
	<-ended
	if !killed(victim) {
		t.Fatalf("it ended before it was killed: %v", victim.ProcessState)
	}
}

// uninterrupted makes the scene of a row, runs it in a process of its own, and returns
// its command line, how long it took, and its results.
func uninterrupted(t *testing.T, s *scenes, words string) (args []string, took time.Duration,
	want map[string]string) {
	t.Helper()
	args = append(fitArgs(words), "--out", "run")
	s.next(t)
	start := time.Now()
	if out, err := process(args).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return args, time.Since(start), results(t, "run")
}

// A run that is killed at any moment is finished by the next one, with the bytes of a
// run that was not: no file is of another run, and nothing else is left.
func TestKilledRuns(t *testing.T) {
	s := newScenes(t)
	rng := rand.New(rand.NewPCG(14, 3))
	count := 1 // of each row
	if *long {
		count = 300 / len(keptRuns)
	}
	for _, row := range keptRuns {
		t.Run(row.name, func(t *testing.T) {
			if row.alike && !*long {
				t.Skip("saves what others save, by the same calls: -long")
			}
			args, took, want := uninterrupted(t, s, row.args)
			ended, resumed := 0, 0
			for ended < count {
				s.next(t)
				cmd := process(args)
				must.Do(t, cmd.Start())
				done := make(chan error, 1)
				go func() { done <- cmd.Wait() }() // whose error is the kill
				// every other time from when it has prepared its folder
				for ended%2 == 1 && len(done) == 0 {
					if begun, _ := filepath.Glob("run/.tobac-*"); len(begun) > 0 {
						break
					}
				}
				moment := time.Duration(rng.Float64() * float64(took))
				timer := time.AfterFunc(moment, func() { cmd.Process.Kill() })
				<-done
				timer.Stop()
				if !killed(cmd) {
					continue // it was done before
				}
				ended++
				next := again(args)
				if next[1] == "--resume" {
					resumed++
				}
				succeed(t, next...)
				checkKept(t, fmt.Sprint("killed after ", moment), want)
			}
			t.Logf("%d runs killed, %d resumed from a checkpoint", ended, resumed)
		})
	}
}

// The same for the end of the process at every call to the file system.
func TestKilledAtEveryCall(t *testing.T) {
	if !*long {
		t.Skip("thousands of processes; TestRunFaults does it without them")
	}
	s := newScenes(t)
	for _, row := range keptRuns {
		t.Run(row.name, func(t *testing.T) {
			args, _, want := uninterrupted(t, s, row.args)
			resumed := 0
			for at := 1; ; at++ {
				s.next(t)
				cmd := process(args, fmt.Sprint("TOBAC_END_AT=", at))
				cmd.Run() // whose error is the kill
				if !killed(cmd) {
					t.Logf("killed at each of %d calls, %d resumed from a checkpoint", at-1,
						resumed)
					return
				}
				next := again(args)
				if next[1] == "--resume" {
					resumed++
				}
				succeed(t, next...)
				checkKept(t, fmt.Sprint("killed at call ", at), want)
			}
		})
	}
}
