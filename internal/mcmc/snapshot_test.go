package mcmc_test

import (
	"context"
	"encoding/json"
	"testing"

	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/score"
)

// A sampler restored from the JSON form of a snapshot goes on to the bits of one that
// was not interrupted, in the warm-up and after it, with parents outside the candidates.
func TestRestoreIsBitwise(t *testing.T) {
	s, p := listed{6, 2, 4}, score.Fair(6)
	for _, o := range []mcmc.Options{
		{Chains: 2, Rungs: 3, WarmUp: 60, Draws: 20, Seed: 3, Workers: 1},
		{Chains: 2, Rungs: 2, WarmUp: 60, Draws: 20, Seed: 4, Candidates: 3, Workers: 2},
	} {
		state := func(m *mcmc.Sampler) string {
			t.Helper()
			shot := must.Get(m.Snapshot())(t)
			text := must.Get(json.Marshal(shot))(t)
			return string(text)
		}
		advance := func(m *mcmc.Sampler, n int) {
			t.Helper()
			must.Do(t, m.Advance(context.Background(), n))
		}
		make := func() *mcmc.Sampler {
			t.Helper()
			return must.Get(mcmc.New(context.Background(), s, p, o))(t)
		}
		const iterations = 400
		whole := make()
		advance(whole, iterations)
		want := state(whole)
		for _, cut := range []int{0, 1, 30, 59, 60, 61, 100, 399, 400} {
			first := make()
			advance(first, cut)
			shot := new(mcmc.Snapshot)
			must.Do(t, json.Unmarshal([]byte(state(first)), shot))
			second := make()
			if err := second.Restore(shot); err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			if state(second) != state(first) {
				t.Errorf("cut at %d: the restored sampler differs from the snapshot", cut)
			}
			advance(second, iterations-cut)
			if got := state(second); got != want {
				k := 0
				for got[k] == want[k] {
					k++
				}
				t.Errorf("cut at %d: the end differs from that of the uninterrupted sampler: "+
					"…%s… and …%s…", cut, got[max(0, k-200):min(len(got), k+100)],
					want[max(0, k-200):min(len(want), k+100)])
			}
		}
	}
}

// A snapshot with a number that no sampler has is an error, and leaves the sampler as it was.
func TestRestoreErrors(t *testing.T) {
	m := must.Get(mcmc.New(t.Context(), listed{6, 2, 4}, score.Fair(6),
		mcmc.Options{Chains: 2, Rungs: 2, WarmUp: 10, Draws: 20, Seed: 3, Candidates: 3,
			Workers: 1}))(t)
	must.Do(t, m.Advance(t.Context(), 40))
	state := func() (s *mcmc.Snapshot, text string) {
		shot := must.Get(m.Snapshot())(t)
		data := must.Get(json.Marshal(shot))(t)
		must.Do(t, json.Unmarshal(data, &s))
		return s, string(data)
	}
	_, before := state()
	faults := map[string]func(c *mcmc.ChainState){
		"iterations":         func(c *mcmc.ChainState) { c.Iteration = -1 },
		"every":              func(c *mcmc.ChainState) { c.Every = 0 },
		"samples":            func(c *mcmc.ChainState) { c.Samples = -1 },
		"temperatures":       func(c *mcmc.ChainState) { c.Betas = c.Betas[1:] },
		"partitions":         func(c *mcmc.ChainState) { c.Rungs = c.Rungs[1:] },
		"counts":             func(c *mcmc.ChainState) { c.Counts = c.Counts[1:] },
		"swaps":              func(c *mcmc.ChainState) { c.Swaps = nil },
		"recent swaps":       func(c *mcmc.ChainState) { c.Recent = nil },
		"length of blocks":   func(c *mcmc.ChainState) { c.Series.PerBlock = 0 },
		"samples of a block": func(c *mcmc.ChainState) { c.Series.Last.N = -1 },
		"sums": func(c *mcmc.ChainState) {
			c.Series.Last.Sum = c.Series.Last.Sum[1:]
		},
		"squares": func(c *mcmc.ChainState) {
			c.Series.Last.Squares = c.Series.Last.Squares[1:]
		},
		"outside": func(c *mcmc.ChainState) { c.Outside = c.Outside[1:] },
		"looks":   func(c *mcmc.ChainState) { c.Looks = c.Looks[1:] },
		"source":  func(c *mcmc.ChainState) { c.Source = c.Source[1:] },
		"graph": func(c *mcmc.ChainState) {
			c.Draws[0].Parents = c.Draws[0].Parents[1:]
		},
		"parent of itself": func(c *mcmc.ChainState) { c.Draws[0].Parents[2] = []int{2} },
		"negative parent":  func(c *mcmc.ChainState) { c.Draws[0].Parents[2] = []int{-1} },
		"parent too large": func(c *mcmc.ChainState) { c.Draws[0].Parents[2] = []int{6} },
		"layers":           func(c *mcmc.ChainState) { c.Rungs[0].Layer = c.Rungs[0].Layer[1:] },
		"extra parents": func(c *mcmc.ChainState) {
			c.Rungs[0].Extras = c.Rungs[0].Extras[1:]
		},
		"negative layer":  func(c *mcmc.ChainState) { c.Rungs[0].Layer[1] = -1 },
		"layer too large": func(c *mcmc.ChainState) { c.Rungs[0].Layer[1] = 6 },
		"empty layer": func(c *mcmc.ChainState) {
			c.Rungs[0].Layer = []int{0, 0, 0, 2, 2, 2}
		},
		"extra parent": func(c *mcmc.ChainState) { c.Rungs[0].Extras[1] = []int{1} },
	}
	for name, fault := range faults {
		s, _ := state()
		fault(&s.Chains[1])
		if err := m.Restore(s); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s, _ := state()
	s.Chains = s.Chains[1:]
	if err := m.Restore(s); err == nil {
		t.Error("one chain: no error")
	}
	if _, after := state(); after != before {
		t.Error("snapshots with faults have changed the sampler")
	}
}
