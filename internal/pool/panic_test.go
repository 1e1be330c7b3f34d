package pool_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"tobac/internal/parallel"
	"tobac/internal/pool"
)

// A panic of any worker reaches the caller once all have returned, with the stack of its goroutine,
// and the pool goes on.
func TestPanic(t *testing.T) {
	for _, workers := range []int{1, 3} {
		p := pool.New(workers)
		defer p.Close()
		for at := range workers {
			var returned atomic.Int32
			caught := func() (value any) {
				defer func() { value = recover() }()
				p.Run(workers, func(worker int) {
					defer returned.Add(1)
					if worker == at {
						panic("broken")
					}
				})
				return nil
			}()
			failed, ok := caught.(*parallel.Panic)
			if !ok || failed.Value != "broken" || failed.Item != at ||
				!strings.Contains(string(failed.Stack), "panic_test.go") {
				t.Errorf("%d workers, panic in %d: got %v", workers, at, caught)
			}
			if int(returned.Load()) != workers {
				t.Errorf("%d workers, panic in %d: %d returned before the caller", workers, at,
					returned.Load())
			}
			calls := atomic.Int32{}
			p.Run(workers, func(int) { calls.Add(1) })
			if int(calls.Load()) != workers {
				t.Errorf("%d workers, after a panic: %d calls", workers, calls.Load())
			}
		}
	}
}
