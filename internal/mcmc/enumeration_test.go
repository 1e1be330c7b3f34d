package mcmc_test

import (
	"context"
	"math"
	"testing"

	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/score"
)

// run returns the result of a sampler after the warm-up and n iterations.
func run(t *testing.T, s score.Scorer, p *score.Prior, o mcmc.Options, n int) *mcmc.Result {
	t.Helper()
	m := must.Get(mcmc.New(context.Background(), s, p, o))(t)
	must.Do(t, m.Advance(context.Background(), o.WarmUp+n))
	return must.Get(m.Result())(t)
}

func TestEnumeration(t *testing.T) {
	erdos := must.Get(score.ErdosRenyi(4, 0.3))(t)
	tests := []struct {
		name  string
		s     score.Scorer
		prior *score.Prior
		o     mcmc.Options
		n     int
	}{
		{"fair", listed{4, 1, 1}, score.Fair(4), mcmc.Options{}, 1500},
		{"erdos", listed{4, 2, 2}, erdos, mcmc.Options{}, 1500},
		{"strong", listed{4, 6, 3}, score.Fair(4), mcmc.Options{}, 1500},
		{"five", listed{5, 2, 4}, score.Fair(5), mcmc.Options{}, 1500},
		{"five strong", listed{5, 8, 5}, score.Uniform(5), mcmc.Options{}, 1500},
		{"few candidates", listed{5, 2, 8}, score.Fair(5), mcmc.Options{Candidates: 3}, 6000},
		{"few candidates strong", listed{4, 5, 9}, score.Fair(4), mcmc.Options{Candidates: 2},
			6000},
		{"untempered", listed{4, 1, 6}, score.Uniform(4), mcmc.Options{Rungs: 1}, 1500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := enumerate(tt.s, tt.prior)
			tt.o.WarmUp, tt.o.Seed = 200, 7
			r := run(t, tt.s, tt.prior, tt.o, tt.n)
			for _, e := range r.Diagnostics.Uncertain {
				// Of some 150 comparisons with Gaussian errors none should be off by four; standard
				// errors are themselves estimates, and too small for edges that few samples have.
				got, want := e.Mean, want.edges.At(e.From, e.To)
				if !(math.Abs(got-want) <= 4.5*e.StandardError+0.002) {
					t.Errorf("%d → %d: probability %.5f ± %.5f, want %.5f", e.From, e.To, got,
						e.StandardError, want)
				}
			}
			for i := range tt.s.Vars() {
				for j := range tt.s.Vars() {
					if got, want := r.Edges.At(i, j),
						want.edges.At(i, j); !(math.Abs(got-want) <= 0.04) {
						t.Errorf("%d → %d: probability %.4f, want %.4f", i, j, got, want)
					}
				}
			}
			mean := 0. // of ln p(D, G)
			for _, l := range want.logP {
				mean += math.Exp(l) * (l + want.logZ)
			}
			if l := r.Diagnostics.LogP; !(math.Abs(l.Mean-mean) <= 4.5*l.StandardError) {
				t.Errorf("mean of ln p(D, G) is %.4f ± %.4f, want %.4f", l.Mean, l.StandardError,
					mean)
			}
		})
	}
}
