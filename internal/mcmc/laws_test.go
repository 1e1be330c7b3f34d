package mcmc_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"tobac/diagnostics"
	"tobac/internal/graphchains"
	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/score"
)

// Forbidden and required edges, tiers and the bound on parents hold in every draw, and
// the probabilities are those of enumeration with them.
func TestKnowledge(t *testing.T) {
	s := listed{5, 3, 21}
	knowledge := map[string]func(p *score.Prior){
		"forbidden and required": func(p *score.Prior) {
			p.Forbid(0, 1)
			p.Forbid(3, 2)
			p.Require(4, 0)
			p.Require(2, 1)
		},
		"tiers": func(p *score.Prior) { p.Tiers([]int{0, 1, 1, 2, -1}) },
		"bound": func(p *score.Prior) { p.MaxParents(1) },
	}
	for name, add := range knowledge {
		t.Run(name, func(t *testing.T) {
			p := score.Fair(5)
			add(p)
			want := enumerate(s, p)
			r := run(t, s, p, mcmc.Options{WarmUp: 200, Seed: 3, Rungs: 4}, 1500)
			for i := range 5 {
				for j := range 5 {
					// Standard errors are below 0.008 here; three are allowed.
					if got, want := r.Edges.At(i, j),
						want.edges.At(i, j); !(math.Abs(got-want) <= 0.025) || want == 0 &&
						got != 0 || want == 1 && got < 1-1e-9 {
						t.Errorf("%d → %d: %v, want %v", i, j, got, want)
					}
				}
			}
			for k, draw := range r.Draws {
				for j := range 5 {
					if math.IsInf(p.LogPrior(j, draw.Graph.Parents(j)), -1) {
						t.Fatalf("draw %d gives variable %d the parents %v", k, j,
							draw.Graph.Parents(j))
					}
				}
				if !draw.Graph.Acyclic() {
					t.Fatalf("draw %d has a cycle", k)
				}
			}
		})
	}
}

// The number of goroutines changes no bit.
func TestWorkers(t *testing.T) {
	s, p := listed{7, 3, 5}, score.Fair(7)
	var first *mcmc.Result
	for _, workers := range []int{1, 2, 5} {
		r := run(t, s, p, mcmc.Options{Workers: workers, WarmUp: 50, Chains: 3, Rungs: 3,
			Candidates: 4, Seed: 9}, 150)
		if first == nil {
			first = r
			continue
		}
		for i := range 7 {
			for j := range 7 {
				if r.Edges.At(i, j) != first.Edges.At(i, j) {
					t.Fatalf("%d workers: %d → %d has the probability %v, with one %v", workers, i,
						j, r.Edges.At(i, j), first.Edges.At(i, j))
				}
			}
		}
		if r.Diagnostics.LogP != first.Diagnostics.LogP {
			t.Errorf("%d workers: %+v, with one %+v", workers, r.Diagnostics.LogP,
				first.Diagnostics.LogP)
		}
	}
}

// Draws have the frequencies of the probabilities, and the log score of their graph.
func TestDraws(t *testing.T) {
	s, p := listed{5, 2, 31}, score.Uniform(5)
	r := run(t, s, p, mcmc.Options{WarmUp: 200, Draws: 2000, Seed: 4}, 6000)
	n := float64(len(r.Draws))
	if n < 1000 || n > 4000 {
		t.Fatalf("%v draws, want half of 2000 to twice as many", n)
	}
	for i := range 5 {
		for j := range 5 {
			count := 0.0
			for _, d := range r.Draws {
				if d.Graph.Has(i, j) {
					count++
				}
			}
			// Draws are about independent: half of one percent is a third of a standard error
			// of 2000; five are allowed.
			if p := r.Edges.At(i, j); !(math.Abs(count/n-p) <= 5*math.Sqrt(p*(1-p)/n)+0.01) {
				t.Errorf("%d → %d: %v of the draws, probability %v", i, j, count/n, p)
			}
		}
	}
	for _, d := range r.Draws[:20] {
		want := 0.0
		for j := range 5 {
			want += s.LogScore(j, d.Graph.Parents(j)) + p.LogPrior(j, d.Graph.Parents(j))
		}
		if !(math.Abs(d.LogScore-want) <= 1e-9) {
			t.Errorf("log score %v, want %v", d.LogScore, want)
		}
	}
}

// Two modes with a barrier of 30 nats between them: 0 → 2 ← 1, with or without an edge between
// 0 and 1, and 0 ← 2 → 1. One relocation leads from one to the other.
func TestBarrier(t *testing.T) {
	s := score.NewFunc(3, func(j int, parents []int) float64 {
		switch {
		case j == 2 && len(parents) == 2:
			return 60
		case j < 2 && len(parents) == 1 && parents[0] == 2:
			return 30
		}
		return 0
	})
	r := run(t, s, score.Uniform(3), mcmc.Options{WarmUp: 200, Seed: 2}, 4000)
	if got := r.Edges.At(0, 2); !(math.Abs(got-0.75) <= 0.03) {
		t.Errorf("0 → 2 has the probability %v, want 0.75", got)
	}
}

// Chains that disagree, hardly move, or have few samples are warned of, in words.
func TestWarnings(t *testing.T) {
	edge := func(rHat, ess float64) diagnostics.GraphChains {
		return diagnostics.GraphChains{Samples: 4000, LogP: diagnostics.Quantity{RHat: 1},
			Uncertain: []diagnostics.EdgeQuantity{{From: 0, To: 1,
				Quantity: diagnostics.Quantity{Mean: 0.5, StandardError: 0.02, RHat: rHat, ESS: ess,
					Range: 0.1}}}}
	}
	warnings := func(d diagnostics.GraphChains) []string {
		return diagnostics.Warnings(graphchains.ChainChecks(&d))
	}
	if w := warnings(edge(1.01, 2000)); len(w) > 0 {
		t.Errorf("chains that agree are warned of: %q", w)
	}
	for name, d := range map[string]diagnostics.GraphChains{"disagree": edge(1.5, 2000),
		"hardly move": edge(1.01, 20), "few": edge(math.NaN(), math.NaN())} {
		if w := warnings(d); len(w) == 0 {
			t.Errorf("%s: no warning", name)
		}
	}
	apart := edge(1.5, 2000)
	said := graphchains.Convergence(&apart, []string{"a", "b"})
	if w := warnings(apart); !strings.Contains(w[0], "on 1 edge, by up to 0.10") ||
		!strings.Contains(said, "differ by 0.10 in the probability of a → b") {
		t.Errorf("chains that disagree: %q, %q", w, said)
	}
	// of an edge with R̂ 2 and ESS 3, of 4000 samples
	for _, c := range []struct{ spread, standardError, rHat, ess float64 }{
		{0.01, 0.005, 2, 3}, {0.0099, 0.005, 1, 3}, {0.01, 0.0049, 2, 4000},
	} {
		d := edge(2, 3)
		d.Uncertain[0].Range, d.Uncertain[0].StandardError = c.spread, c.standardError
		if d.MaxRHat() != c.rHat || d.MinESS() != c.ess {
			t.Errorf("%+v: R̂ %v, effective size %v", c, d.MaxRHat(), d.MinESS())
		}
	}
}

// Where all partitions are equally probable, as those of two variables are if all graphs are, every
// exchange between inverse temperatures succeeds.
func TestExchanges(t *testing.T) {
	s := score.NewFunc(2, func(int, []int) float64 { return 0 })
	r := run(t, s, score.Uniform(2), mcmc.Options{Chains: 2, Rungs: 3, WarmUp: 8, Seed: 1}, 20)
	if got := r.Diagnostics.Samples; got != 2*20 {
		t.Errorf("%d samples of 2 chains of 20 iterations after the warm-up, want 40", got)
	}
	for k, rung := range r.Diagnostics.Rungs {
		if want := map[int]float64{0: 1, 1: 1}[k]; rung.Exchange != want || rung.Relocate == 0 {
			t.Errorf("inverse temperature %d: %+v, want exchanges at the rate %v", k, rung, want)
		}
	}
}

func TestErrors(t *testing.T) {
	ctx := context.Background()
	s, p := listed{4, 1, 1}, score.Fair(4)
	for _, o := range []mcmc.Options{{Candidates: -1}, {Chains: -1}, {Rungs: -2}, {Hottest: 2},
		{WarmUp: -1}, {Draws: -2}, {Workers: -1}} {
		if _, err := mcmc.New(ctx, s, p, o); err == nil ||
			!strings.HasPrefix(err.Error(), "mcmc: ") {
			t.Errorf("%+v: got error %v", o, err)
		}
	}
	if _, err := mcmc.New(ctx, s, score.Fair(5), mcmc.Options{}); err == nil {
		t.Error("a prior of five variables for scores of four: no error")
	}
	circle := score.Fair(4)
	circle.Require(0, 1)
	circle.Require(1, 0)
	if _, err := mcmc.New(ctx, s, circle, mcmc.Options{}); err == nil {
		t.Error("a required cycle: no error")
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := mcmc.New(done, s, p, mcmc.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	m := must.Get(mcmc.New(ctx, s, p, mcmc.Options{WarmUp: 5}))(t)
	if err := m.Advance(done, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled iterations: got %v", err)
	}
	if _, err := m.Result(); err == nil {
		t.Error("a result before the end of the warm-up: no error")
	}
}
