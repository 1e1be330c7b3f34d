package tobac_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"tobac"
	"tobac/autograd"
	"tobac/dag"
	"tobac/dataset"
	"tobac/models"
	"tobac/ordering"
	"tobac/svgd"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"
)

// chain simulates n rows of five variables with the edges 0 → 1 → 2 → 4 and
// 0 → 3.
func chain(t testing.TB, n int) *dataset.Simulation {
	t.Helper()
	g, err := dag.FromEdges(5, []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 4}, {From: 0, To: 3}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := dataset.SimulateLinear(g, dataset.LinearConfig{Rows: n, HeldoutRows: 30, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// small is a run of a few quick steps whose temperature falls fast enough for
// the latents to feel the data. Eleven particles do not divide evenly.
var small = tobac.Config{Particles: 11, Samples: 16, Steps: 12, AlphaRate: 0.5, Seed: 7}

func newRun(t testing.TB, data *dataset.Table, cfg tobac.Config) *tobac.Run {
	t.Helper()
	r, err := tobac.NewRun(data, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func advance(t testing.TB, r *tobac.Run, to int) {
	t.Helper()
	if err := r.Advance(context.Background(), to); err != nil {
		t.Fatal(err)
	}
}

// state is the run's snapshot as text. JSON spells every float64 with as many
// digits as it takes to read back the same bits, so equal texts are equal bits.
func state(t testing.TB, r *tobac.Run) string {
	t.Helper()
	text, err := json.Marshal(r.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// posteriorBits compares posteriors exactly, but for the time they took.
func posteriorBits(t testing.TB, got, want *tobac.Posterior) {
	t.Helper()
	for m := range want.Graphs {
		if !got.Graphs[m].Equal(want.Graphs[m]) || !mat.Equal(got.Weights[m], want.Weights[m]) {
			t.Errorf("particle %d: got edges %v weights %v, want %v %v", m,
				got.Graphs[m].Edges(), mat.Formatted(got.Weights[m]), want.Graphs[m].Edges(), mat.Formatted(want.Weights[m]))
		}
	}
	for _, f := range []struct {
		name      string
		got, want any
	}{
		{"names", got.Names, want.Names}, {"order", got.Order, want.Order},
		{"log prior", got.LogPrior, want.LogPrior}, {"log likelihood", got.LogLikelihood, want.LogLikelihood},
		{"edges", got.Edges(), want.Edges()},
	} {
		if diff := cmp.Diff(f.want, f.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.name, diff)
		}
	}
}

func posterior(t testing.TB, r *tobac.Run) *tobac.Posterior {
	t.Helper()
	p, err := r.Posterior()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Fit is NewRun, Advance to the end, Posterior.
func TestFitIsARunToTheEnd(t *testing.T) {
	data := chain(t, 40).Train
	got, err := tobac.Fit(context.Background(), data, small)
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(t, data, small)
	advance(t, r, small.Steps)
	posteriorBits(t, got, posterior(t, r))
	if s := got.Seconds; s.Order <= 0 || s.Compile <= 0 || s.Sample <= 0 || s.Total != s.Order+s.Compile+s.Sample {
		t.Errorf("seconds: got %+v, want positive parts and their sum", s)
	}
}

// A run that is cut anywhere, written to JSON and resumed by another Run, with
// another number of workers, ends in the same bits as one that never stopped.
func TestResumeIsBitwise(t *testing.T) {
	data := chain(t, 40).Train
	for _, estimator := range []models.Estimator{models.NodeWise, models.Joint} {
		t.Run(estimator.String(), func(t *testing.T) {
			cfg := small
			cfg.Estimator = estimator
			whole := newRun(t, data, cfg)
			advance(t, whole, cfg.Steps)
			for _, cut := range []int{0, 1, 5, cfg.Steps} {
				first := newRun(t, data, cfg)
				advance(t, first, cut)
				if first.Step() != cut {
					t.Fatalf("advanced to step %d, want %d", first.Step(), cut)
				}
				text := state(t, first)
				var s tobac.Snapshot
				if err := json.Unmarshal([]byte(text), &s); err != nil {
					t.Fatal(err)
				}
				cfg.Workers = 3
				second := newRun(t, data, cfg)
				if err := second.Restore(&s); err != nil {
					t.Fatal(err)
				}
				if got := state(t, second); got != text {
					t.Errorf("cut at %d: the restored run's snapshot differs from the one it was restored from", cut)
				}
				advance(t, second, cfg.Steps)
				if got, want := state(t, second), state(t, whole); got != want {
					t.Errorf("cut at %d: particles differ from the uninterrupted run's\n got %.200s…\nwant %.200s…", cut, got, want)
				}
				posteriorBits(t, posterior(t, second), posterior(t, whole))
			}
		})
	}
}

// A snapshot shares nothing with the run: the run may go on, and several runs
// may start from it.
func TestSnapshotIsACopy(t *testing.T) {
	data := chain(t, 40).Train
	r := newRun(t, data, small)
	advance(t, r, 4)
	s := r.Snapshot()
	before, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	advance(t, r, 8)
	other := newRun(t, data, small)
	if err := other.Restore(s); err != nil {
		t.Fatal(err)
	}
	advance(t, other, 8)
	after, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("a snapshot changed while runs continued")
	}
	if state(t, other) != state(t, r) {
		t.Error("a run restored in the same process differs from the one that made the snapshot")
	}
}

// The number of workers changes nothing but the time, in either precision; the
// precision moves the particles by rounding errors.
func TestWorkersAreBitwise(t *testing.T) {
	data := chain(t, 40).Train
	var z [2]*mat.Dense
	for _, precision := range []autograd.Precision{autograd.Float64, autograd.Float32} {
		var want string
		for _, workers := range []int{1, 2, 8} {
			cfg := small
			cfg.Precision, cfg.Workers = precision, workers
			r := newRun(t, data, cfg)
			advance(t, r, cfg.Steps)
			got := state(t, r)
			if want == "" {
				want = got
				z[precision] = mat.NewDense(cfg.Particles, len(r.Snapshot().Z[0]), slices.Concat(r.Snapshot().Z...))
			}
			if got != want {
				t.Errorf("%v, %d workers: particles differ from those of 1 worker", precision, workers)
			}
		}
	}
	if mat.Equal(z[0], z[1]) || !mat.EqualApprox(z[0], z[1], 1e-3) {
		t.Errorf("latents in float64 and float32: got\n%v\nand\n%v", mat.Formatted(z[0]), mat.Formatted(z[1]))
	}
}

// Another seed moves the particles elsewhere; the same one does not.
func TestSeed(t *testing.T) {
	data := chain(t, 40).Train
	states := map[uint64]string{}
	for _, seed := range []uint64{0, 1, 0} {
		cfg := small
		cfg.Seed, cfg.Steps = seed, 3
		r := newRun(t, data, cfg)
		advance(t, r, cfg.Steps)
		got := state(t, r)
		if old, ok := states[seed]; ok && old != got {
			t.Errorf("seed %d gave two results", seed)
		}
		states[seed] = got
	}
	if states[0] == states[1] {
		t.Error("seeds 0 and 1 gave the same particles")
	}
}

// A cancelled run stands at a step boundary, says where, and goes on as if
// nothing had happened.
func TestCancellation(t *testing.T) {
	data := chain(t, 40).Train
	whole := newRun(t, data, small)
	advance(t, whole, small.Steps)

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cfg := small
	cfg.Progress = func(p tobac.Progress) {
		if p.Step == 5 {
			cancel()
		}
	}
	r := newRun(t, data, cfg)
	err := r.Advance(ctx, cfg.Steps)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got error %v, want one that wraps context.Canceled", err)
	}
	if want := "tobac: stopped after 5 of 12 steps: context canceled"; err.Error() != want {
		t.Errorf("got error %q, want %q", err, want)
	}
	if r.Step() != 5 {
		t.Errorf("stopped at step %d, want 5", r.Step())
	}
	if err := r.Advance(ctx, cfg.Steps); !errors.Is(err, context.Canceled) || r.Step() != 5 {
		t.Errorf("advancing under the dead context: error %v at step %d, want context.Canceled at 5", err, r.Step())
	}
	if p := posterior(t, r); len(p.Graphs) != cfg.Particles {
		t.Errorf("posterior of the stopped run has %d graphs, want %d", len(p.Graphs), cfg.Particles)
	}
	advance(t, r, cfg.Steps)
	if state(t, r) != state(t, whole) {
		t.Error("a run that was cancelled and continued differs from an uninterrupted one")
	}

	dead, stop := context.WithCancel(context.Background())
	stop()
	if p, err := tobac.Fit(dead, data, small); p != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Fit under a dead context: got %v, %v, want no posterior and context.Canceled", p, err)
	}
}

// Advance never goes back and never beyond the configured steps.
func TestAdvanceLimits(t *testing.T) {
	r := newRun(t, chain(t, 40).Train, small)
	for _, row := range []struct{ to, want int }{{-1, 0}, {4, 4}, {2, 4}, {4, 4}, {99, 12}, {100, 12}} {
		advance(t, r, row.to)
		if r.Step() != row.want {
			t.Errorf("advance to %d: at step %d, want %d", row.to, r.Step(), row.want)
		}
	}
}

// Progress is reported once per step, in order.
func TestProgress(t *testing.T) {
	cfg := small
	var steps []int
	cfg.Progress = func(p tobac.Progress) {
		steps = append(steps, p.Step)
		if p.Steps != cfg.Steps || !(p.Driving > 0) || !(p.Repulsive > 0) || p.Neighbours < 1 || p.Neighbours > float64(cfg.Particles) {
			t.Errorf("progress %+v: want %d steps in all, positive forces and 1 to %d neighbours", p, cfg.Steps, cfg.Particles)
		}
	}
	r := newRun(t, chain(t, 40).Train, cfg)
	advance(t, r, cfg.Steps)
	if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, steps); diff != "" {
		t.Errorf("steps reported (-want +got):\n%s", diff)
	}
	silent := newRun(t, chain(t, 40).Train, small)
	advance(t, silent, small.Steps)
	if state(t, r) != state(t, silent) {
		t.Error("watching a run changed it")
	}
}

// A snapshot of another problem or other settings is refused, and the run is
// left as it was.
func TestRestoreErrors(t *testing.T) {
	cfg := small
	cfg.Order = ordering.Fixed{0, 1, 2, 3, 4}
	for _, row := range []struct {
		name   string
		change func(s *tobac.Snapshot)
		want   string
	}{
		{"negative step", func(s *tobac.Snapshot) { s.Step = -1 }, "tobac: snapshot at step -1, want 0 to 12"},
		{"beyond the last step", func(s *tobac.Snapshot) { s.Step = 13 }, "tobac: snapshot at step 13, want 0 to 12"},
		{"another order", func(s *tobac.Snapshot) { s.Order = []int{1, 0, 2, 3, 4} }, "tobac: snapshot has the order [1 0 2 3 4], the run has [0 1 2 3 4]"},
		{"no order", func(s *tobac.Snapshot) { s.Order = nil }, "tobac: snapshot has the order [], the run has [0 1 2 3 4]"},
		{"a longer order", func(s *tobac.Snapshot) { s.Order = []int{0, 1, 2, 3, 4, 5} }, "tobac: snapshot has the order [0 1 2 3 4 5], the run has [0 1 2 3 4]"},
		{"fewer latents", func(s *tobac.Snapshot) { s.Z = s.Z[:10] }, "tobac: snapshot has 10 particles, want 11"},
		{"no parameters", func(s *tobac.Snapshot) { s.Theta = nil }, "tobac: snapshot has 0 particles, want 11"},
		{"a short row", func(s *tobac.Snapshot) { s.Theta[3] = s.Theta[3][:24] }, "tobac: snapshot block 1, particle 3 has 24 values, want 25"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRun(t, chain(t, 40).Train, cfg)
			advance(t, r, 3)
			s := r.Snapshot()
			before := state(t, r)
			row.change(s)
			if err := r.Restore(s); err == nil || err.Error() != row.want {
				t.Errorf("got error %v\nwant      %s", err, row.want)
			}
			if state(t, r) != before {
				t.Error("a refused snapshot changed the run")
			}
		})
	}
	t.Run("another optimizer's state", func(t *testing.T) {
		r := newRun(t, chain(t, 40).Train, cfg)
		advance(t, r, 3)
		s := r.Snapshot()
		s.Optimizer.Second = s.Optimizer.Second[:1]
		err := r.Restore(s)
		if err == nil {
			err = r.Advance(context.Background(), cfg.Steps)
		}
		if !errors.Is(err, svgd.ErrState) || r.Step() != 3 {
			t.Errorf("got error %v at step %d, want one that wraps svgd.ErrState at step 3", err, r.Step())
		}
	})
}

// A table with columns far from mean zero is fitted with a warning.
func TestMeanWarning(t *testing.T) {
	data := chain(t, 40).Train
	shifted := &dataset.Table{Names: data.Names, X: mat.DenseCopyOf(data.X)}
	for i := range 40 {
		shifted.X.Set(i, 1, shifted.X.At(i, 1)+100)
	}
	for _, row := range []struct {
		data *dataset.Table
		want []string
	}{
		{data, nil},
		{shifted, []string{`the means of "X1" are far from zero, and the model has no intercept: centre or standardise the columns`}},
	} {
		cfg := small
		cfg.Order = ordering.Fixed{0, 1, 2, 3, 4}
		p, err := tobac.Fit(context.Background(), row.data, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(row.want, p.Warnings, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("warnings (-want +got):\n%s", diff)
		}
	}
}
