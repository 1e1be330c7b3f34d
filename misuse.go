package tobac

import (
	"context"
	"errors"
	"fmt"
)

// errClosed is the error of a run that is used after [Run.Close], and errUnfinished that of one in which a panic, of Config.Progress for
// example, cut a part of the work short, or whose work has not returned.
var (
	errClosed     = errors.New("tobac: the run is closed")
	errUnfinished = errors.New("tobac: the run is at work, or a panic cut its work short, which leaves only Close")
)

// checkContext panics for a nil context, which is a fault of the calling program.
func checkContext(ctx context.Context) {
	if ctx == nil {
		panic("tobac: nil context")
	}
}

// begin checks that the run can be used, and says that a part of its work has begun; the function that it returns says that
// it has ended.
func (r *Run) begin(ctx context.Context) (end func(), err error) {
	checkContext(ctx)
	if r.unusable != nil {
		return nil, r.unusable
	}
	r.unusable = errUnfinished
	return func() { r.unusable = nil }, nil
}

// checkUnchanged finds numbers or names that the caller has made invalid since [NewRun]: data are not copied.
func (r *Run) checkUnchanged() error {
	if err := r.problem.Data.Validate(); err != nil {
		return fmt.Errorf("tobac: the data were changed after NewRun: %w", err)
	}
	return nil
}
