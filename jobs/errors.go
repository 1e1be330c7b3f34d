package jobs

import (
	"errors"
	"fmt"
	"strings"
)

// errElsewhere is the result of a job that another process does.
var errElsewhere = errors.New("jobs: another process does it")

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

// namedFailures is how many failed jobs the text of an error names.
const namedFailures = 5

// Error names the first five.
func (e *FailedError) Error() string {
	var text []string
	for _, f := range e.Failures[:min(namedFailures, len(e.Failures))] {
		text = append(text, fmt.Sprintf("job %d (%s, %.12s): %v", f.Index+1, f.Job.Kind, f.ID, f.Err))
	}
	if more := len(e.Failures) - namedFailures; more > 0 {
		text = append(text, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%d of %d jobs failed: %s", len(e.Failures), e.Jobs, strings.Join(text, "; "))
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
