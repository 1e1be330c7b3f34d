package evidence

import (
	"context"
	"slices"
)

// A request is for points of one task.
type request struct {
	task   int
	points []*point
	reply  chan error
}

// An asker fills in points. It fails if evaluation fails or the context is done.
type asker func(points []*point) error

// together runs tasks, and evaluates what all of them wait for at once, in the sequence of the
// tasks: each task reads as if it were alone, and no result depends on which goroutine comes first.
// Tasks about different variables share evaluations, and up to window of them run at the same time.
// It returns the first error of a task, by number.
func (p *program) together(ctx context.Context, variables int, tasks []func(asker) error) error {
	window := 2 * batch * variables
	requests, finished := make(chan request), make(chan struct{})
	failed := make([]error, len(tasks))
	next, live := 0, 0
	start := func() {
		for ; live < window && next < len(tasks); next++ {
			live++
			go func(k int) {
				defer func() { finished <- struct{}{} }()
				reply := make(chan error)
				failed[k] = tasks[k](func(points []*point) error {
					requests <- request{k, points, reply}
					return <-reply
				})
			}(next)
		}
	}
	var waiting []request
	for start(); live > 0; start() {
		if len(waiting) < live {
			select {
			case r := <-requests:
				waiting = append(waiting, r)
			case <-finished:
				live--
			}
			continue
		}
		slices.SortFunc(waiting, func(a, b request) int { return a.task - b.task })
		var all []*point
		for _, r := range waiting {
			all = append(all, r.points...)
		}
		err := context.Cause(ctx)
		if err == nil {
			if err = p.eval(all); err == nil {
				err = context.Cause(ctx)
			}
		}
		if err != nil {
			next = len(tasks)
		}
		for _, r := range waiting {
			r.reply <- err
		}
		waiting = waiting[:0]
	}
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}
