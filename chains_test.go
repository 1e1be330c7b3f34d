package tobac_test

import (
	"math"
	"testing"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/sem"
)

// Markov chains agree with the exact engine: with four chains of 4000 iterations the
// standard error of a probability is below 0.02; five of them are allowed.
func TestChainsAgreeWithExact(t *testing.T) {
	data := noisy(t)
	for _, cfg := range []tobac.Config{
		{Model: sem.BGe{AlphaLambda: 7}, Prior: background.Prior{EdgesPerNode: 1}},
		{Model: sem.Linear{NoiseVariance: 0.3}, Prior: background.Prior{Kind: background.Fair,
			Forbidden: []dag.Edge{{From: 2, To: 4}}}},
	} {
		want := fit(t, data, cfg)
		cfg.Engine, cfg.Workers = &markov.MCMC{Iterations: 4000, WarmUp: 500, Rungs: 2}, 2
		got := fit(t, data, cfg)
		if diff := largest(got.Probabilities, want.Probabilities); !(diff <= 0.1) {
			t.Errorf("%v: probabilities differ by up to %v", cfg.Model, diff)
		}
		if diff := largest(got.Frequencies().Probabilities, want.Probabilities); !(diff <= 0.15) {
			t.Errorf("%v: shares of the draws differ by up to %v", cfg.Model, diff)
		}
		if got.Diagnostics == nil || got.Diagnostics.Samples == 0 || want.Diagnostics != nil {
			t.Errorf("%v: diagnostics %+v of chains, %v of the exact engine", cfg.Model,
				got.Diagnostics, want.Diagnostics)
		}
		if len(got.Draws) < 1000 || got.Draws[0].Equations == nil {
			t.Errorf("%v: %d draws", cfg.Model, len(got.Draws))
		}
		for i := range 5 {
			for j := range 5 {
				if want.Probabilities.At(i, j) < 0.3 {
					continue
				}
				// Means over a thousand draws of graphs, whose weights spread by less than 1.
				if g, w := got.WeightMean.At(i, j), want.WeightMean.At(i, j); math.Abs(g-w) > 0.2 {
					t.Errorf("%v: mean weight of %d → %d is %v, want %v", cfg.Model, i, j, g, w)
				}
			}
		}
	}
}

// Of several hypotheses the chains take the one that the data support: the posterior is
// near the exact average over all of them, where one of them has most of the evidence.
func TestChainsTakeTheBestHypothesis(t *testing.T) {
	data := noisy(t)
	cfg := tobac.Config{Model: sem.BGe{}, Prior: background.Prior{EdgesPerNode: 1}}
	want := fit(t, data, cfg)
	cfg.Engine, cfg.Workers = &markov.MCMC{Iterations: 2000, WarmUp: 500, Rungs: 2}, 2
	got := fit(t, data, cfg)
	t.Logf("probabilities differ by up to %.3f", largest(got.Probabilities, want.Probabilities))
	if diff := largest(got.Probabilities, want.Probabilities); !(diff <= 0.1) {
		t.Errorf("probabilities differ by up to %v", diff)
	}
}

// Progress of the chains counts their iterations, up to the last, then the steps
// of the particles.
func TestChainsReportProgress(t *testing.T) {
	data, cfg := afterChains()
	var all []engine.Progress
	var between []string
	cfg.Progress = func(p engine.Progress) {
		if p.Doing != "" {
			between = append(between, p.Doing)
			return
		}
		all = append(all, p)
	}
	r, _ := finished(t, data, cfg)
	if len(between) < 3 {
		t.Errorf("between steps %q is computed, want short chains, scores and a program", between)
	}
	last, engine := 0, "mcmc"
	for _, p := range all {
		if p.Step <= last || p.Steps != r.Steps() || p.Engine < engine || p.Engine == "mcmc" &&
			(p.Step > 40 || p.Chains == nil) || p.Engine == "svgd" && p.Step != last+1 {
			t.Errorf("report %+v after step %d of %v", p, last, engine)
		}
		last, engine = p.Step, p.Engine
	}
	if last != r.Steps() || engine != "svgd" {
		t.Errorf("the last report is of step %d of %d, engine %s", last, r.Steps(), engine)
	}
}

// A run whose chains have not ended has no posterior, and says how far it is.
func TestNoPosteriorOfUnfinishedChains(t *testing.T) {
	r := newRun(t, noisy(t), enginesTried()["mcmc"])
	if _, err := r.Result(t.Context()); err == nil {
		t.Error("a posterior of chains that have not begun")
	}
	advance(t, r, 50)
	if _, err := r.Result(t.Context()); err == nil || r.Step() < 50 {
		t.Errorf("a posterior of chains at step %d of their warm-up", r.Step())
	}
	advance(t, r, r.Steps())
	result(t, r)
}
