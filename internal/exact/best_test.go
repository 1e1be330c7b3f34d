package exact_test

import (
	"context"
	"fmt"
	"testing"

	"tobac/internal/exact"
)

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
						g, log, err := p.Best(context.Background())
						if err != nil {
							t.Fatal(err)
						}
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
