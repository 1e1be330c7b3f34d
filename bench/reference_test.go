package bench_test

import (
	"context"
	"testing"

	"tobac"
	"tobac/diagnostics"
	"tobac/engine/stein"
	"tobac/internal/reference"
)

// The published recipe is far from the posterior given its order, says so, and loses strong edges:
// with 10 particles and 64 samples the mean absolute error is above 0.1 (a prototype of the
// specification had 0.18), and log p(D, G) hundreds of nats too low.
func TestReferenceOfThePaper(t *testing.T) {
	if !*long {
		t.Skip("fits of 20 variables: -long")
	}
	for run, p := range synthetic(t, "linear-d20-e40", 3) {
		cfg := tobac.Paper()
		e := cfg.Engine.(*stein.SVGD)
		e.Particles, e.Samples, cfg.Seed, cfg.Workers = 10, 64, 1, 2
		r, err := tobac.Fit(t.Context(), p.Train, cfg)
		if err != nil {
			t.Fatal(err)
		}
		ref, err := reference.New(t.Context(), p.Train, r)
		if err != nil {
			t.Fatal(err)
		}
		c, err := ref.Compare(context.Background(), r.Posterior)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("run %d: %+v", run, c)
		if c.MeanAbsError < 0.1 || c.LogProbDifference > -300 ||
			diagnostics.Worst(r.Checks) != diagnostics.Bad {
			t.Errorf("run %d: %+v, checks %+v", run, c, r.Checks)
		}
	}
}
