package mcmc_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/mcmc"
	"tobac/internal/must"
	"tobac/score"
)

// Columns in other units have the same scores but for a constant and rounding. Under a score of
// equivalence classes many changes have a ratio of exactly one, which rounding must not decide: the
// chains go the same way.
func TestUnitsChangeNothing(t *testing.T) {
	const n, d = 200, 18
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			v := rng.NormFloat64()
			for k := 1; k <= min(j, 2); k++ {
				v += 0.8 / float64(k) * x.At(i, j-k)
			}
			x.Set(i, j, v)
		}
	}
	edges := func(unit func(j int) float64) *mat.Dense {
		y := mat.DenseCopyOf(x)
		y.Apply(func(_, j int, v float64) float64 { return unit(j) * v }, y)
		s := must.Get(score.NewBGe(y, nil, score.BGeOptions{AlphaMu: 1, AlphaLambda: d + 2}))(t)
		p := must.Get(score.Sparse(d, 1))(t)
		m, err := mcmc.New(context.Background(), s, p,
			mcmc.Options{Chains: 2, Candidates: 10, WarmUp: 60, Draws: 100, Seed: 1, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		must.Do(t, m.Advance(context.Background(), 200))
		r := must.Get(m.Result())(t)
		return r.Edges
	}
	first := edges(func(int) float64 { return 1 })
	second := edges(func(j int) float64 { return math.Pow(1000, float64(j%3-1)) })
	if !mat.EqualApprox(first, second, 1e-9) {
		t.Errorf("edge probabilities\n%.3f\nin other units\n%.3f", mat.Formatted(first),
			mat.Formatted(second))
	}
}
