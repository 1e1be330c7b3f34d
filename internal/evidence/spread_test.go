package evidence_test

import (
	"context"
	"math"
	"testing"

	"tobac/internal/evidence"
	"tobac/internal/nodescore"
)

// Standard errors are as large as the errors, over 200 seeds.
func TestStandardErrorsOverSeeds(t *testing.T) {
	for _, c := range []struct {
		kind   string
		rows   int
		points int
		prior  bool
	}{{"laplace", 10, 128, false}, {"cubic", 1, 128, false}, {"unnormalised", 3, 128, true}} {
		m := scale{chain(c.rows, 2, 5), c.kind}
		s := newSets(t, m, evidence.Config{})
		want := m.logEvidence(1)
		if c.prior {
			want = 0.5 * math.Log(2*math.Pi)
		}
		ratios, sum := 0.0, 0.0
		const seeds = 200
		for seed := range uint64(seeds) {
			var log, sd float64
			if c.prior {
				logs, errs, err := s.WithSeed(seed).LogPriorMasses(context.Background(),
					nodescore.Families(1, nil), c.points)
				if err != nil {
					t.Fatal(err)
				}
				log, sd = logs[0], errs[0]
			} else {
				all, err := s.WithSeed(seed).Estimate(context.Background(),
					nodescore.Families(1, nil), c.points)
				if err != nil {
					t.Fatal(err)
				}
				log, sd = all[0].LogEvidence, all[0].StandardError
			}
			z := (log - want) / sd
			ratios += z * z / seeds
			sum += (log - want) / seeds
		}
		// Few points that all miss the tails agree too well: the ratio is a little above 1.
		if r := math.Sqrt(ratios); r < 0.85 || r > 1.25 || !(math.Abs(sum) <= 0.01) {
			t.Errorf("%s: errors are %.2f times their standard errors, %.3f on average", c.kind, r,
				sum)
		}
	}
}
