package tobac_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"tobac"
	"tobac/engine"
	"tobac/engine/bcdnets"
	"tobac/engine/flownets"
	"tobac/engine/markov"
	"tobac/engine/stein"
	"tobac/internal/bcd"
	"tobac/internal/gflownet"
	"tobac/internal/must"
	"tobac/sem"
)

// panicOf is the value with which do panics; nil means it does not.
func panicOf(do func()) (value any) {
	defer func() { value = recover() }()
	do()
	return nil
}

// smallEngines are configurations of all engines whose runs take a moment.
var smallEngines = map[string]tobac.Config{
	"exact": {},
	"mcmc":  {Engine: &markov.MCMC{Chains: 2, Iterations: 60, WarmUp: 20}},
	"svgd":  {Engine: &stein.SVGD{Steps: 3, Particles: 2, Samples: 2}},
	"bcd":   {Engine: &bcdnets.BCDNets{Training: bcd.Settings{Steps: 3, Batch: 4}}},
	"gflownet": {Model: sem.BGe{},
		Engine: &flownets.GFlowNet{Training: gflownet.Settings{Iterations: 3,
			Policy: gflownet.Graph, Width: 4, Prefill: 2, Environments: 2, Batch: 2}}},
}

// Faults of the calling program are panics that say what is wrong, or errors, never those of the
// runtime.
func TestMisuse(t *testing.T) {
	ctx := context.Background()
	var none context.Context
	data := chain(t, 40).Train
	for name, cfg := range smallEngines {
		r := newRun(t, data, cfg)
		for what, c := range map[string]struct {
			do   func()
			want string
		}{
			"Fit":       {func() { tobac.Fit(none, data, cfg) }, "tobac: nil context"},
			"NewRun":    {func() { tobac.NewRun(none, data, cfg) }, "tobac: nil context"},
			"Advance":   {func() { r.Advance(none, 1) }, "tobac: nil context"},
			"Result":    {func() { r.Result(none) }, "tobac: nil context"},
			"Restore":   {func() { r.Restore(none, &tobac.Snapshot{}) }, "tobac: nil context"},
			"snapshot":  {func() { r.Restore(ctx, nil) }, "tobac: nil snapshot"},
			"backwards": {func() { r.Advance(ctx, -7) }, ""},
		} {
			if got := panicOf(c.do); got != any(c.want) && (got != nil || c.want != "") {
				t.Errorf("%s, %s: panic %v, want %v", name, what, got, c.want)
			}
		}
		if err := r.Advance(ctx, math.MaxInt); err != nil {
			t.Errorf("%s: after these: %v", name, err)
		}
		r.Close()
		_, early := r.Snapshot()
		_, result := r.Result(ctx)
		for what, err := range map[string]error{"Advance": r.Advance(ctx, 1), "Snapshot": early,
			"Result": result, "Restore": r.Restore(ctx, &tobac.Snapshot{})} {
			if err == nil || err.Error() != "tobac: the run is closed" {
				t.Errorf("%s, %s after Close: %v", name, what, err)
			}
		}
		r.Close()
	}
	if got := panicOf(func() {
		tobac.FitImputed(none, tobac.Imputed{Count: 1, Table: nil}, tobac.Config{})
	}); got == nil {
		t.Error("FitImputed without tables does not panic")
	}
}

// A panic of the caller's function passes through, and the run refuses to go on from the middle of
// a step.
func TestPanickingProgress(t *testing.T) {
	data := chain(t, 40).Train
	for _, name := range []string{"mcmc", "svgd"} {
		cfg := smallEngines[name]
		armed := false
		cfg.Workers, cfg.Progress = 2, func(engine.Progress) {
			if armed {
				panic("mine")
			}
		}
		r := newRun(t, data, cfg)
		armed = true
		if got := panicOf(func() { r.Advance(t.Context(), math.MaxInt) }); got != any("mine") {
			t.Errorf("%s: panic %v, want the one of Progress", name, got)
		}
		if err := r.Advance(t.Context(), math.MaxInt); err == nil ||
			!strings.Contains(err.Error(), "a panic interrupted it") {
			t.Errorf("%s: Advance after it: %v", name, err)
		}
	}
}

// Data that were made invalid after NewRun are an error.
func TestChangedData(t *testing.T) {
	for name, cfg := range smallEngines {
		data := chain(t, 40).Train
		r := newRun(t, data, cfg)
		must.Do(t, r.Advance(t.Context(), math.MaxInt))
		data.X.Set(3, 1, math.NaN())
		if _, err := r.Result(t.Context()); err == nil ||
			!strings.HasPrefix(err.Error(), "tobac: the data were changed after NewRun: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
