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

	"tobac/internal/parallel"
)

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		cause error
		err   error
		want  int
	}{
		{nil, errors.New("failed"), exitFailed},
		{nil, fmt.Errorf("wrapped: %w", usagef("wrong")), exitUsage},
		{&signalError{os.Interrupt}, interruptedf("interrupted"), 130},
		{context.DeadlineExceeded, interruptedf("interrupted"), 130},
		{&signalError{syscall.SIGTERM}, fmt.Errorf("wrapped: %w", interruptedf("interrupted")), 143},
		{&signalError{syscall.SIGTERM}, errors.New("the disk is full"), exitFailed}, // the state is lost
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		if c.cause != nil {
			cancel(c.cause)
		}
		if got := exitStatus(ctx, c.err); got != c.want {
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
			return parallel.For(t.Context(), 4, 2, func(k int) error { return fmt.Errorf("never: %d", none[k+5]) })
		},
		"with lines": func() error { panic("two\nlines") },
	} {
		err := guarded(do)
		want := regexp.MustCompile(`^internal error at tobac/exit_test\.go:\d+: .+; please report this line, the command and "tobac version", as README\.md says under Problems$`)
		if err == nil || !want.MatchString(message(err)) {
			t.Errorf("%s: %q", name, message(err))
		}
		if exitStatus(t.Context(), err) != exitFailed {
			t.Errorf("%s: status %d", name, exitStatus(t.Context(), err))
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
		if got := withoutPackage(name + ": tobac: text"); got != "text" && name != "bench" && name != "beam" { // which are no libraries of this module
			t.Errorf("%s: got %q", name, got)
		}
	}
}
