package exact_test

import (
	"context"
	"fmt"
	"testing"

	"tobac/internal/exact"
	"tobac/internal/must"
)

func graphs(t *testing.T, o *exact.Orders) *exact.Graphs {
	t.Helper()
	return must.Get(o.Graphs(context.Background()))(t)
}

// The posterior over graphs is that of the sum over all graphs, for every prior and
// for scores that differ by thousands of nats.
func TestGraphsEnumerated(t *testing.T) {
	for d := 1; d <= largest(); d++ {
		for name, prior := range priors(t, d) {
			for n, r := range ranges {
				t.Run(fmt.Sprintf("d=%d/%s/deviation=%v", d, name, r.deviation),
					func(t *testing.T) {
						s := randomTable(d, r.offset, r.deviation, uint64(10*d+n))
						want := enumerate(s, prior, false)
						_, o := posterior(t, s, prior, exact.Options{})
						g := graphs(t, o)
						tol := tolerance(r.offset, r.deviation)
						nearNumber(t, "log evidence", g.LogEvidence(), want.logEvidence, 1e-12+tol)
						near(t, "edge", g.Edges(), want.edges, tol)
						near(t, "ancestor", g.Ancestors(), want.ancestors, tol)
						nearNumber(t, "rounding", g.Rounding(), 0, 1e-13)
						for j := range d {
							got := g.ParentSets(j)
							for m, p := range want.parents[j] {
								if m>>j&1 == 0 {
									nearNumber(t,
										fmt.Sprintf("P(%v are the parents of %d)", members(m),
											j), got[m&(1<<j-1)|m>>(j+1)<<j], p, tol)
								}
							}
						}
					})
			}
		}
	}
}

// The best graph is the first of all graphs by probability.
func TestBestEnumerated(t *testing.T) {
	for d := 1; d <= largest(); d++ {
		for name, prior := range priors(t, d) {
			for n, r := range ranges {
				t.Run(fmt.Sprintf("d=%d/%s/deviation=%v", d, name, r.deviation),
					func(t *testing.T) {
						s := randomTable(d, r.offset, r.deviation, uint64(20*d+n))
						want := enumerate(s, prior, false)
						p, _ := posterior(t, s, prior, exact.Options{})
						g, log := must.Two(p.Best(context.Background()))(t)
						if !g.Equal(want.best.graph()) {
							t.Errorf("best graph is %v, want %v", g.Edges(),
								want.best.graph().Edges())
						}
						nearNumber(t, "score of the best graph", p.LogScore(g), log,
							1e-12+tolerance(r.offset, r.deviation))
						nearNumber(t, "ln Π e^q of the best graph", log,
							want.bestLog+want.logEvidence,
							1e-12+tolerance(r.offset, r.deviation))
					})
			}
		}
	}
}
