package mcmc_test

import (
	"math"
	"testing"

	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/score"
)

// A trace agrees with the diagnostics of the same samples, is known from the
// beginning but for R̂, and changes no bit of the result.
func TestTrace(t *testing.T) {
	build := func() *mcmc.Sampler {
		return must.Get(mcmc.New(t.Context(), listed{6, 2, 4}, score.Fair(6),
			mcmc.Options{Chains: 3, WarmUp: 20, Seed: 4, Workers: 1}))(t)
	}
	traced, plain := build(), build()
	if got := traced.Trace(); !math.IsNaN(got.RHat) || math.IsNaN(got.LogP) {
		t.Errorf("before the first iteration: %+v", got)
	}
	for range 12 {
		must.Do(t, traced.Advance(t.Context(), 10))
		// counts begin anew after the warm-up
		if got := traced.Trace(); traced.Iterations() != 20 &&
			!(got.Acceptance > 0 && got.Acceptance <= 1) ||
			math.IsInf(got.LogP, 0) {
			t.Errorf("after %d iterations: %+v", traced.Iterations(), got)
		}
	}
	must.Do(t, plain.Advance(t.Context(), 120))
	a := must.Get(traced.Result())(t)
	b := must.Get(plain.Result())(t)
	if got, want := traced.Trace().RHat, a.Diagnostics.LogP.RHat; got != want || !(got >= 0.9) {
		t.Errorf("R̂ %v, the diagnostics have %v", got, want)
	}
	last := map[int]float64{} // ln p of the graphs where the chains are
	for _, d := range a.Draws {
		last[d.Chain] = d.LogScore
	}
	if got, want := traced.Trace().LogP,
		(last[0]+last[1]+last[2])/3; !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("mean of ln p %v, the last draws have %v", got, want)
	}
	for i := range 6 {
		for j := range 6 {
			if a.Edges.At(i, j) != b.Edges.At(i, j) {
				t.Fatalf("edge %d → %d has the probability %v with traces, %v without", i, j,
					a.Edges.At(i, j), b.Edges.At(i, j))
			}
		}
	}
}
