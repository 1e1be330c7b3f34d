package tobac_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tobac"
	"tobac/dataset"
	"tobac/engine/markov"
	"tobac/engine/sums"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// Every engine says that four columns have a hidden common cause, and no more of as many columns
// than exact sums take.
func TestHiddenCauses(t *testing.T) {
	table := func(columns int) *dataset.Table {
		rng := rand.New(rand.NewPCG(49, 3))
		data := &dataset.Table{X: mat.NewDense(800, columns, nil)}
		for j := range columns {
			data.Names = append(data.Names, fmt.Sprintf("V%d", j))
		}
		for i := range 800 {
			row := data.X.RawRowView(i)
			h := rng.NormFloat64()
			for j := range row {
				if row[j] = rng.NormFloat64(); j < 4 {
					row[j] += h
				}
			}
		}
		return data
	}
	few := &markov.MCMC{Chains: 2, Iterations: 400, WarmUp: 200}
	for _, c := range []struct {
		columns int
		engine  tobac.Config
	}{{9, tobac.Config{Engine: &sums.Exact{}}}, {9, tobac.Config{Engine: few}},
		{24, tobac.Config{Engine: few}}} {
		c.engine.Model, c.engine.Seed = sem.BGe{}, 1
		r := fit(t, table(c.columns), c.engine)
		var got []string
		for _, w := range r.Warnings {
			if strings.HasPrefix(w, "a hidden common cause explains better") {
				got = append(got, w)
			}
		}
		if len(got) != 1 || !strings.Contains(got[0], `"V0", "V1", "V2", "V3" (by `) {
			t.Errorf("%d columns, %T: warnings %q", c.columns, c.engine.Engine, r.Warnings)
		}
	}
}
