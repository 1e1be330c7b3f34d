package hub

import (
	"context"
	"errors"

	"tobac/internal/jobs"
)

// An attempt is a job that a worker does. In the process of the hub it is a call of
// the stand-in of its function, in whatever the caller of the engine has wrapped that into.
type attempt struct {
	number int
	begun  chan struct{} // closed when the stand-in is reached: a worker may have the job
	result chan Delivery // what the worker made of it; the first one counts
	over   chan struct{} // closed when done has been called, if it is called
}

type attemptKey struct{}

// StandIns are functions that, called by a hub, wait for what a worker delivers.
func StandIns(f jobs.Functions) jobs.Functions {
	all := jobs.Functions{}
	for kind := range f {
		all[kind] = standIn
	}
	return all
}

func standIn(ctx context.Context, _ jobs.Job) ([]byte, error) {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok {
		return nil, errors.New("a stand-in was called outside of its engine")
	}
	close(a.begun)
	select {
	case d := <-a.result:
		if d.Failure != "" {
			return nil, errors.New(d.Failure)
		}
		jobs.Record(ctx, d.Measured)
		return append([]byte{}, d.Output...), nil // an output without bytes is one, nil is none
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (a *attempt) hasBegun() bool {
	select {
	case <-a.begun:
		return true
	default:
		return false
	}
}

// begin calls the function of a job, and reports whether a worker may do it. It may not where what
// is wrapped around the stand-in settles the matter: another process does the job, or has done it.
func (h *Hub) begin(a *attempt) bool {
	j := h.list[a.number].job
	h.goroutine.Go(func() {
		defer close(a.over)
		output, err := h.functions.Do(context.WithValue(h.ctx, attemptKey{}, a), j)
		h.finish(a, output, err)
	})
	select {
	case <-a.begun:
		return true
	case <-a.over:
		return false
	}
}

// deliver hands the end of an attempt to the stand-in; one that comes after another
// counts for nothing.
func (a *attempt) deliver(d Delivery) {
	select {
	case a.result <- d:
	default:
	}
}
