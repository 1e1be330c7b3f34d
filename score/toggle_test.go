package score_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/internal/scoring"
	"tobac/score"
)

// Scores of the neighbours of a set of parents are those of the sets, with and without
// interventions, from no parents to all others, of nearly collinear columns too.
func TestToggled(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 1))
	const n, d = 60, 40
	x, mask := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			v := rng.NormFloat64()
			if j > 0 {
				v += x.At(i, j-1)
			}
			if j%5 == 4 {
				v = x.At(i, j-1) + 1e-6*v
			}
			x.Set(i, j, v)
			if rng.IntN(3) == 0 {
				mask.Set(i, j, 1)
			}
		}
	}
	prior := score.Fair(d)
	prior.Forbid(3, 7)
	prior.Require(5, 8)
	prior.Require(6, 9)
	prior.Require(7, 9)
	prior.MaxParents(20)
	for _, m := range []mat.Matrix{nil, mask} {
		bge := must.Get(score.NewBGe(x, m, score.BGeOptions{}))(t)
		linear := newLinear(t, x, m, score.LinearOptions{NoiseVariance: 0.3})
		blend := &nodescore.Blend{Form: linear, Base: bge, Weight: 0.3}
		for _, s := range []score.Scorer{bge, linear, score.NewFunc(d, linear.LogScore), blend} {
			for trial := range 60 {
				j := trial % 10
				var parents []int
				for _, i := range dag.AllBut(d, j) {
					if rng.IntN(d) < trial {
						parents = append(parents, i)
					}
				}
				variables := dag.AllBut(d, j)
				if trial%2 == 1 {
					variables = slices.DeleteFunc(variables, func(int) bool {
						return rng.IntN(3) == 0
					})
				}
				got, priors := make([]float64, len(variables)), make([]float64, len(variables))
				nodescore.LogScoresToggled(s, got, j, parents, variables)
				prior.AddToToggled(priors, j, parents, variables)
				both := make([]float64, len(variables))
				nodescore.LogWeightsToggled(s, prior, both, j, parents, variables)
				for k, i := range variables {
					set := scoring.Toggle(nil, parents, i)
					want := s.LogScore(j, set)
					if !(math.Abs(got[k]-want) <= 1e-7*math.Max(1, math.Abs(want))) {
						t.Fatalf("%T: %d given %v and %d: %v, want %v", s, j, parents, i, got[k],
							want)
					}
					if v := got[k] + priors[k]; !(both[k] == v || math.Abs(both[k]-v) < 1e-9) {
						t.Fatalf("%T: %d given %v with prior: %v, want %v", s, j, set, both[k], v)
					}
					if p := prior.LogPrior(j, set); !(priors[k] == p ||
						math.Abs(priors[k]-p) < 1e-9) {
						t.Fatalf("prior of %d given %v: %v, want %v", j, set, priors[k], p)
					}
				}
			}
		}
	}
}

// A factor that goes on from set to set gives the scores of one made anew.
func TestNeighbours(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 2))
	const n, d, j = 80, 50, 7
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for k := range d {
			v := rng.NormFloat64()
			if k > 0 && k%3 == 0 {
				v = x.At(i, k-1) + 1e-3*v
			}
			x.Set(i, k, v)
		}
	}
	bge := must.Get(score.NewBGe(x, nil, score.BGeOptions{AlphaLambda: d + 1.01}))(t)
	linear := newLinear(t, x, nil, score.LinearOptions{NoiseVariance: 0.3})
	for _, c := range []score.Conjugate{bge, linear} {
		s, all := c.(nodescore.NearScorer), dag.AllBut(d, j)
		near := s.Neighbours(j, all)
		var parents []int
		for trial := range 400 {
			few := 1 + rng.IntN(4)
			if trial%50 == 0 {
				few = 20
			}
			for range few {
				parents = scoring.Toggle(nil, parents, all[rng.IntN(len(all))])
			}
			variables := slices.DeleteFunc(slices.Clone(all), func(int) bool {
				return rng.IntN(3) == 0
			})
			got, want := make([]float64, len(variables)), make([]float64, len(variables))
			near(got, parents, variables)
			s.LogScoresToggled(want, j, parents, variables)
			for k, i := range variables {
				if !(math.Abs(got[k]-want[k]) <= 1e-6) {
					t.Fatalf("%T, set %d: %d given %v and %d: %v, want %v", s, trial, j, parents, i,
						got[k], want[k])
				}
			}
		}
	}
}
