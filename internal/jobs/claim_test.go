package jobs_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tobac/internal/jobs"
)

// Several runs on one folder do no job twice, and each returns all outputs.
func TestSharedFolder(t *testing.T) {
	c := &counting{}
	f := c.functions()
	list, want := squares(60)
	dir := t.TempDir()
	var group sync.WaitGroup
	var done, found atomic.Int64
	for range 3 {
		group.Go(func() {
			folder, err := jobs.OpenFolder(dir)
			if err != nil {
				t.Error(err)
				return
			}
			var last jobs.Status
			outputs, err := jobs.Do(t.Context(), jobs.Local{Workers: 2}, folder, f, list, func(s jobs.Status) { last = s })
			if err != nil || !slices.Equal(texts(outputs), want) || last.Left() != 0 || last.Waiting != 0 {
				t.Errorf("got %q, %v, status %+v, want %q", outputs, err, last, want)
			}
			done.Add(int64(last.Done))
			found.Add(int64(last.Found))
		})
	}
	group.Wait()
	if most, total := c.most(); most != 1 || total != 60 || done.Load() != 60 || found.Load() != 120 {
		t.Errorf("%d jobs begun, one of them %d times, %d done, %d found; want 60 once each, 60, 120", total, most, done.Load(), found.Load())
	}
	left(t, dir)
}

// left checks that nothing of claims is left in a folder.
func left(t *testing.T, dir string) {
	t.Helper()
	for _, pattern := range []string{"claims/*/*", "owners/*", "failed/*/*", ".tobac-*", "done/*/.tobac-*"} {
		if all := glob(t, dir, pattern); len(all) > 0 {
			t.Errorf("left: %v", all)
		}
	}
}

// A job that fails in one run is not done by another that waits for it, but by the next.
func TestFailureElsewhere(t *testing.T) {
	dir := t.TempDir()
	begun, waiting := make(chan struct{}), make(chan struct{})
	list := []jobs.Job{{Kind: "slow"}}
	f := jobs.Functions{"slow": func(context.Context, jobs.Job) ([]byte, error) {
		close(begun)
		<-waiting
		return nil, errors.New("broken")
	}}
	first := make(chan error)
	hold := make(chan struct{})
	go func() {
		_, err := jobs.Do(t.Context(), jobs.Local{}, open(t, dir), f, list, func(s jobs.Status) {
			if s.Failed == 1 {
				<-hold // so that it lives until the other has seen the failure
			}
		})
		first <- err
	}()
	<-begun
	var once sync.Once
	_, err := jobs.Do(t.Context(), jobs.Local{}, open(t, dir), f, list, func(s jobs.Status) {
		if s.Waiting == 1 {
			once.Do(func() { close(waiting) })
		}
	})
	var failed *jobs.FailedError
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "broken (in process ") {
		t.Errorf("the run that waited: got %v, want the failure of the other process", err)
	}
	close(hold)
	if err := <-first; !errors.As(err, &failed) {
		t.Errorf("the first run: got %v, want a failure", err)
	}
	f["slow"] = func(context.Context, jobs.Job) ([]byte, error) { return []byte("fine"), nil }
	if outputs, err := jobs.Do(t.Context(), jobs.Local{}, open(t, dir), f, list, nil); err != nil || string(outputs[0]) != "fine" {
		t.Errorf("the next run: got %q, %v, want fine", outputs, err)
	}
	left(t, dir)
}

// A run that waits for another ends when it is cancelled.
func TestCancelledWhileWaiting(t *testing.T) {
	dir := t.TempDir()
	begun, end := make(chan struct{}), make(chan struct{})
	list := []jobs.Job{{Kind: "slow"}}
	f := jobs.Functions{"slow": func(context.Context, jobs.Job) ([]byte, error) {
		close(begun)
		<-end
		return []byte("done"), nil
	}}
	first := make(chan error)
	go func() {
		_, err := jobs.Do(t.Context(), jobs.Local{}, open(t, dir), f, list, nil)
		first <- err
	}()
	<-begun
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	outputs, err := jobs.Do(ctx, jobs.Local{}, open(t, dir), f, list, func(s jobs.Status) {
		if s.Waiting == 1 {
			cancel(stop)
		}
	})
	if !errors.Is(err, stop) || outputs[0] != nil {
		t.Errorf("got %q, %v, want the cause", outputs, err)
	}
	close(end)
	if err := <-first; err != nil {
		t.Error(err)
	}
}
