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
	Found   int // that the folder had
	Done    int // by this process
	Running int // in this process
	Failed  int
	NotKept int // done, but their output could not be written to the folder
	// Warning is what happened, as a sentence for a reader that names the file, such as
	// an output that is damaged and done again; "" means nothing.
	Warning string
}

// Left is the number of jobs that have not ended.
func (s Status) Left() int { return s.Jobs - s.Found - s.Done - s.Failed }

// Do returns the outputs of all jobs, in the sequence of the list: those that the
// folder has, the others from the engine, kept as they end. A damaged one is named by
// progress and done again. Several processes may use one folder at a time: each looks for
// an output before it does a job, and two that do the same job keep the same bits.
//
// progress, nil for none, is called whenever the status changes, from one goroutine at a time.
//
// Failed jobs do not stop the others; their outputs are nil, and the error is a
// [*FailedError] that names them. Where outputs could not be kept, all are returned
// beside a [*NotKeptError]. When ctx is done, what has ended is returned beside an error that
// wraps its cause. A nil folder keeps nothing.
//
// An engine that calls the functions it is given in this process has its jobs kept where they end,
// and measured. One that does not gets all jobs without an output, and Do keeps what it hands over.
func Do(ctx context.Context, e Engine, folder *Folder, f Functions, list []Job,
	progress func(Status)) ([][]byte, error) {
	r := newRun(folder, list, progress)
	r.find()
	err := r.advance(ctx, e, f)
	outputs := make([][]byte, len(list))
	for i, id := range r.ids {
		outputs[i] = r.outputs[id]
	}
	return outputs, together(err, r.failure())
}

// Await returns the outputs of all jobs as soon as others have done them, and looks for them that
// often. A damaged output is an error, and so is the end of ctx.
func (f *Folder) Await(ctx context.Context, list []Job, every time.Duration) ([][]byte, error) {
	outputs, ids := make([][]byte, len(list)), IDs(list)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for k := 0; k < len(list); {
		output, ok, err := f.Output(ids[k])
		switch {
		case err != nil:
			return nil, err
		case ok:
			outputs[k] = output
			k++
			continue
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-tick.C:
		}
	}
	return outputs, nil
}

// A run is the doing of a list.
type run struct {
	folder *Folder // nil means none
	list   []Job
	ids    []string
	first  map[string]int // index of the first job with an ID

	mu       sync.Mutex
	hasher   hasher
	status   Status
	report   func(Status)
	outputs  map[string][]byte
	failures map[string]error
	settled  map[string]bool // kept or found where it was computed
	damaged  map[string]bool // whose file was named in a warning
	notKept  error           // the first
}

func newRun(folder *Folder, list []Job, progress func(Status)) *run {
	r := &run{folder: folder, list: list, hasher: newHasher(), first: map[string]int{},
		report:  progress,
		outputs: map[string][]byte{}, failures: map[string]error{}, settled: map[string]bool{},
		damaged: map[string]bool{}}
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
		r.update(func(s *Status) {
			s.Warning = fmt.Sprintf("%v; its job%s is done again", err, name)
		})
	}
	return ok
}

// advance lets the engine do what the folder does not have.
func (r *run) advance(ctx context.Context, e Engine, f Functions) error {
	if remote, ok := e.(Remote); ok {
		f = remote.StandIns(f)
	}
	var list []Job
	var ids []string
	for i, id := range r.ids {
		if _, done := r.outputs[id]; r.first[id] == i && !done {
			list, ids = append(list, r.list[i]), append(ids, id)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return e.Run(ctx, r.keeping(f), list, func(i int, output []byte, err error) {
		r.ended(ids[i], output, err)
	})
}

// keeping are functions that look for an output before they do a job, and keep what they make.
func (r *run) keeping(f Functions) Functions {
	all := Functions{}
	for kind := range f {
		all[kind] = func(ctx context.Context, j Job) ([]byte, error) {
			r.mu.Lock()
			id := r.hasher.id(j)
			r.mu.Unlock()
			if r.folder != nil && r.lookUp(id) { // since the list was begun
				r.mu.Lock()
				defer r.mu.Unlock()
				r.settled[id] = true
				return r.outputs[id], nil
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

// keep keeps an output.
func (r *run) keep(id string, output []byte, m Measured) {
	err := r.folder.KeepMeasured(id, output, m)
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
func (r *run) ended(id string, output []byte, err error) {
	r.mu.Lock()
	settled := r.settled[id]
	r.mu.Unlock()
	if err == nil && r.folder != nil && !settled {
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

// failure is the error of what failed; nil means nothing did.
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
