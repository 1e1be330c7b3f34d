package jobs

import (
	"context"
	"errors"
	"fmt"
)

// shared are functions that share the jobs of the folder with other processes: a job
// is claimed before it is done, and its output kept before the claim is given back.
func (r *run) shared(f Functions) Functions {
	all := Functions{}
	for kind := range f {
		all[kind] = func(ctx context.Context, j Job) ([]byte, error) {
			r.mu.Lock()
			id := r.hasher.id(j)
			r.mu.Unlock()
			if r.folder != nil {
				if err := r.claim(id); err != nil {
					return nil, err
				}
				if r.lookUp(id) { // since the list was begun
					return r.settle(id), nil
				}
			}
			r.update(func(s *Status) { s.Running++ })
			defer r.update(func(s *Status) { s.Running-- })
			output, m, err := f.DoMeasured(ctx, j)
			if err == nil && r.folder != nil {
				r.keep(id, output, m)
			}
			return output, err
		}
	}
	return all
}

// settle notes that the output of a job is in the folder, and returns it.
func (r *run) settle(id string) []byte {
	r.claims.finish(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settled[id] = true
	return r.outputs[id]
}

// claim claims a job. Where that cannot be done, it is done without: twice, at worst.
func (r *run) claim(id string) error {
	won, holder, err := r.claims.take(id)
	switch {
	case err != nil:
		r.mu.Lock()
		warned := r.unclaimed
		r.unclaimed = true
		r.mu.Unlock()
		if !warned {
			r.update(func(s *Status) {
				s.Warning = fmt.Sprintf("%v: jobs cannot be claimed, so that another process on this folder may do the same", err)
			})
		}
	case !won:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.elsewhere[id] = holder.Token
		return errElsewhere
	}
	return nil
}

// keep keeps an output. One that cannot be kept stays claimed until the end, so that
// others do not try the same at once.
func (r *run) keep(id string, output []byte, m Measured) {
	err := r.folder.KeepMeasured(id, output, m)
	if err == nil {
		r.claims.finish(id)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settled[id] = true
	if err != nil {
		r.status.NotKept++
		if r.notKept == nil {
			r.notKept = err
			r.status.Warning = fmt.Sprintf("%v: the output is returned, but not kept", err)
		}
	}
}

// ended takes the end of a job.
func (r *run) ended(id, kind string, output []byte, err error) {
	if errors.Is(err, errElsewhere) {
		r.update(func(*Status) {})
		return
	}
	r.mu.Lock()
	settled := r.settled[id]
	r.mu.Unlock()
	switch {
	case r.folder == nil:
	case err != nil:
		r.claims.fail(id, kind, err)
	case !settled:
		r.keep(id, output, Measured{})
	}
	r.update(func(s *Status) {
		if err != nil {
			r.failures[id] = err
			s.Failed++
			return
		}
		if _, found := r.outputs[id]; !found {
			r.outputs[id] = output
			s.Done++
		}
	})
}
