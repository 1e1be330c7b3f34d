package mcmc_test

import (
	"context"
	"testing"

	"tobac/mcmc"
	"tobac/score"
)

// sides has two modes: each of variables 0 to 3 has the parents 4 to 7, or the other way
// round. Between them lie 120 nats, and no move changes more than two variables at once.
func sides() score.Scorer {
	return score.NewFunc(8, func(j int, parents []int) float64 {
		if len(parents) != 4 {
			return -2 * float64(len(parents))
		}
		for _, i := range parents {
			if i/4 == j/4 {
				return -8
			}
		}
		return 40
	})
}

// Chains that stay in the mode where they start are warned of, and do not converge.
func TestStuckChains(t *testing.T) {
	m, err := mcmc.New(context.Background(), sides(), score.Uniform(8), mcmc.Options{Chains: 6, Rungs: 1, WarmUp: 20, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	converged, err := m.Run(context.Background(), mcmc.Stop{Iterations: 400})
	if err != nil {
		t.Fatal(err)
	}
	d, err := m.Diagnostics()
	if err != nil {
		t.Fatal(err)
	}
	if converged || m.Iterations() != 400 || d.MaxRHat() < 1.5 || len(d.Warnings()) == 0 {
		t.Errorf("converged %v after %d iterations, R̂ %v, warnings %q", converged, m.Iterations(), d.MaxRHat(), d.Warnings())
	}
}

// Run stops when the chains agree, and an interruption does not change where.
func TestRun(t *testing.T) {
	s, p := listed{5, 1, 6}, score.Fair(5)
	o := mcmc.Options{WarmUp: 30, Seed: 2, Workers: 2}
	stop := mcmc.Stop{Iterations: 5000, ESS: 300, Every: 50}
	start := func() *mcmc.Sampler {
		t.Helper()
		m, err := mcmc.New(context.Background(), s, p, o)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	whole := start()
	converged, err := whole.Run(context.Background(), stop)
	if err != nil || !converged || whole.Iterations() == stop.Iterations {
		t.Fatalf("converged %v after %d iterations, error %v", converged, whole.Iterations(), err)
	}
	want, err := whole.Diagnostics()
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{1, 37, 50, 70} {
		m := start()
		if err := m.Advance(context.Background(), cut); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Run(context.Background(), stop); err != nil {
			t.Fatal(err)
		}
		got, err := m.Diagnostics()
		if err != nil {
			t.Fatal(err)
		}
		if m.Iterations() != whole.Iterations() || got.LogP != want.LogP {
			t.Errorf("cut at %d: %d iterations, ln p %+v, want %d, %+v", cut, m.Iterations(), got.LogP, whole.Iterations(), want.LogP)
		}
	}
	for _, bad := range []mcmc.Stop{{}, {Iterations: -1}, {Iterations: 10, RHat: 0.5}, {Iterations: 10, ESS: -1}, {Iterations: 10, Every: -1}} {
		if _, err := start().Run(context.Background(), bad); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
	one := start()
	if converged, err := one.Run(context.Background(), mcmc.Stop{Iterations: 1, Every: 1, RHat: 1}); converged || err != nil || one.Iterations() != 1 {
		t.Errorf("one iteration: converged %v after %d, %v", converged, one.Iterations(), err)
	}
}

// The memory of tables is what it is said to be.
func TestDefaultCandidates(t *testing.T) {
	for d, want := range map[int]int{2: 1, 5: 4, 20: 15, 50: 15, 200: 14, 1000: 11} {
		if got := mcmc.DefaultCandidates(d); got != want {
			t.Errorf("%d variables: %d candidates, want %d", d, got, want)
		}
	}
	if got, want := mcmc.Bytes(100, 14), int64(100)<<14*20+64<<20; got != want {
		t.Errorf("100 variables: %d bytes, want %d", got, want)
	}
}
