package exact_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"tobac/internal/exact"
	"tobac/internal/must"
	"tobac/score"
)

// priors are the kinds of prior for d variables that the tests go through.
func priors(t *testing.T, d int) map[string]*score.Prior {
	t.Helper()
	er := must.Get(score.ErdosRenyi(d, 0.3))(t)
	constrained := score.Fair(d)
	if d >= 3 {
		constrained.Forbid(0, 1)
		constrained.Require(d-1, 0)
		constrained.Require(d-1, 1)
	}
	tiers := score.Uniform(d)
	tier := make([]int, d)
	for j := range tier {
		tier[j] = (j+1)%3 - 1
	}
	tiers.Tiers(tier)
	bounded := score.ScaleFree(d)
	bounded.MaxParents(2)
	table := must.Get(score.EdgeProbabilities(d, func(i, j int) float64 {
		switch {
		case i == d-1 && j == 0:
			return 1
		case i == 0 && j == d-1:
			return 0
		}
		return 0.1 + 0.7*math.Abs(math.Sin(float64(3*i+j)))
	}))(t)
	all := map[string]*score.Prior{"uniform": score.Uniform(d), "fair": score.Fair(d),
		"scale-free": score.ScaleFree(d), "erdos-renyi": er}
	if d > 1 {
		all["required and forbidden"], all["tiers"], all["two parents"],
			all["edge probabilities"] = constrained, tiers, bounded, table
	}
	return all
}

// ranges of random scores: the last take one level of sums, two and many.
var ranges = []struct{ offset, deviation float64 }{{0, 1}, {-1e4, 30}, {-800, 400}, {1e3, 1500},
	{-1e5, 30000}}

func posterior(t *testing.T, s score.Scorer, prior *score.Prior,
	opt exact.Options) (*exact.Posterior, *exact.Orders) {
	t.Helper()
	p := must.Get(exact.New(context.Background(), s, prior, opt))(t)
	o := must.Get(p.Orders(context.Background()))(t)
	return p, o
}

// tolerance is the error of probabilities that are exponentials of sums of d scores
// around the given size.
func tolerance(offset, deviation float64) float64 {
	return 1e-13 + 20*0x1p-52*(math.Abs(offset)+5*deviation)
}

// The posterior over orders is that of the sum over all graphs, each as often as it
// has linear extensions, for every prior and for scores that differ by thousands of nats.
func TestOrdersEnumerated(t *testing.T) {
	for d := 1; d <= largest(); d++ {
		for name, prior := range priors(t, d) {
			for n, r := range ranges {
				if d == 5 && n%2 > 0 { // which four variables have
					continue
				}
				t.Run(fmt.Sprintf("d=%d/%s/deviation=%v", d, name, r.deviation),
					func(t *testing.T) {
						s := randomTable(d, r.offset, r.deviation, uint64(10*d+n))
						want := enumerate(s, prior, true)
						_, o := posterior(t, s, prior, exact.Options{})
						tol := tolerance(r.offset, r.deviation)
						nearNumber(t, "log evidence", o.LogEvidence(), want.logEvidence, 1e-12+tol)
						near(t, "edge", o.Edges(), want.edges, tol)
						for j := range d {
							got := o.ParentSets(j)
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
