package hub

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/rpc"
	"os"
	"runtime"
	"sync"
	"time"

	"tobac/internal/jobs"
)

// patience is how long a worker tries to reach a hub that does not answer.
const patience = time.Minute

// errEnded is why functions are cancelled when the run ends.
var errEnded = errors.New("the run has ended")

// A Worker does jobs of a hub, several at a time. It is safe for concurrent use.
type Worker struct {
	address, secret string
	functions       jobs.Functions
	slots           chan struct{}
	goroutine       sync.WaitGroup
	ctx             context.Context // of the functions; its cause says why there is no hub any more
	cancel          context.CancelCauseFunc

	mu     sync.Mutex
	client *rpc.Client                       // nil means lost, and being dialled again
	found  *sync.Cond                        // client or ctx has changed
	data   map[string]func() ([]byte, error) // by digest
}

// Connect reaches a hub. The worker does up to so many jobs at a time, 0:
// [runtime.GOMAXPROCS]. The caller must Close it. A worker whose results would differ in bits
// is refused.
func Connect(ctx context.Context, address, secret string, f jobs.Functions, slots int) (*Worker,
	error) {
	if slots == 0 {
		slots = runtime.GOMAXPROCS(0)
	}
	w := &Worker{address: address, secret: secret, functions: f, slots: make(chan struct{}, slots),
		data: map[string]func() ([]byte, error){}}
	w.found = sync.NewCond(&w.mu)
	w.ctx, w.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	client, err := w.dial(ctx)
	if err != nil {
		w.cancel(err)
		return nil, err
	}
	w.client = client
	w.goroutine.Go(w.keep)
	return w, nil
}

// Err is why the worker has no hub any more; nil means it has one.
func (w *Worker) Err() error { return context.Cause(w.ctx) }

// Close cancels what runs and waits for it.
func (w *Worker) Close() {
	w.end(errEnded)
	w.goroutine.Wait()
}

// end makes every call fail.
func (w *Worker) end(cause error) {
	w.cancel(cause)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.client != nil {
		w.client.Close()
	}
	w.found.Broadcast()
}

// dial connects and introduces the worker.
func (w *Worker) dial(ctx context.Context) (*rpc.Client, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", w.address)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Write([]byte(w.secret)); err != nil {
		conn.Close()
		return nil, err
	}
	client := rpc.NewClient(conn)
	host, err := os.Hostname()
	if err != nil {
		host = conn.LocalAddr().String()
	}
	hello := Hello{Program: jobs.Program(), Name: fmt.Sprintf("%s, process %d", host, os.Getpid())}
	if err := client.Call("Hub.Hello", hello, &Nothing{}); err != nil {
		client.Close()
		return nil, err
	}
	return client, nil
}

// keep waits for the end of the run, and connects again when the connection is lost.
func (w *Worker) keep() {
	for w.ctx.Err() == nil {
		w.mu.Lock()
		client := w.client
		w.mu.Unlock()
		if client.Call("Hub.Watch", Nothing{}, &Nothing{}) == nil {
			w.end(errEnded)
			return
		}
		w.mu.Lock()
		w.client = nil
		w.mu.Unlock()
		client.Close()
		if client = w.redial(); client == nil {
			return
		}
		w.mu.Lock()
		w.client = client
		w.found.Broadcast()
		w.mu.Unlock()
	}
}

// redial tries for a while; nil means the worker has ended.
func (w *Worker) redial() *rpc.Client {
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	wait := 100 * time.Millisecond
	for {
		client, err := w.dial(ctx)
		if err == nil {
			return client
		}
		select {
		case <-ctx.Done():
			w.end(fmt.Errorf("the program that gave out the jobs, at %s, has not answered for "+
				"%v: %w", w.address, patience, err))
			return nil
		case <-time.After(wait):
			wait = min(2*wait, 5*time.Second)
		}
	}
}

// call calls the hub, over a new connection where the old one is lost.
func (w *Worker) call(method string, args, reply any) error {
	for {
		w.mu.Lock()
		for w.client == nil && w.ctx.Err() == nil {
			w.found.Wait()
		}
		client := w.client
		w.mu.Unlock()
		if w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		err := client.Call(method, args, reply)
		var said rpc.ServerError
		if err == nil || errors.As(err, &said) {
			return err
		}
		w.mu.Lock()
		for w.client == client && w.ctx.Err() == nil {
			w.found.Wait() // until keep has seen it too
		}
		w.mu.Unlock()
	}
}

// A Group is a number of jobs that somebody waits for.
type Group struct {
	worker  *Worker
	running sync.WaitGroup
	mu      sync.Mutex
	err     error
}

// Group begins one.
func (w *Worker) Group() *Group { return &Group{worker: w} }

// Do claims a job, or with Any the next that no worker has, and does it in the
// background; it waits until the worker has room for it. some is false where another has the job.
func (g *Group) Do(number int) (some bool, err error) {
	w := g.worker
	select {
	case w.slots <- struct{}{}:
	case <-w.ctx.Done():
		return false, w.lost(nil)
	}
	var a Assignment
	if err := w.call("Hub.Claim", number, &a); err != nil || !a.Some {
		<-w.slots
		return false, w.lost(err)
	}
	g.running.Go(func() {
		defer func() { <-w.slots }()
		if err := w.do(a); err != nil {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.err = err
		}
	})
	return true, nil
}

// Rest does whatever waits, and returns when all jobs of the group have ended. An error means
// that the hub is gone; a job that fails is none.
func (g *Group) Rest() error {
	some, err := true, error(nil)
	for some && err == nil {
		some, err = g.Do(Any)
	}
	w := g.worker
	g.running.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	return errors.Join(err, w.lost(g.err))
}

// lost is why something could not be said to the hub: nil where the run has ended.
func (w *Worker) lost(err error) error {
	if w.ctx.Err() != nil {
		err = context.Cause(w.ctx)
	}
	if errors.Is(err, errEnded) {
		return nil
	}
	return err
}

// do does a job and delivers what came of it.
func (w *Worker) do(a Assignment) error {
	d := Delivery{Number: a.Number, ID: a.ID}
	j, err := w.job(a)
	if err == nil {
		d.Output, d.Measured, err = w.functions.DoMeasured(w.ctx, j)
	}
	if err != nil {
		d.Output, d.Failure = nil, err.Error()
	}
	return w.call("Hub.Deliver", d, &Nothing{})
}

// job is what an assignment stands for, with the data that this process has or
// fetches.
func (w *Worker) job(a Assignment) (jobs.Job, error) {
	j := jobs.Job{Kind: a.Kind, Input: a.Input}
	for _, digest := range a.Data {
		w.mu.Lock()
		fetch, ok := w.data[digest]
		if !ok {
			fetch = sync.OnceValues(func() (data []byte, err error) {
				err = w.call("Hub.Data", digest, &data)
				return data, err
			})
			w.data[digest] = fetch
		}
		w.mu.Unlock()
		data, err := fetch()
		if err != nil {
			return j, err
		}
		j.Data = append(j.Data, data)
	}
	if id := j.ID(); id != a.ID {
		return j, fmt.Errorf("the job that arrived is %.12s, not %.12s: it was damaged on the way",
			id, a.ID)
	}
	return j, nil
}
