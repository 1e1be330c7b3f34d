package beam_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/beam"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/internal/enginetest"
	"tobac/internal/graphchains"
	"tobac/internal/jobs"
	"tobac/internal/must"
	"tobac/sem"
)

// killOnce is the name of an environment variable: a folder, in which the first worker that goes on
// with the last of four chains leaves a file before it kills its process.
const killOnce = "TOBAC_TEST_KILL_ONCE"

// goOn does a round of a chain.
func goOn(ctx context.Context, j jobs.Job) ([]byte, error) {
	if dir := os.Getenv(killOnce); dir != "" && bytes.Contains(j.Input, []byte(`"chain":3`)) {
		f, err := os.OpenFile(filepath.Join(dir, "killed"), os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			f.Close()
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		} else if !errors.Is(err, os.ErrExist) {
			return nil, err
		}
	}
	return chains[graphchains.RoundKind](ctx, j)
}

var chains = graphchains.Functions()

// Chains whose rounds are jobs on prism have the bits of chains in one process, in goroutines and
// in processes of which one is killed.
func TestRoundsOfChains(t *testing.T) {
	infer := func(ctx context.Context, c markov.MCMC) *engine.Outcome {
		p := enginetest.Chain()
		p.Model = sem.BGe{}
		c.Chains, c.Iterations, c.WarmUp = 4, 250, 50
		o, err := engine.Infer(ctx, &c, p)
		if err != nil {
			t.Fatal(err, context.Cause(ctx))
		}
		return o
	}
	want := infer(t.Context(), markov.MCMC{})
	elsewhere := func(t *testing.T) {
		dir := t.TempDir()
		folder := must.Get(jobs.OpenFolder(dir))(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		ended := make(chan bool)
		go func() {
			defer close(ended)
			for ctx.Err() == nil {
				list, err := folder.Jobs()
				if err == nil && len(list) == 0 {
					continue // the fit has not recorded its first round
				}
				if err == nil {
					err = graphchains.Do(ctx, beam.Engine{Workers: 2}, folder, functions, list, nil)
				}
				if err != nil {
					cancel(err)
				}
				return
			}
		}()
		got := infer(ctx, markov.MCMC{Jobs: "remote:" + dir})
		<-ended
		if !mat.Equal(got.Probabilities, want.Probabilities) ||
			got.Diagnostics.LogP != want.Diagnostics.LogP {
			t.Errorf("got %+v\n%v\nwant %+v\n%v", got.Diagnostics.LogP,
				mat.Formatted(got.Probabilities), want.Diagnostics.LogP,
				mat.Formatted(want.Probabilities))
		}
	}
	t.Run("goroutines", elsewhere)
	if testing.Short() {
		t.Skip("starts processes")
	}
	t.Run("killed", func(t *testing.T) {
		program := must.Get(os.Executable())(t)
		process(t, program)
		t.Setenv(killOnce, t.TempDir())
		elsewhere(t)
		if _, err := os.Stat(filepath.Join(os.Getenv(killOnce), "killed")); err != nil {
			t.Error("no worker was killed")
		}
	})
}
