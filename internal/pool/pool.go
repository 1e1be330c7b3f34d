package pool

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"tobac/internal/parallel"
)

// A goroutine that waits looks so many times, yields, and after so many spins, about a quarter of a
// millisecond, sleeps. To wake a sleeping one takes almost as long as the shorter computations
// between which workers wait. Yielding takes a lock of the scheduler: with 16 workers that did so
// all the time, 80 % of a step was spent at it.
const spins, looks = 125, 1000

// A Pool is a number of workers, of which the caller is one. It must not be used
// concurrently, nor copied.
type Pool struct {
	workers []*worker // but for the caller
	part    func(worker int)
	pending atomic.Int32 // workers at work
	failed  atomic.Pointer[parallel.Panic]
	caller  waiter // waits until there are none
}

type worker struct {
	waiter
	calls  atomic.Uint32 // there have been
	closed bool
}

// New starts workers−1 goroutines, which Close ends.
func New(workers int) *Pool {
	spins := spins
	if workers > runtime.GOMAXPROCS(0) {
		spins = 0 // those that wait would be in the way of those that work
	}
	p := &Pool{caller: newWaiter(spins)}
	for i := 1; i < workers; i++ {
		w := &worker{waiter: newWaiter(spins)}
		p.workers = append(p.workers, w)
		go func() {
			for call := uint32(1); ; call++ {
				w.wait(func() bool { return w.calls.Load() == call })
				if w.closed {
					return
				}
				p.guarded(i)
				if p.pending.Add(-1) == 0 {
					p.caller.wake()
				}
			}
		}()
	}
	return p
}

// Workers is the number of workers, at least 1.
func (p *Pool) Workers() int { return len(p.workers) + 1 }

// Run calls part once for each of some workers, numbered from 0, at the same time, and returns when
// all calls have. The caller is worker 0; at least 1 and at most all workers are called. If calls
// panic it panics when all have returned, with the [parallel.Panic] of the first.
func (p *Pool) Run(workers int, part func(worker int)) {
	workers = max(min(workers, p.Workers()), 1)
	p.part = part
	p.pending.Store(int32(workers - 1))
	p.call(workers)
	p.guarded(0)
	p.caller.wait(func() bool { return p.pending.Load() == 0 })
	p.part = nil
	if failed := p.failed.Swap(nil); failed != nil {
		panic(failed)
	}
}

// guarded is a worker's part. A panic is kept for the caller: in another goroutine it would end the
// program, whatever the caller recovers from, and in the caller's it would leave the others at
// work.
func (p *Pool) guarded(worker int) {
	defer func() {
		if value := recover(); value != nil {
			p.failed.CompareAndSwap(nil,
				&parallel.Panic{Item: worker, Value: value, Stack: debug.Stack()})
		}
	}()
	p.part(worker)
}

// Close ends the goroutines: the caller is the only worker left.
func (p *Pool) Close() {
	for _, w := range p.workers {
		w.closed = true
	}
	p.call(p.Workers())
	p.workers = nil
}

// call begins a call of some workers, of which the caller is one.
func (p *Pool) call(workers int) {
	for _, w := range p.workers[:workers-1] {
		w.calls.Add(1)
		w.wake()
	}
}

// A waiter is where one goroutine waits for others.
type waiter struct {
	spins  int
	asleep atomic.Bool
	alarm  chan struct{}
}

func newWaiter(spins int) waiter { return waiter{spins: spins, alarm: make(chan struct{}, 1)} }

// wait returns when ready says so. Whoever makes it ready calls wake after that.
func (w *waiter) wait(ready func() bool) {
	for range w.spins {
		for range looks {
			if ready() {
				return
			}
		}
		runtime.Gosched()
	}
	for {
		w.asleep.Store(true)
		if ready() && w.asleep.CompareAndSwap(true, false) {
			return
		}
		<-w.alarm
	}
}

// wake lets the waiter look again if it sleeps.
func (w *waiter) wake() {
	if w.asleep.CompareAndSwap(true, false) {
		w.alarm <- struct{}{}
	}
}
