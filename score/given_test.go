package score_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/score"
)

// plain hides everything of a scorer but its two methods.
type plain struct{ score.Scorer }

// Scores beside given parents are those of the union, one by one.
func TestLogScoresGiven(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(30, 7, nil)
	for i := range 30 {
		for j := range 7 {
			x.Set(i, j, rng.NormFloat64()+0.5*x.At(i, max(j-1, 0)))
		}
	}
	bge := must.Get(score.NewBGe(x, nil, score.BGeOptions{}))(t)
	linear := must.Get(score.NewLinear(x, nil, score.LinearOptions{NoiseVariance: 1}))(t)
	prior := score.Fair(7)
	prior.Forbid(5, 2)
	prior.Require(0, 2)
	prior.MaxParents(4)
	candidates, given := []int{0, 3, 5}, []int{1, 6}
	for name, s := range map[string]score.Scorer{"bge": bge, "linear": linear,
		"plain": plain{bge}} {
		t.Run(name, func(t *testing.T) {
			got := make([]float64, 8)
			must.Do(t, nodescore.LogScoresGiven(context.Background(), s, got, 2, candidates,
				given))
			prior.AddToGiven(got, 2, candidates, given)
			for set, v := range got {
				parents := []int{}
				for i := range 7 {
					in := i == 1 || i == 6
					for k, c := range candidates {
						in = in || c == i && set>>k&1 != 0
					}
					if in {
						parents = append(parents, i)
					}
				}
				want := s.LogScore(2, parents) + prior.LogPrior(2, parents)
				// Two eliminations of at most five rows: some ulps of numbers near 100.
				if !(math.Abs(v-want) <= 1e-10) && v != want {
					t.Errorf("parents %v: got %v, want %v", parents, v, want)
				}
			}
		})
	}
}

// Beside given parents a model that allows no more has the probability zero, as without.
func TestLogScoresGivenTooMany(t *testing.T) {
	s := score.NewFunc(4, func(_ int, parents []int) float64 {
		if len(parents) > 2 {
			return math.Inf(-1)
		}
		return float64(len(parents))
	})
	got := make([]float64, 4)
	must.Do(t, nodescore.LogScoresGiven(context.Background(), s, got, 0, []int{1, 3},
		[]int{2}))
	if want := []float64{1, 2, 2, math.Inf(-1)}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
