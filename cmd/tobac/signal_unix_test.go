//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestMainHelper is the program in a process of its own.
func TestMainHelper(t *testing.T) {
	args := os.Getenv("TOBAC_ARGS")
	if args == "" {
		t.Skip("runs as a process of other tests")
	}
	os.Args = append([]string{"tobac"}, strings.Fields(args)...)
	main()
}

// A signal ends the process with the status that shells expect, and leaves a
// checkpoint that goes on.
func TestSignals(t *testing.T) {
	inFolder(t, nil)
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestMainHelper$")
		cmd.Env = append(os.Environ(), "TOBAC_ARGS=fit --engine svgd --order eqvar --particles 2 --samples 4 --steps 1000 --checkpoint state --force")
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		last := ""
		for lines := bufio.NewScanner(stderr); lines.Scan(); last = lines.Text() {
			if strings.HasPrefix(lines.Text(), "step 100 ") {
				if err := cmd.Process.Signal(signal); err != nil {
					t.Error(err)
				}
			}
		}
		err = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != want || !strings.HasPrefix(last, "tobac: interrupted after step ") || !strings.HasSuffix(last, "; to continue: tobac fit --resume state") {
			t.Errorf("%v: status %d after %q, error %v; want %d", signal, got, last, err, want)
		}
	}
	succeed(t, "fit", "--resume", "state", "--quiet")
}
