package tobac_test

import (
	"testing"

	"tobac"
	"tobac/background"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/sem"
)

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
