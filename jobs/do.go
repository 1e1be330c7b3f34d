package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// A Status says how far a list of jobs is. Jobs that are in a list twice count once.
type Status struct {
	Jobs    int // of the list
	Found   int // that the folder had, or another process did
	Done    int // by this process
	Running int // in this process
	Waiting int // that other processes do
	Failed  int
	NotKept int // done, but their output could not be written to the folder
	// Warning is what happened, as a sentence for a reader that names the file, such as
	// an output that is damaged and done again; "": nothing.
	Warning string
}

// Left is the number of jobs that have not ended.
func (s Status) Left() int { return s.Jobs - s.Found - s.Done - s.Failed }

// Do returns the outputs of all jobs, in the sequence of the list: those that the
// folder has, the others from the engine, kept as they end. A damaged one is named by
// progress and done again. Several processes may do lists with the same jobs in one
// folder at a time: a job that another one does is left to it while it lives, and
// its output waited for.
//
// progress, nil for none, is called whenever the status changes, from one goroutine at a time.
//
// Failed jobs do not stop the others; their outputs are nil, and the error is a
// [*FailedError] that names them. Where outputs could not be kept, all are returned
// beside a [*NotKeptError]. When ctx is done, what has ended is returned beside an error that
// wraps its cause. A nil folder keeps nothing.
func Do(ctx context.Context, e Engine, folder *Folder, f Functions, list []Job, progress func(Status)) ([][]byte, error) {
	r := newRun(folder, list, progress)
	r.find()
	err := r.engine(ctx, e, f)
	outputs := make([][]byte, len(list))
	for i, id := range r.ids {
		outputs[i] = r.outputs[id]
	}
	return outputs, errors.Join(err, r.failure())
}

// A run is the doing of a list.
type run struct {
	folder *Folder
	list   []Job
	ids    []string
	first  map[string]int // index of the first job with an ID

	mu       sync.Mutex
	status   Status
	report   func(Status)
	outputs  map[string][]byte
	failures map[string]error
	notKept  error // the first
}

func newRun(folder *Folder, list []Job, progress func(Status)) *run {
	r := &run{folder: folder, list: list, ids: newHasher().ids(list), first: map[string]int{}, report: progress, outputs: map[string][]byte{}, failures: map[string]error{}}
	for i, id := range r.ids {
		if _, ok := r.first[id]; !ok {
			r.first[id] = i
		}
	}
	r.status.Jobs = len(r.first)
	return r
}

// update changes the status, and reports it.
func (r *run) update(change func(s *Status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.status)
	if r.report != nil {
		r.report(r.status)
	}
	r.status.Warning = ""
}

// find takes the outputs that the folder has.
func (r *run) find() {
	if r.folder != nil {
		for i, id := range r.ids {
			if r.first[id] == i {
				r.lookUp(id)
			}
		}
	}
	r.update(func(*Status) {})
}

// lookUp takes one output, if the folder has it.
func (r *run) lookUp(id string) bool {
	output, ok, err := r.folder.Output(id)
	switch {
	case err != nil:
		r.update(func(s *Status) { s.Warning = fmt.Sprintf("%v; its job is done again", err) })
	case ok:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.outputs[id] = output
		r.status.Found++
	}
	return ok
}

// pending are the jobs without an output that have not failed.
func (r *run) pending() (list []Job, ids []string) {
	for i, id := range r.ids {
		_, done := r.outputs[id]
		_, failed := r.failures[id]
		if r.first[id] == i && !done && !failed {
			list, ids = append(list, r.list[i]), append(ids, id)
		}
	}
	return list, ids
}

// engine lets the engine do what is pending.
func (r *run) engine(ctx context.Context, e Engine, f Functions) error {
	list, ids := r.pending()
	if len(list) == 0 {
		return nil
	}
	if remote, ok := e.(Remote); ok {
		f = remote.StandIns(f)
	}
	return e.Run(ctx, r.observed(f), list, func(i int, output []byte, err error) { r.ended(ids[i], output, err) })
}

// observed are functions that count what runs.
func (r *run) observed(f Functions) Functions {
	all := Functions{}
	for kind := range f {
		all[kind] = func(ctx context.Context, j Job) ([]byte, error) {
			r.update(func(s *Status) { s.Running++ })
			defer r.update(func(s *Status) { s.Running-- })
			return f.Do(ctx, j)
		}
	}
	return all
}

// ended takes the end of a job.
func (r *run) ended(id string, output []byte, err error) {
	var notKept error
	if err == nil && r.folder != nil {
		notKept = r.folder.Keep(id, output)
	}
	r.update(func(s *Status) {
		switch {
		case err != nil:
			r.failures[id] = err
			s.Failed++
			return
		case notKept != nil:
			s.NotKept++
			if r.notKept == nil {
				r.notKept = notKept
			}
		}
		r.outputs[id] = output
		s.Done++
	})
}

// failure is the error of what failed; nil: nothing did.
func (r *run) failure() error {
	var all []error
	if len(r.failures) > 0 {
		e := &FailedError{Jobs: len(r.first)}
		for i, id := range r.ids {
			if err, ok := r.failures[id]; ok && r.first[id] == i {
				e.Failures = append(e.Failures, Failure{Index: i, ID: id, Job: r.list[i], Err: err})
			}
		}
		all = append(all, e)
	}
	if r.notKept != nil {
		all = append(all, &NotKeptError{Dir: r.folder.dir, Count: r.status.NotKept, Err: r.notKept})
	}
	return errors.Join(all...)
}
