package hub_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tobac/beam/internal/hub"
	"tobac/internal/jobs"
	"tobac/internal/must"
)

func list(n int) []jobs.Job {
	all := make([]jobs.Job, n)
	for i := range all {
		all[i] = jobs.Job{Kind: "twice", Input: []byte{byte(i)}, Data: [][]byte{[]byte("table")}}
	}
	return all
}

func twice(_ context.Context, j jobs.Job) ([]byte, error) {
	return []byte(fmt.Sprint(2*int(j.Input[0]), string(j.Data[0]))), nil
}

// An end is what done was called with.
type end struct {
	output string
	err    error
}

// open makes a hub, and returns what its jobs ended with.
func open(t *testing.T, n, attempts int) (*hub.Hub, func() map[int]end) {
	t.Helper()
	var mu sync.Mutex
	ends := map[int]end{}
	f := hub.StandIns(jobs.Functions{"twice": twice})
	h, err := hub.New("127.0.0.1:0", f, list(n), attempts, func(i int, output []byte, err error) {
		mu.Lock()
		defer mu.Unlock()
		if _, there := ends[i]; there {
			t.Errorf("job %d ended twice", i)
		}
		ends[i] = end{string(output), err}
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h, func() map[int]end {
		mu.Lock()
		defer mu.Unlock()
		return ends
	}
}

func connect(t *testing.T, h *hub.Hub, f jobs.Functions, slots int) *hub.Worker {
	t.Helper()
	w := must.Get(hub.Connect(t.Context(), h.Address().String(), h.Secret(), f, slots))(t)
	t.Cleanup(w.Close)
	return w
}

// Workers that were dealt different jobs, or the same, do each once.
func TestEachJobOnce(t *testing.T) {
	const n = 60
	h, ends := open(t, n, 0)
	var calls atomic.Int64
	f := jobs.Functions{"twice": func(ctx context.Context, j jobs.Job) ([]byte, error) {
		calls.Add(1)
		return twice(ctx, j)
	}}
	var all sync.WaitGroup
	for k := range 3 {
		g := connect(t, h, f, 2).Group()
		all.Go(func() {
			for i := k; i < n/2; i++ {
				if _, err := g.Do(i); err != nil {
					t.Error(err)
				}
			}
			if err := g.Rest(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got := ends()
	for i, j := range list(n) {
		want := must.Get(twice(t.Context(), j))(t)
		if got[i].output != string(want) || got[i].err != nil {
			t.Errorf("job %d: got %q, %v, want %q", i, got[i].output, got[i].err, want)
		}
	}
	if calls.Load() != n || h.Begun() != n || h.Left() != 0 {
		t.Errorf("%d calls, %d begun, %d left; want %d, %d, 0", calls.Load(), h.Begun(), h.Left(),
			n, n)
	}
}

// The job of a worker that is gone is another's; one that loses all its workers fails.
func TestWorkerGone(t *testing.T) {
	h, ends := open(t, 1, 2)
	began := make(chan bool)
	hang := jobs.Functions{"twice": func(ctx context.Context, _ jobs.Job) ([]byte, error) {
		began <- true
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}}
	for range 2 {
		w := connect(t, h, hang, 1)
		if some, err := w.Group().Do(hub.Any); !some || err != nil {
			t.Fatalf("got %v, %v, want the job", some, err)
		}
		<-began
		if some, err := connect(t, h, hang, 1).Group().Do(0); some || err != nil {
			t.Fatalf("got %v, %v, want no job: another worker has it", some, err)
		}
		w.Close()
		h.Settle()
	}
	if got := ends()[0].err; got == nil || h.Left() != 0 {
		t.Errorf("the job ended with %v, %d left; want an error after two attempts", got, h.Left())
	}
}

// A stranger is not heard, a lost connection is made anew.
func TestStranger(t *testing.T) {
	h, _ := open(t, 1, 0)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	secret := []byte(h.Secret())
	slices.Reverse(secret)
	if w, err := hub.Connect(ctx, h.Address().String(), string(secret), nil, 1); err == nil {
		w.Close()
		t.Error("a worker with another secret was let in")
	}
	conn := must.Get(net.Dial("tcp", h.Address().String()))(t)
	conn.Close()
	if h.Left() != 1 || h.Begun() != 0 {
		t.Errorf("%d jobs left, %d begun, want 1, 0", h.Left(), h.Begun())
	}
}

// When the run ends, functions are cancelled, and groups end without an error.
func TestEnd(t *testing.T) {
	h, ends := open(t, 2, 0)
	began := make(chan bool)
	w := connect(t, h,
		jobs.Functions{"twice": func(ctx context.Context, _ jobs.Job) ([]byte, error) {
			began <- true
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}}, 1)
	g := w.Group()
	must.Get(g.Do(0))(t)
	<-began
	h.End()
	if err := g.Rest(); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	h.Settle()
	if len(ends()) != 0 || h.Left() != 2 {
		t.Errorf("%d jobs ended, %d left, want 0, 2", len(ends()), h.Left())
	}
	if errors.Is(w.Err(), context.Canceled) || w.Err() == nil {
		t.Errorf("the worker ended with %v, want that the run has", w.Err())
	}
}
