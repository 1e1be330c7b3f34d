package jobs

import (
	"fmt"
	"slices"
	"strings"
)

// together is one error, in one line, of several; nil of none.
func together(all ...error) error {
	all = slices.DeleteFunc(all, func(err error) bool { return err == nil })
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	shown := all[:min(namedFailures, len(all))]
	text, args := "%w"+strings.Repeat("; %w", len(shown)-1), make([]any, len(shown))
	for i, err := range shown {
		args[i] = err
	}
	if more := len(all) - len(shown); more > 0 {
		text, args = text+"; and %d more", append(args, more)
	}
	return fmt.Errorf(text, args...)
}

// A Failure is a job that failed.
type Failure struct {
	Index int // in the list
	ID    string
	Job   Job
	Err   error
}

// A FailedError names the jobs of a list that failed.
type FailedError struct {
	Jobs     int // of the list
	Failures []Failure
}

// namedFailures is how many failures the text of an error names.
const namedFailures = 5

// Error names the first five.
func (e *FailedError) Error() string {
	all := make([]error, len(e.Failures))
	for i, f := range e.Failures {
		all[i] = fmt.Errorf("job %d (%s, %.12s): %w", f.Index+1, f.Job.Kind, f.ID, f.Err)
	}
	return fmt.Sprintf("%d of %d jobs failed: %v", len(e.Failures), e.Jobs, together(all...))
}

// Unwrap are the errors of the jobs.
func (e *FailedError) Unwrap() []error {
	all := make([]error, len(e.Failures))
	for i, f := range e.Failures {
		all[i] = f.Err
	}
	return all
}

// A NotKeptError says that outputs could not be written to the folder. They were
// returned, so that nothing is lost to the caller.
type NotKeptError struct {
	Dir   string
	Count int
	Err   error // the first
}

// Error names the folder.
func (e *NotKeptError) Error() string {
	return fmt.Sprintf("%s: the outputs of %d jobs could not be kept: %v", e.Dir, e.Count, e.Err)
}

// Unwrap is the first error.
func (e *NotKeptError) Unwrap() error { return e.Err }
