package markov_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/background"
	"tobac/dag"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/internal/enginetest"
	"tobac/internal/graphchains"
	"tobac/internal/jobs"
	"tobac/internal/must"
	"tobac/sem"
)

// inferred is the outcome of short chains.
func inferred(t *testing.T, model sem.Model, c markov.MCMC, workers int) *engine.Outcome {
	t.Helper()
	p := enginetest.Chain()
	p.Model, p.Workers, p.Seed = model, workers, 5
	p.Prior = background.Prior{Forbidden: []dag.Edge{{From: 2, To: 0}},
		Odds: []background.EdgeOdds{{From: 0, To: 1, Odds: 3}}}
	rows, d := p.Data.X.Dims()
	p.Data.Intervened = mat.NewDense(rows, d, nil)
	for i := range rows / 4 {
		p.Data.Intervened.Set(i, 2, 1)
	}
	c.Chains, c.Iterations, c.WarmUp = 3, 250, 40
	return must.Get(engine.Infer(context.Background(), &c, p))(t)
}

// same fails unless two outcomes have the same bits.
func same(t *testing.T, got, want *engine.Outcome) {
	t.Helper()
	if !mat.Equal(got.Probabilities, want.Probabilities) || got.Method != want.Method {
		t.Fatalf("%s, %v\nwant %s, %v", got.Method, mat.Formatted(got.Probabilities), want.Method,
			mat.Formatted(want.Probabilities))
	}
	for k := range want.Draws {
		if !got.Draws[k].Graph.Equal(want.Draws[k].Graph) {
			t.Fatalf("draw %d differs", k+1)
		}
	}
	if !reflect.DeepEqual(got.Diagnostics.LogP, want.Diagnostics.LogP) {
		t.Fatalf("diagnostics are %+v, want %+v", got.Diagnostics.LogP, want.Diagnostics.LogP)
	}
}

// outputs counts those that a folder of jobs keeps.
func outputs(t *testing.T, dir string) int {
	t.Helper()
	files := must.Get(filepath.Glob(filepath.Join(dir, "done", "*", "*")))(t)
	return len(files)
}

// Rounds as jobs give the bits of one process: done here, found in the folder, found there but for
// some, or left to another program.
func TestRoundsAsJobs(t *testing.T) {
	for _, model := range []sem.Model{sem.BGe{}, sem.Linear{}, sem.NonGaussian{}} {
		t.Run(model.String(), func(t *testing.T) {
			dir := t.TempDir()
			want := inferred(t, model, markov.MCMC{}, 2)
			same(t, inferred(t, model, markov.MCMC{Jobs: dir}, 2), want)
			all := outputs(t, dir)
			if all == 0 || all%3 != 0 {
				t.Fatalf("%d outputs of three chains", all)
			}
			same(t, inferred(t, model, markov.MCMC{Jobs: dir}, 1), want)
			if n := outputs(t, dir); n != all {
				t.Errorf("%d outputs after the second run, %d after the first", n, all)
			}
			files, _ := filepath.Glob(filepath.Join(dir, "done", "*", "*"))
			for _, name := range files[len(files)/2:] { // of a run that was killed
				must.Do(t, os.Remove(name))
			}
			same(t, inferred(t, model, markov.MCMC{Jobs: dir}, 2), want)
			remote := t.TempDir()
			ended := make(chan error)
			go func() { ended <- others(t.Context(), remote) }()
			same(t, inferred(t, model, markov.MCMC{Jobs: "remote:" + remote}, 1), want)
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if n := outputs(t, remote); n != all {
				t.Errorf("others did %d rounds, want %d", n, all)
			}
		})
	}
}

// others does the rounds of a folder, as tobac-beam does, when they are there.
func others(ctx context.Context, dir string) error {
	for {
		folder, err := jobs.ExistingFolder(dir)
		if err != nil {
			continue // it is not there yet
		}
		list, err := folder.Jobs()
		if err != nil {
			return err
		}
		if len(list) > 0 {
			return graphchains.Do(ctx, jobs.Local{Workers: 3}, folder, graphchains.Functions(),
				list, nil)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// Other machines need a model that they have.
func TestRoundsRefused(t *testing.T) {
	p := enginetest.Chain()
	scored, _ := sem.As[sem.Scored](sem.BGe{})
	p.Model = mine{scored}
	_, err := engine.Infer(t.Context(), &markov.MCMC{Jobs: t.TempDir()}, p)
	if err == nil || !strings.Contains(err.Error(), "other machines do not have") {
		t.Errorf("got %v, want that the model is unknown elsewhere", err)
	}
}

// A folder has no blanks, and where rounds are done is no part of what a state depends on.
func TestJobsSetting(t *testing.T) {
	e := new(markov.MCMC)
	for _, s := range e.Engine().Settings() {
		if s.Name != "jobs" {
			continue
		}
		for _, text := range []string{"", "a b", "a\tb"} {
			if err := s.Set(text); err == nil {
				t.Errorf("%q is a folder", text)
			}
		}
		if err := s.Set("runs/a"); err != nil || e.Jobs != "runs/a" || s.String() != "runs/a" {
			t.Errorf("got %v and %q", err, e.Jobs)
		}
	}
	key := func(e *markov.MCMC) string { return e.Engine().(engine.Resumable).StateKey(nil) }
	if got, want := key(e), key(new(markov.MCMC)); got != want {
		t.Errorf("the state depends on %q, want %q", got, want)
	}
}

// mine is a model that no other program has.
type mine struct{ sem.Scored }

func (mine) String() string { return "mine" }
