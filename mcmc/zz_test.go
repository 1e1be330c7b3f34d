package mcmc_test

import (
	"math"
	"testing"

	"tobac/mcmc"
	"tobac/score"
)

func TestLong(t *testing.T) {
	for _, k := range []int{2, 3} {
		for _, r := range []int{1, 3} {
			for _, scale := range []float64{1, 3} {
				s, p := listed{4, scale, 11}, score.Fair(4)
				want := enumerate(s, p)
				res := run(t, s, p, mcmc.Options{Candidates: k, Rungs: r, WarmUp: 200, Hottest: .3, Seed: 5}, 60000)
				w, at := 0., [2]int{}
				for i := range 4 {
					for j := range 4 {
						if e := math.Abs(res.Edges.At(i, j) - want.edges.At(i, j)); e > w {
							w, at = e, [2]int{i, j}
						}
					}
				}
				t.Logf("k %d rungs %d scale %v worst %.5f at %v %.4f; lp %.4f±%.4f outside %.3f", k, r, scale, w, at, want.edges.At(at[0], at[1]), res.Diagnostics.LogP.Mean, res.Diagnostics.LogP.StandardError, res.Outside)
			}
		}
	}
}
