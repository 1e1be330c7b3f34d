package tobac_test

import (
	"math"
	"testing"

	"tobac"
	"tobac/sem"
)

// Frequencies of weighted draws are the listed probabilities, although the posterior mixes parts
// whose graphs differ in their numbers of linear extensions: within three standard errors, and .02
// for rare edges whose draws weigh much.
func TestDrawsFollowTheListedProbabilities(t *testing.T) {
	tables := completedTables(noisy(t), 3)
	for seed := range uint64(3) {
		r := fit(t, tables.Table(int(seed)), tobac.Config{Model: sem.Linear{}, Seed: seed})
		drawn, ess := r.Frequencies().Probabilities, r.Empirical().EffectiveSampleSize()
		for i := range 5 {
			for j := range 5 {
				v := r.Probabilities.At(i, j)
				if math.Abs(drawn.At(i, j)-v) > 3*math.Sqrt(v*(1-v)/ess)+0.02 {
					t.Errorf("seed %d, edge %d -> %d: frequency %.3f among draws worth %.0f, "+
						"probability %.3f", seed, i, j, drawn.At(i, j), ess, v)
				}
			}
		}
	}
}
