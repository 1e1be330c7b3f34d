package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tobac/internal/must"
	"tobac/internal/parallel"
)

// workerCounts are those of every test: serial, too few to count, some, more
// than items.
var workerCounts = []int{-1, 0, 1, 2, 3, 64}

// Every item is done once, in ascending sequence if there is one worker, and no
// goroutine is left.
func TestForDoesEveryItemOnce(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, workers := range workerCounts {
		for _, n := range []int{-1, 0, 1, 2, 50} {
			calls := make([]atomic.Int32, max(n, 0))
			last, ascending := -1, true
			err := parallel.For(context.Background(), n, workers, func(i int) error {
				calls[i].Add(1)
				if workers <= 1 {
					ascending = ascending && i == last+1
					last = i
				}
				return nil
			})
			if err != nil || !ascending {
				t.Errorf("%d items, %d workers: error %v, ascending %v", n, workers, err, ascending)
			}
			for i := range calls {
				if got := calls[i].Load(); got != 1 {
					t.Errorf("%d items, %d workers: item %d was done %d times, want once", n,
						workers, i, got)
				}
			}
		}
	}
	checkGoroutines(t, before)
}

// No more than the given number of items is at work at once, and that many are.
func TestForUsesAllWorkers(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		var atWork, most, arrived atomic.Int32
		err := parallel.For(context.Background(), 40, workers, func(i int) error {
			now := atWork.Add(1)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			}
			for arrived.Add(1); int(arrived.Load()) < workers; { // the first ones meet
				runtime.Gosched()
			}
			atWork.Add(-1)
			return nil
		})
		if got := int(most.Load()); err != nil || got != workers {
			t.Errorf("%d workers: %d items at work at once, error %v", workers, got, err)
		}
	}
}

// The error is that of the smallest item that fails, whoever is first; items
// after it that had not begun are left out.
func TestForReturnsTheFirstError(t *testing.T) {
	for _, workers := range workerCounts {
		for range 20 {
			var done atomic.Int32
			err := parallel.For(context.Background(), 10_000, workers, func(i int) error {
				done.Add(1)
				if i == 7 {
					runtime.Gosched() // a later failure may be reported before
				}
				if i >= 7 {
					return fmt.Errorf("item %d failed", i)
				}
				return nil
			})
			if err == nil || err.Error() != "item 7 failed" {
				t.Fatalf("%d workers: error %v, want that of item 7", workers, err)
			}
			if got := int(done.Load()); got > 8+max(workers, 1) {
				t.Errorf("%d workers: %d items were done, want those begun before the failure "+
					"was known", workers, got)
			}
		}
	}
}

// Cancellation is looked at before every item, and the cause is returned; a loop
// whose items are all done has succeeded.
func TestForStopsWithTheContext(t *testing.T) {
	cause := errors.New("no more time")
	for _, workers := range workerCounts {
		ctx, cancel := context.WithCancelCause(context.Background())
		var done atomic.Int32
		err := parallel.For(ctx, 1000, workers, func(i int) error {
			done.Add(1)
			if i == 5 {
				cancel(cause)
			}
			if i > 5 {
				<-ctx.Done()
			}
			return nil
		})
		if !errors.Is(err, cause) {
			t.Errorf("%d workers: error %v, want the cause", workers, err)
		}
		if got := int(done.Load()); got > 6+max(workers, 1) {
			t.Errorf("%d workers: %d items were done, want those begun before", workers, got)
		}
		if err := parallel.For(ctx, 3, workers, func(int) error {
			panic("called")
		}); !errors.Is(err, cause) {
			t.Errorf("%d workers, context done before: error %v, want the cause", workers, err)
		}
		ctx, cancel = context.WithCancelCause(context.Background())
		err = parallel.For(ctx, 1, workers, func(int) error { cancel(cause); return nil })
		if err != nil {
			t.Errorf("%d workers, cancelled by the last item: error %v, want none", workers, err)
		}
	}
}

// A panic reaches the caller with its value, its place and its stack, after all
// goroutines have ended; of a panic and an error the smaller item's counts.
func TestForPassesPanicsOn(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, workers := range workerCounts {
		value := errors.New("broken rule")
		func() {
			defer func() {
				p, ok := recover().(*parallel.Panic)
				if !ok || p.Item != 3 || p.Value != value || !errors.Is(p, value) {
					t.Fatalf("%d workers: recovered %+v, want the panic of item 3", workers, p)
				}
				for _, want := range []string{"parallel: item 3: broken rule\n",
					"TestForPassesPanicsOn"} {
					if !strings.Contains(p.Error(), want) {
						t.Errorf("%d workers: %q is not part of %s", workers, want, p.Error())
					}
				}
			}()
			parallel.For(context.Background(), 100, workers, func(i int) error {
				if i == 3 {
					panic(value)
				}
				if i > 3 {
					return errors.New("later")
				}
				return nil
			})
			t.Errorf("%d workers: For returned", workers)
		}()
		err := parallel.For(context.Background(), 100, workers, func(i int) error {
			if i > 3 {
				panic(value)
			}
			if i == 3 {
				return errors.New("earlier")
			}
			return nil
		})
		if err == nil || err.Error() != "earlier" {
			t.Errorf("%d workers: error %v, want that of the earlier item", workers, err)
		}
	}
	checkGoroutines(t, before)
}

// An item that ends its goroutine, as t.FailNow does, ends the loop and not the
// program.
func TestForSurvivesGoexit(t *testing.T) {
	for _, workers := range workerCounts {
		ended := make(chan any)
		go func() {
			defer func() { ended <- recover() }()
			parallel.For(context.Background(), 10, workers, func(i int) error {
				runtime.Goexit()
				return nil
			})
		}()
		<-ended
	}
}

// Every worker makes its memory once, before its first item.
func TestForWithMakesMemoryOncePerWorker(t *testing.T) {
	for _, workers := range workerCounts {
		var made atomic.Int32
		squares := make([]int, 200)
		err := parallel.ForWith(context.Background(), len(squares), workers,
			func() *int { made.Add(1); return new(int) },
			func(s *int, i int) error {
				*s = i // no other worker has it: the race detector looks
				squares[i] = *s * *s
				return nil
			})
		if got := int(made.Load()); err != nil || got < 1 || got > max(workers, 1) {
			t.Errorf("%d workers: %d memories, error %v", workers, got, err)
		}
		for i, got := range squares {
			if got != i*i {
				t.Fatalf("%d workers: item %d is %d, want %d", workers, i, got, i*i)
			}
		}
	}
}

// checkGoroutines waits for goroutines that are about to end, and gives up after
// a time that no loaded machine needs.
func checkGoroutines(t *testing.T, before int) {
	t.Helper()
	for deadline :=
		time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left, were %d", runtime.NumGoroutine(), before)
		}
	}
}

// What a loop costs per item beside the item.
func BenchmarkFor(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			const n = 10_000
			for b.Loop() {
				must.Do(b, parallel.For(context.Background(), n, workers, func(int) error {
					return nil
				}))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/item")
		})
	}
}
