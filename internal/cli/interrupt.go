package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// stopping are the signals that end a command in good order: Ctrl-C, the end of the
// session by its manager, and that of its terminal.
var stopping = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// Listen makes the first signal cancel a context; the second ends the program at
// once. What was to be ignored from the start, as after nohup, stays ignored. A closed
// pipe is an error of the write to it, and no signal.
func Listen(cancel context.CancelCauseFunc) {
	signals := make(chan os.Signal, 1)
	for _, s := range stopping {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	signal.Ignore(syscall.SIGPIPE)
	go func() {
		caught := <-signals
		signal.Stop(signals)
		cancel(&SignalError{caught})
	}()
}

var ErrInterrupted = Interruptedf("interrupted")

// Within runs work until ctx is cancelled, and then returns ErrInterrupted. The
// goroutine is left behind for the end of the process, so that work must not write to
// files.
func Within[T any](ctx context.Context, work func() (T, error)) (T, error) {
	var none T
	if ctx.Err() != nil {
		return none, ErrInterrupted
	}
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		var out outcome
		out.err = Guarded(func() (err error) {
			out.result, err = work()
			return err
		})
		done <- out
	}()
	select {
	case out := <-done:
		if out.err != nil && ctx.Err() != nil && errors.Is(out.err, ctx.Err()) {
			out.err = ErrInterrupted
		}
		return out.result, out.err
	case <-ctx.Done():
		return none, ErrInterrupted
	}
}

// Interruptible makes a command that writes no files end when its context is
// cancelled, whatever it waits for.
func Interruptible(cmd *cobra.Command) *cobra.Command {
	work := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		_, err := Within(cmd.Context(), func() (any, error) { return nil, work(cmd, args) })
		return err
	}
	return cmd
}

// Interruptibly is what write writes, until ctx is cancelled.
func Interruptibly(ctx context.Context, write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		return write(writerFunc(func(p []byte) (int, error) {
			if ctx.Err() != nil {
				return 0, ErrInterrupted
			}
			return w.Write(p)
		}))
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
