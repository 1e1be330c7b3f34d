package exact_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"tobac/dag"
	"tobac/internal/exact"
	"tobac/internal/must"
	"tobac/internal/scoring"
)

// Scores that are looked up are those that the sums were made of, but for sets that the prior
// rules out, which are impossible.
func TestScores(t *testing.T) {
	ctx, d := context.Background(), 5
	for name, prior := range priors(t, d) {
		t.Run(name, func(t *testing.T) {
			s := randomTable(d, -700, 1.5, 7)
			p := must.Get(exact.New(ctx, s, prior, exact.Options{}))(t)
			o := must.Get(p.Orders(ctx))(t)
			kept := o.Scores(prior)
			if kept.Vars() != d {
				t.Errorf("%d variables, want %d", kept.Vars(), d)
			}
			for j := range d {
				others := dag.AllBut(d, j)
				for given := range 1 << len(others) {
					fixed, free := scoring.Subset(nil, others, given),
						scoring.Subset(nil, others, (1<<len(others)-1)&^given)
					got := make([]float64, 1<<len(free))
					kept.LogScoresGiven(got, j, free, fixed)
					for set := range got {
						all := slices.Sorted(
							slices.Values(slices.Concat(fixed, scoring.Subset(nil, free, set))))
						want := s.LogScore(j, all)
						if math.IsInf(prior.LogPrior(j, all), -1) {
							want = math.Inf(-1)
						}
						one := kept.LogScore(j, all)
						if !(math.Abs(got[set]-want) <= 1e-9) && got[set] != want ||
							one != got[set] {
							t.Fatalf("variable %d, parents %v: %v and %v, want %v", j, all,
								got[set], one, want)
						}
					}
				}
			}
		})
	}
}
