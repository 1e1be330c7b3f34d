package beam

import (
	"context"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"tobac/beam/internal/hub"
)

func init() {
	register.DoFn3x0[context.Context, []byte, func(int)](&allNumbers{})
	register.Emitter1[int]()
	register.DoFn3x1[context.Context, int, func(int), error](&doJobs{})
}

// allNumbers makes the elements of the pipeline.
type allNumbers struct{ N int }

// ProcessElement emits 0, …, N-1.
func (a *allNumbers) ProcessElement(_ context.Context, _ []byte, emit func(int)) {
	for i := range a.N {
		emit(i)
	}
}

// doJobs does the jobs whose numbers are its elements, and then others.
type doJobs struct {
	Address, Secret string // of the hub
	Workers         int

	group *hub.Group // of the bundle
}

// StartBundle connects this process, if it is not yet.
func (d *doJobs) StartBundle(ctx context.Context, _ func(int)) error {
	w, err := connected(ctx, d)
	if err != nil {
		return err
	}
	d.group = w.Group()
	return nil
}

// ProcessElement begins a job; the process does several at a time. Nothing is
// emitted, see Engine.pipeline.
func (d *doJobs) ProcessElement(_ context.Context, number int, _ func(int)) error {
	_, err := d.group.Do(number)
	return err
}

// FinishBundle waits for the jobs of the bundle, and does those of others that have
// not begun: a runner deals elements by number, not by how long they take.
func (d *doJobs) FinishBundle(context.Context, func(int)) error { return d.group.Rest() }

// workers are the connections of this process, by secret. All bundles of a run that a
// process has share one, and with it the number of jobs at a time.
var workers struct {
	mu  sync.Mutex
	all map[string]*hub.Worker
}

func connected(ctx context.Context, d *doJobs) (*hub.Worker, error) {
	workers.mu.Lock()
	defer workers.mu.Unlock()
	if w, ok := workers.all[d.Secret]; ok && w.Err() == nil {
		return w, nil
	}
	w, err := hub.Connect(ctx, d.Address, d.Secret, functions, d.Workers)
	if err != nil {
		return nil, err
	}
	if workers.all == nil {
		workers.all = map[string]*hub.Worker{}
	}
	workers.all[d.Secret] = w
	return w, nil
}

// forget ends the connection that this process has to a hub of its own.
func forget(secret string) {
	workers.mu.Lock()
	w, ok := workers.all[secret]
	delete(workers.all, secret)
	workers.mu.Unlock()
	if ok {
		w.Close()
	}
}
