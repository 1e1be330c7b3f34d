package jobs

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"tobac/internal/parallel"
)

// An Engine does jobs somewhere. Run calls done once for each job that has ended,
// finished or failed, from one goroutine at a time. A failed job does not stop the
// others. Run returns when every job has ended and nil then, or once ctx is done with
// an error that wraps its cause; jobs that had not ended get no call.
type Engine interface {
	Run(ctx context.Context, f Functions, list []Job,
		done func(i int, output []byte, err error)) error
}

// Local is the engine that needs no set-up: goroutines of this process.
type Local struct {
	Workers int // jobs at a time; defaults to [runtime.GOMAXPROCS]
}

var _ Engine = Local{}

// Run implements [Engine]. Jobs are taken up in sequence. It panics for a negative number of
// workers.
func (e Local) Run(ctx context.Context, f Functions, list []Job,
	done func(i int, output []byte, err error)) error {
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

// A Remote is an [Engine] whose jobs run in other processes. [Do] hands it, instead of the
// functions, stand-ins for them that wait for what a worker makes of the job: so that the process
// which called Do claims, counts, measures and keeps the jobs as it does those of its own.
type Remote interface {
	Engine
	// StandIns returns a stand-in for each function. Run calls one when a worker takes up a job.
	StandIns(f Functions) Functions
}

// IDs are those of all jobs of a list; data that jobs share are digested once.
func IDs(list []Job) []string { return newHasher().ids(list) }

// Record says that the job of ctx was done elsewhere, and what was measured there: a
// stand-in calls it. It does nothing where nobody listens.
func Record(ctx context.Context, m Measured) {
	if r, ok := ctx.Value(recorderKey{}).(*recorder); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.there = &m
	}
}

// A Shard is a part of a list: jobs Index, Index+Count, Index+2·Count, … counted
// from 1. The zero value is the whole list.
type Shard struct {
	Index, Count int // 1 ≤ Index ≤ Count
}

// ParseShard reads the text form i/N.
func ParseShard(text string) (Shard, error) {
	index, count, cut := strings.Cut(text, "/")
	i, errI := strconv.Atoi(index)
	n, errN := strconv.Atoi(count)
	if !cut || errI != nil || errN != nil || n < 1 || i < 1 || i > n {
		return Shard{},
			fmt.Errorf("got %q; allowed: i/N with whole numbers 1 ≤ i ≤ N, such as 2/8", text)
	}
	return Shard{i, n}, nil
}

// String is the text form; that of the whole list is 1/1.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", max(1, s.Index), max(1, s.Count)) }

// Of is the part of a list.
func (s Shard) Of(list []Job) []Job {
	if s.Count <= 1 {
		return list
	}
	var part []Job
	for i := s.Index - 1; i < len(list); i += s.Count {
		part = append(part, list[i])
	}
	return part
}
