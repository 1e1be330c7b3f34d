package pool

import "sync"

// A Pool is a number of workers, of which the caller is one. It must not be used
// concurrently, nor copied.
type Pool struct {
	wake []chan struct{} // of the workers but for the caller
	part func(worker int)
	done sync.WaitGroup
}

// New starts workers−1 goroutines, which Close ends.
func New(workers int) *Pool {
	p := &Pool{}
	for i := 1; i < workers; i++ {
		wake := make(chan struct{}, 1)
		p.wake = append(p.wake, wake)
		go func() {
			for range wake {
				p.part(i)
				p.done.Done()
			}
		}()
	}
	return p
}

// Workers is the number of workers, at least 1.
func (p *Pool) Workers() int { return len(p.wake) + 1 }

// Run calls part once for each worker, numbered from 0, at the same time, and returns
// when all calls have. The caller is worker 0.
func (p *Pool) Run(part func(worker int)) {
	p.part = part
	p.done.Add(len(p.wake))
	for _, w := range p.wake {
		w <- struct{}{}
	}
	part(0)
	p.done.Wait()
	p.part = nil
}

// Close ends the goroutines: the caller is the only worker left.
func (p *Pool) Close() {
	for _, w := range p.wake {
		close(w)
	}
	p.wake = nil
}
