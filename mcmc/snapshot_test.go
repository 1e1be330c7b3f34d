package mcmc_test

import (
	"context"
	"encoding/json"
	"testing"

	"tobac/mcmc"
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
			shot, err := m.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(shot)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		advance := func(m *mcmc.Sampler, n int) {
			t.Helper()
			if err := m.Advance(context.Background(), n); err != nil {
				t.Fatal(err)
			}
		}
		make := func() *mcmc.Sampler {
			t.Helper()
			m, err := mcmc.New(context.Background(), s, p, o)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		const iterations = 400
		whole := make()
		advance(whole, iterations)
		want := state(whole)
		for _, cut := range []int{0, 1, 30, 59, 60, 61, 100, 399, 400} {
			first := make()
			advance(first, cut)
			shot := new(mcmc.Snapshot)
			if err := json.Unmarshal([]byte(state(first)), shot); err != nil {
				t.Fatal(err)
			}
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
				t.Errorf("cut at %d: the end differs from that of the uninterrupted sampler: …%s… and …%s…", cut, got[max(0, k-200):min(len(got), k+100)], want[max(0, k-200):min(len(want), k+100)])
			}
		}
	}
}
