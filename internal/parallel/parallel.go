package parallel

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// For calls do for 0 ≤ i < n, on as many goroutines as workers says, of which the
// caller is one; fewer than 1 worker count as 1. It returns when every call has
// returned and every goroutine has ended.
//
// The first failure ends the loop: no further item is taken up. The result is the
// error of the smallest item that failed. Unless ctx is done, all items before it
// have been done, so that the result does not depend on the number of workers.
//
// The loop looks at ctx before every item. If ctx is done before the last item is
// taken up, and no item has failed, the result is context.Cause(ctx).
//
// If do panics, For panics with a [*Panic] of the smallest such item.
func For(ctx context.Context, n, workers int, do func(i int) error) error {
	return ForWith(ctx, n, workers, func() struct{} {
		return struct{}{}
	}, func(_ struct{}, i int) error { return do(i) })
}

// ForWith is [For] with working memory: every worker calls scratch once, before
// its first item, and hands the value to each of its calls of do. The calls of
// scratch can be concurrent. What do computes for an item must not depend on what
// earlier items left in the value.
func ForWith[S any](ctx context.Context, n, workers int, scratch func() S,
	do func(s S, i int) error) error {
	if n <= 0 {
		return nil
	}
	l := loop{n: n, firstFailed: n, firstPanicked: n}
	work := func() {
		s, have := *new(S), false
		for i := l.take(ctx); i < n; i = l.take(ctx) {
			l.run(i, func() error {
				if !have {
					s, have = scratch(), true
				}
				return do(s, i)
			})
		}
	}
	var group sync.WaitGroup
	for range min(workers, n) - 1 {
		group.Go(work)
	}
	func() {
		defer group.Wait() // even if an item ends this goroutine
		work()
	}()
	switch {
	case l.firstPanicked < l.firstFailed:
		panic(l.panicked)
	case l.err != nil:
		return l.err
	case l.cancelled.Load():
		return context.Cause(ctx)
	}
	return nil
}

// A Panic is the value with which [For] and [ForWith] panic if an item does.
type Panic struct {
	Item  int
	Value any    // of the item's panic
	Stack []byte // of the item's goroutine
}

// Error is the value, and the stack on further lines.
func (p *Panic) Error() string {
	return fmt.Sprintf("parallel: item %d: %v\n\n%s", p.Item, p.Value, p.Stack)
}

// Unwrap is the value if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// A loop is what the workers of a call share.
type loop struct {
	n         int
	next      atomic.Int64
	cancelled atomic.Bool // an item was not taken up because of the context

	mu            sync.Mutex
	firstFailed   int // the smallest item with an error, n: none
	err           error
	firstPanicked int // the smallest item that panicked, n: none
	panicked      *Panic
}

// take is the next item, or n if there is none to take up.
func (l *loop) take(ctx context.Context) int {
	i := int(l.next.Add(1)) - 1
	if i >= l.n {
		return l.n
	}
	if ctx.Err() != nil {
		l.cancelled.Store(true)
		l.stop()
		return l.n
	}
	return i
}

// stop lets no further item be taken up.
func (l *loop) stop() { l.next.Store(int64(l.n)) }

// run calls do and keeps its failure.
func (l *loop) run(i int, do func() error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		p := &Panic{Item: i, Value: recover(), Stack: debug.Stack()}
		if p.Value == nil {
			p.Value = "the goroutine was ended by runtime.Goexit"
		}
		l.stop()
		l.mu.Lock()
		defer l.mu.Unlock()
		if i < l.firstPanicked {
			l.firstPanicked, l.panicked = i, p
		}
	}()
	err := do()
	returned = true
	if err == nil {
		return
	}
	l.stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	if i < l.firstFailed {
		l.firstFailed, l.err = i, err
	}
}
