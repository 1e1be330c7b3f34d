package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"tobac/internal/file"
	"tobac/internal/parallel"
)

// A SignalError is why a context was cancelled.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return e.Signal.String() }

// Is makes it a cancellation, as which an error that wraps the cause of the context counts too.
func (e *SignalError) Is(target error) bool { return target == context.Canceled }

// An InterruptedError is a run that was stopped from outside.
type InterruptedError struct{ text string }

func (e *InterruptedError) Error() string { return e.text }

func Interruptedf(format string, args ...any) error {
	return &InterruptedError{fmt.Sprintf(format, args...)}
}

// ExitStatus is the status for an error of a command that ran under ctx.
func ExitStatus(ctx context.Context, err error) int {
	switch {
	case errors.As(err, new(*InterruptedError)):
		caught := new(SignalError)
		if !errors.As(context.Cause(ctx), &caught) {
			return ExitInterrupted
		}
		if number, ok := caught.Signal.(syscall.Signal); ok {
			return exitSignal + int(number)
		}
		return ExitInterrupted
	case errors.Is(err, syscall.EPIPE):
		return exitSignal + int(syscall.SIGPIPE)
	case errors.As(err, new(*usageError)), errors.As(err, new(*file.Refusal)):
		return ExitUsage
	}
	return ExitFailed
}

// An InternalError is a panic: a fault of the program, not of the user.
type InternalError struct {
	value any
	place string // file and line
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("internal error at %s: %v; please report this line, the command and %q to "+
		"the maintainers", e.place, e.value, "tobac version")
}

// Guarded runs a part of a command and makes an error of a panic.
func Guarded(do func() error) (err error) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		e := &InternalError{value: value, place: panicPlace()}
		if p, ok := value.(*parallel.Panic); ok { // of another goroutine, with a stack of its own
			e.value = p.Value
			if place := stackPlace(string(p.Stack)); place != "" {
				e.place = place
			}
		}
		err = e
	}()
	return do()
}

// panicPlace is where the panic that is being recovered began.
func panicPlace() string {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	panicking := false
	for {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(frame.Function, "runtime."):
			return shortPlace(frame.File, frame.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}

// stackPlace is the place of the panic in the text of a stack; "" means not found.
func stackPlace(stack string) string {
	_, after, found := strings.Cut(stack, "\npanic(")
	if !found {
		return ""
	}
	lines := strings.Split(after, "\n")
	for k := 2; k+1 < len(lines); k += 2 { // a line for the function, one for its place
		if strings.HasPrefix(lines[k], "runtime.") {
			continue
		}
		at, _, _ := strings.Cut(strings.TrimSpace(lines[k+1]), " ")
		return filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(at)), filepath.Base(at)))
	}
	return ""
}

func shortPlace(path string, line int) string {
	return fmt.Sprintf("%s/%s:%d", filepath.Base(filepath.Dir(path)), filepath.Base(path), line)
}
