package jobs

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"tobac/internal/parallel"
)

// An Engine does jobs somewhere. Run calls done once for each job that has ended,
// finished or failed, from one goroutine at a time. A failed job does not stop the
// others. Run returns when every job has ended and nil then, or once ctx is done with
// an error that wraps its cause; jobs that had not ended get no call.
type Engine interface {
	Run(ctx context.Context, f Functions, list []Job, done func(i int, output []byte, err error)) error
}

// Local is the engine that needs no set-up: goroutines of this process.
type Local struct {
	Workers int // jobs at a time; defaults to [runtime.GOMAXPROCS]
}

var _ Engine = Local{}

// Run implements [Engine]. Jobs are taken up in sequence. It panics for a negative number of
// workers.
func (e Local) Run(ctx context.Context, f Functions, list []Job, done func(i int, output []byte, err error)) error {
	if e.Workers < 0 {
		panic(fmt.Sprintf("jobs: %d workers", e.Workers))
	}
	workers := e.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var mu sync.Mutex
	return parallel.For(ctx, len(list), workers, func(i int) error {
		output, err := f.Do(ctx, list[i])
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx) // it did not fail, it was stopped
		}
		mu.Lock()
		defer mu.Unlock()
		done(i, output, err)
		return nil
	})
}
