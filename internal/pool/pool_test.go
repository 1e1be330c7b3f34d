package pool_test

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"tobac/internal/pool"
)

// Every worker has its part in every call, at the same time as the others, without
// allocating; after Close the caller is left and the goroutines are gone.
func TestPool(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, workers := range []int{0, 1, 2, 5} {
		p := pool.New(workers)
		if got, want := p.Workers(), max(workers, 1); got != want {
			t.Errorf("New(%d) has %d workers, want %d", workers, got, want)
		}
		calls := make([]int, p.Workers())
		var met atomic.Int32
		part := func(worker int) {
			calls[worker]++
			met.Add(1)
			for int(met.Load()) < len(calls) { // all are here at once
				runtime.Gosched()
			}
		}
		run := func() {
			met.Store(0)
			p.Run(workers, part)
		}
		if allocs := testing.AllocsPerRun(20, run); allocs > 0 {
			t.Errorf("%d workers: %v allocations in a call, want none", workers, allocs)
		}
		if slices.Min(calls) != slices.Max(calls) || calls[0] < 20 {
			t.Errorf("%d workers were called %v times, want all equally often", workers, calls)
		}
		p.Close()
		p.Close()
		if p.Workers() != 1 {
			t.Errorf("a closed pool has %d workers, want 1", p.Workers())
		}
		calls = calls[:1]
		run()
	}
	for deadline :=
		time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left, were %d", runtime.NumGoroutine(), before)
		}
	}
}
