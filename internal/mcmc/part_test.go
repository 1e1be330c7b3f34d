package mcmc_test

import (
	"bytes"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/score"
)

// Chains that go on one by one, from their bytes, in a sampler that was told the candidates alone,
// end with the bits of chains of one sampler.
func TestContinueIsBitwise(t *testing.T) {
	s, p := listed{6, 2, 4}, score.Fair(6)
	for _, o := range []mcmc.Options{
		{Chains: 2, Rungs: 3, WarmUp: 60, Draws: 20, Seed: 3, Workers: 1},
		{Chains: 3, Rungs: 1, WarmUp: 60, Draws: 20, Seed: 4, Candidates: 3, Workers: 2},
	} {
		whole := must.Get(mcmc.New(t.Context(), s, p, o))(t)
		parts := must.Get(mcmc.NewAt(t.Context(), s, p, o, whole.Shared()))(t)
		states := make([][]byte, o.Chains)
		for k := range states {
			states[k] = must.Get(whole.Chain(k))(t)
		}
		for _, to := range []int{1, 40, 60, 100, 250} {
			must.Do(t, whole.Advance(t.Context(), to-whole.Iterations()))
			for k := range states {
				states[k] = must.Get(parts.Continue(t.Context(), states[k], to))(t)
				want := must.Get(whole.Chain(k))(t)
				if !bytes.Equal(states[k], want) {
					t.Fatalf("chain %d differs after %d iterations", k, to)
				}
			}
		}
		for k := range states {
			must.Do(t, parts.SetChain(k, states[k]))
		}
		if got, want := parts.Trace(), whole.Trace(); got != want {
			t.Errorf("trace is %+v, want %+v", got, want)
		}
		got := must.Get(parts.Result())(t)
		want := must.Get(whole.Result())(t)
		if !mat.Equal(got.Edges, want.Edges) || len(got.Draws) != len(want.Draws) {
			t.Error("results differ")
		}
	}
}

// What is no state of a chain is an error.
func TestSetChainErrors(t *testing.T) {
	s, p := listed{6, 2, 4}, score.Fair(6)
	m := must.Get(mcmc.New(t.Context(), s, p, mcmc.Options{Chains: 1, WarmUp: 5, Seed: 3}))(t)
	state := must.Get(m.Chain(0))(t)
	for want, spoilt := range map[string][]byte{
		"got no state of a chain": []byte("{}\n"),
		"bytes of numbers":        state[:len(state)-8],
		"no state of random":      bytes.Replace(state, []byte(`"source":"`), []byte(`"source":"AAAA`), 1),
	} {
		if err := m.SetChain(0, spoilt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	shared := m.Shared()
	for what, spoilt := range map[string]mcmc.Shared{
		"candidates of five of six variables": {Candidates: shared.Candidates[:5]},
		"a pair of seven variables":           {shared.Candidates, [][2]int{{0, 6}}, false},
		"a pair of one variable":              {shared.Candidates, [][2]int{{1, 1}}, false},
	} {
		if _, err := mcmc.NewAt(t.Context(), s, p, mcmc.Options{}, spoilt); err == nil {
			t.Errorf("%s is no error", what)
		}
	}
}
