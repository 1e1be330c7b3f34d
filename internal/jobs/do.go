package jobs

import (
	"context"
	"fmt"
	"sync"
	"time"
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
//
// An engine that calls the functions it is given in this process has its jobs claimed one by one, kept where
// they end, and measured. One that does not gets all jobs without an output, and Do keeps what it hands over.
func Do(ctx context.Context, e Engine, folder *Folder, f Functions, list []Job, progress func(Status)) ([][]byte, error) {
	r := newRun(folder, list, progress)
	if folder != nil {
		r.claims = newClaims(folder)
		defer r.claims.end()
	}
	r.find()
	err := r.advance(ctx, e, f)
	outputs := make([][]byte, len(list))
	for i, id := range r.ids {
		outputs[i] = r.outputs[id]
	}
	return outputs, together(err, r.failure())
}

// A run is the doing of a list.
type run struct {
	folder *Folder // nil: none
	claims *claims // nil: no folder
	list   []Job
	ids    []string
	first  map[string]int // index of the first job with an ID

	mu        sync.Mutex
	hasher    hasher
	status    Status
	report    func(Status)
	outputs   map[string][]byte
	failures  map[string]error
	elsewhere map[string]string // the token of the other process that does a job
	settled   map[string]bool   // kept or found where it was computed
	damaged   map[string]bool   // whose file was named in a warning
	notKept   error             // the first
	unclaimed bool              // a warning said that claims cannot be made
}

func newRun(folder *Folder, list []Job, progress func(Status)) *run {
	r := &run{folder: folder, list: list, hasher: newHasher(), first: map[string]int{}, report: progress,
		outputs: map[string][]byte{}, failures: map[string]error{}, elsewhere: map[string]string{}, settled: map[string]bool{}, damaged: map[string]bool{}}
	r.ids = r.hasher.ids(list)
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
	r.status.Waiting = len(r.elsewhere)
	if r.report != nil {
		r.report(r.status)
	}
	r.status.Warning = ""
}

// find takes the outputs that the folder has.
func (r *run) find() {
	if r.folder != nil {
		for i, id := range r.ids {
			if r.first[id] == i && r.lookUp(id) {
				r.claims.finish(id) // of a process that was killed before it could
			}
		}
	}
	r.update(func(*Status) {})
}

// lookUp takes one output, if the folder has it.
func (r *run) lookUp(id string) bool {
	output, ok, err := r.folder.Output(id)
	r.mu.Lock()
	named := r.damaged[id]
	if ok {
		r.outputs[id] = output
		r.status.Found++
	}
	r.damaged[id] = err != nil
	r.mu.Unlock()
	if err != nil && !named {
		name := r.list[r.first[id]].Name
		if name != "" {
			name = ", " + name + ","
		}
		r.update(func(s *Status) { s.Warning = fmt.Sprintf("%v; its job%s is done again", err, name) })
	}
	return ok
}

// Times between two looks at what other processes do.
const (
	firstLook = 50 * time.Millisecond
	lastLook  = time.Second
)

// advance lets the engine do what is pending, and waits for what other processes do,
// until every job has ended.
func (r *run) advance(ctx context.Context, e Engine, f Functions) error {
	if remote, ok := e.(Remote); ok {
		f = remote.StandIns(f)
	}
	pause := firstLook
	for {
		list, ids := r.pending()
		if len(list) > 0 {
			pause = firstLook
			if err := e.Run(ctx, r.shared(f), list, func(i int, output []byte, err error) { r.ended(ids[i], list[i].Kind, output, err) }); err != nil {
				return err
			}
		}
		if len(r.elsewhere) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
		pause = min(2*pause, lastLook)
		r.look()
	}
}

// pending are the jobs that have not ended and that no other process does.
func (r *run) pending() (list []Job, ids []string) {
	for i, id := range r.ids {
		_, done := r.outputs[id]
		_, failed := r.failures[id]
		_, elsewhere := r.elsewhere[id]
		if r.first[id] == i && !done && !failed && !elsewhere {
			list, ids = append(list, r.list[i]), append(ids, id)
		}
	}
	return list, ids
}

// look finds out what has become of the jobs of other processes.
func (r *run) look() {
	for id, token := range r.elsewhere {
		failure := r.claims.failed(id, token)
		free := r.claims.free(id) // before the output is looked for, which is kept before the claim goes
		found := r.lookUp(id)
		switch {
		case found:
			r.claims.finish(id)
		case failure == nil && !free:
			continue
		}
		r.update(func(s *Status) {
			delete(r.elsewhere, id)
			if !found && failure != nil {
				r.failures[id] = failure
				s.Failed++
			}
		})
	}
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
	return together(all...)
}
