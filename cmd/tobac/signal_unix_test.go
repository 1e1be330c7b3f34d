//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"tobac/internal/must"
)

// TestMainHelper is the program in a process of its own.
func TestMainHelper(t *testing.T) {
	args := os.Getenv("TOBAC_ARGS")
	if args == "" {
		t.Skip("runs as a process of other tests")
	}
	endAt()
	os.Args = append([]string{"tobac"}, strings.Fields(args)...)
	main()
}

// A signal ends the process with the status that shells expect, and leaves a
// checkpoint that goes on.
func TestSignals(t *testing.T) {
	inFolder(t, nil)
	caught := make(chan os.Signal, 1)
	// so that the processes do not ignore it where the tests run after nohup
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	for stop, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143,
		syscall.SIGHUP: 129} {
		cmd := process(strings.Fields("fit --engine svgd --order eqvar --set particles=2 --set " +
			"samples=4 --set steps=4000 --set results.report=false --checkpoint state --force"))
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		must.Do(t, cmd.Start())
		last := ""
		for lines := bufio.NewScanner(stderr); lines.Scan(); last = lines.Text() {
			if strings.HasPrefix(lines.Text(), "svgd: step 100 ") {
				if err := cmd.Process.Signal(stop); err != nil {
					t.Error(err)
				}
			}
		}
		err = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != want ||
			!strings.HasPrefix(last, "tobac: interrupted after step ") ||
			!strings.HasSuffix(last, "; to continue: tobac fit --resume state --force") {
			t.Errorf("%v: status %d after %q, error %v; want %d", stop, got, last, err, want)
		}
	}
	succeed(t, "fit", "--resume", "state", "--quiet")
}

// A command that waits for its input ends at the first signal, and leaves nothing.
func TestSignalsWhileReading(t *testing.T) {
	simulated(t)
	succeed(t, sampled("fit", "data/train.csv", "--set", "svgd.steps=5", "--out", "run")...)
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Skip("no named pipes: ", err)
	}
	before := tree(t)
	for args, want := range map[string]string{
		"fit pipe --out new":              "interrupted before the first step; nothing was written",
		"fit - --out new":                 "interrupted before the first step; nothing was written",
		"fit data/train.csv --truth pipe": "interrupted before the first step; nothing was written",
		"fit --config pipe":               "interrupted before the first step; nothing was written",
		"fit --resume pipe":               "interrupted before the first step; nothing was written",
		"check pipe":                      "interrupted",
		"order pipe":                      "interrupted",
		"eval --heldout pipe run":         "interrupted",
		"convert pipe new.dot":            "interrupted",
		"report run --data pipe":          "interrupted",
	} {
		t.Run(args, func(t *testing.T) {
			cmd := process(strings.Fields(args))
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			stdin, err := cmd.StdinPipe() // which stays open
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			must.Do(t, cmd.Start())
			// more than a pipe holds: all of it is written once some is read
			if strings.Contains(args, " - ") {
				_, err = stdin.Write(bytes.Repeat([]byte("1,2,3\n"), 1<<18))
			} else {
				err = syscall.ENXIO
				for errors.Is(err, syscall.ENXIO) { // until the pipe has a reader
					var f *os.File
					if f, err = os.OpenFile("pipe", os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
						defer f.Close()
					}
					runtime.Gosched()
				}
			}
			must.Do(t, errors.Join(err, cmd.Process.Signal(syscall.SIGTERM)))
			cmd.Wait() // whose error is the status
			if got := cmd.ProcessState.ExitCode(); got != 143 || out.String() != "tobac: "+want+
				"\n" {
				t.Errorf("status %d and %q, want 143 and %q", got, out.String(), want)
			}
			if after := tree(t); after != before {
				t.Errorf("left behind:\n%s", after)
			}
		})
	}
}

// A signal that was to be ignored from the start, as after nohup, stays ignored, and a
// closed pipe on standard error ends nothing.
func TestIgnoredSignals(t *testing.T) {
	simulated(t)
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec "$0" -test.run=^TestMainHelper$`, os.Args[0])
	cmd.Env = append(os.Environ(), "TOBAC_ARGS=fit data/train.csv --engine svgd --order eqvar "+
		"--set particles=2 --set samples=4 --set steps=1000 --out run --set results.report=false")
	stderr := must.Get(cmd.StderrPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Skip("no shell: ", err)
	}
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "svgd: step 100 ") {
			if err := errors.Join(cmd.Process.Signal(syscall.SIGHUP), stderr.Close()); err != nil {
				t.Error(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	saved(t, "run")
}

// Where the reader of standard output has gone, the results are written, and the
// status says that they were not printed.
func TestClosedOutput(t *testing.T) {
	simulated(t)
	for args, want := range map[string]string{
		"--out run": "tobac: standard output: broken pipe; the results are in run\n",
		"": "tobac: standard output: broken pipe; nothing was written: --out DIR keeps " +
			"the results\n",
	} {
		r, w := must.Two(os.Pipe())(t)
		r.Close()
		var stderr bytes.Buffer
		cmd := process(strings.Fields("fit data/train.csv --quiet --engine exact --set " +
			"results.report=false --set prior.max-parents=2 --model linear-unequal " + args))
		cmd.Stdout, cmd.Stderr = w, &stderr
		cmd.Run() // whose error is the status
		w.Close()
		if got := cmd.ProcessState.ExitCode(); got != 141 ||
			!strings.HasSuffix(stderr.String(), want) {
			t.Errorf("status %d and %q, want 141 and %q", got, stderr.String(), want)
		}
	}
	saved(t, "run")
}
