package score_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/internal/scoretest"
	"tobac/score"
)

// A model with another edge variance, or other degrees of freedom of the prior, scores as one that
// was made with it, bit by bit, with and without interventions, and the data are left as they were.
func TestSharedMoments(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const n, d = 40, 4
	x, mask := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, 3+rng.NormFloat64())
			mask.Set(i, j, float64(rng.IntN(2)))
		}
	}
	before := mat.DenseCopyOf(x)
	for name, intervened := range map[string]mat.Matrix{"observed": nil, "interventions": mask,
		"mask of zeros": mat.NewDense(n, d, nil)} {
		made := func(edge float64) score.Linear {
			t.Helper()
			return must.Get(score.NewLinear(x, intervened,
				score.LinearOptions{NoiseVariance: 0.7, EdgeVariance: edge}))(t)
		}
		got, want := made(1).WithEdgeVariance(4), made(4)
		for j := range d {
			for _, parents := range [][]int{nil, {(j + 1) % d}} {
				if a, b := got.LogScore(j, parents), want.LogScore(j, parents); a != b {
					t.Errorf("%s: score of %d given %v is %v, want %v", name, j, parents, a, b)
				}
			}
		}
	}
	for _, scale := range []score.Scale{score.Raw, score.Standardised} {
		for name, intervened := range map[string]mat.Matrix{"observed": nil,
			"interventions": mask} {
			made := func(lambda float64) score.BGe {
				t.Helper()
				return must.Get(score.NewBGe(x, intervened,
					score.BGeOptions{AlphaMu: 0.5, AlphaLambda: lambda, Scale: scale}))(t)
			}
			first := made(6)
			got, want := first.WithAlphaLambda(9).WithAlphaLambda(12), made(12)
			for j := range d {
				for _, parents := range [][]int{nil, {(j + 1) % d}} {
					if a, b := got.LogScore(j, parents), want.LogScore(j, parents); a != b {
						t.Errorf("%s, scale %d: score of %d given %v is %v, want %v", name, scale,
							j, parents, a, b)
					}
					if a, b := first.LogScore(j, parents), made(6).LogScore(j, parents); a != b {
						t.Errorf("%s, scale %d: the first score of %d given %v became %v from %v",
							name, scale, j, parents, a, b)
					}
				}
			}
		}
	}
	if !mat.Equal(before, x) {
		t.Error("the data were changed")
	}
}

var (
	everySet   = scoretest.EverySet
	keep       = scoretest.Keep
	logNormal  = scoretest.LogNormal
	near       = scoretest.Near
	newGP      = scoretest.NewGP
	newLinear  = scoretest.NewLinear
	normals    = scoretest.Normals
	others     = dag.AllBut
	randomMask = scoretest.RandomMask
)
