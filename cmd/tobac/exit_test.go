package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/parallel"
)

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		cause error
		err   error
		want  int
	}{
		{nil, errors.New("failed"), cli.ExitFailed},
		{nil, fmt.Errorf("wrapped: %w", cli.Usagef("wrong")), cli.ExitUsage},
		{&cli.SignalError{Signal: os.Interrupt}, cli.Interruptedf("interrupted"), 130},
		{context.DeadlineExceeded, cli.Interruptedf("interrupted"), 130},
		{&cli.SignalError{Signal: syscall.SIGTERM},
			fmt.Errorf("wrapped: %w", cli.Interruptedf("interrupted")), 143},
		// the state is lost
		{&cli.SignalError{Signal: syscall.SIGTERM}, errors.New("the disk is full"), cli.ExitFailed},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		if c.cause != nil {
			cancel(c.cause)
		}
		if got := cli.ExitStatus(ctx, c.err); got != c.want {
			t.Errorf("%v after %v: status %d, want %d", c.err, c.cause, got, c.want)
		}
		cancel(nil)
	}
}

// A panic, in this goroutine or in a loop of several, is one line with its place.
func TestPanicIsOneLine(t *testing.T) {
	var none []int
	for name, do := range map[string]func() error{
		"here": func() error { return fmt.Errorf("never: %d", none[len(os.Args)+5]) },
		"there": func() error {
			return parallel.For(t.Context(), 4, 2, func(k int) error {
				return fmt.Errorf("never: %d", none[k+5])
			})
		},
		"with lines": func() error { panic("two\nlines") },
	} {
		err := cli.Guarded(do)
		want := regexp.MustCompile(
			`^internal error at tobac/exit_test\.go:\d+: .+; please report this line, the command and "tobac version" to the maintainers$`)
		if err == nil || !want.MatchString(cli.Message(err)) {
			t.Errorf("%s: %q", name, cli.Message(err))
		}
		if cli.ExitStatus(t.Context(), err) != cli.ExitFailed {
			t.Errorf("%s: status %d", name, cli.ExitStatus(t.Context(), err))
		}
	}
}

// The name of every public package of the module is left out in front of an error.
func TestWithoutPackage(t *testing.T) {
	folders, err := filepath.Glob("../../*/doc.go")
	if err != nil || len(folders) < 10 {
		t.Fatalf("%d packages, %v", len(folders), err)
	}
	for _, path := range folders {
		name := filepath.Base(filepath.Dir(path))
		// which are no libraries of this module
		if got := cli.WithoutPackage(name + ": tobac: text"); got != "text" && name != "bench" &&
			name != "beam" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
