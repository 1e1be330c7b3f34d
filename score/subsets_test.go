package score_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/must"
	"tobac/score"
)

// scorers are all kinds of scores of one data set with interventions.
func scorers(t *testing.T, x *mat.Dense, mask mat.Matrix) map[string]score.SubsetScorer {
	t.Helper()
	return map[string]score.SubsetScorer{
		"bge":     newBGe(t, x, mask, score.BGeOptions{}),
		"bge raw": newBGe(t, x, mask, score.BGeOptions{Scale: score.Raw}),
		"linear":  newLinear(t, x, mask, score.LinearOptions{NoiseVariance: 0.6}),
		"linear, no intercept": newLinear(t, x, mask,
			score.LinearOptions{NoiseVariance: 0.6, NoIntercept: true}),
		"linear, no noise": newLinear(t, x, mask, score.LinearOptions{NoiseVariance: 1e-6}),
	}
}

// All subsets of candidates, for every number of candidates, equal the scores one
// by one, from determinants that all variables share where all others are candidates, and by
// elimination otherwise. Interventions in one column leave the others in one group.
func TestLogScoresMatchLogScore(t *testing.T) {
	const n, d = 30, 9
	x := normals(31, n, d)
	mask := mat.NewDense(n, d, nil)
	for i := range 5 {
		mask.Set(i, 4, 1)
	}
	all := map[string]score.SubsetScorer{}
	for name, m := range map[string]mat.Matrix{"": nil, ", masked": randomMask(31, n, d, true),
		", one column masked": mask} {
		for kind, s := range scorers(t, x, m) {
			all[kind+name] = s
		}
	}
	for name, s := range all {
		t.Run(name, func(t *testing.T) {
			for j := range d {
				candidates := others(d, j)
				if j%2 == 1 {
					candidates = candidates[1:] // not all other variables
				}
				for k := range len(candidates) + 1 {
					dst := make([]float64, 1<<k)
					s.LogScores(dst, j, candidates[:k])
					for set, got := range dst {
						var parents []int
						for b := range k {
							if set>>b&1 == 1 {
								parents = append(parents, candidates[b])
							}
						}
						if want := s.LogScore(j, parents); !near(got, want, 1e-12) {
							t.Fatalf("score(%d|%v): got %v, want %v", j, parents, got, want)
						}
					}
				}
			}
		})
	}
}

// Equal and nearly equal columns, whose matrices rounding makes indefinite, give
// finite scores.
func TestLogScoresFinite(t *testing.T) {
	const n, d = 20, 6
	x := normals(32, n, d)
	for i := range n {
		x.Set(i, 3, x.At(i, 1))
		x.Set(i, 4, x.At(i, 1)*(1+1e-15))
		x.Set(i, 5, 1e9*x.At(i, 1)+x.At(i, 0))
	}
	for name, s := range scorers(t, x, nil) {
		if err := score.Check(context.Background(), s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Relabelling the columns relabels the scores.
func TestLogScoresRelabel(t *testing.T) {
	const n, d = 25, 5
	x := normals(33, n, d)
	order := []int{3, 0, 4, 2, 1} // column k of y is column order[k] of x
	y, m, mask := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil), randomMask(33, n, d, false)
	for k, i := range order {
		y.SetCol(k, mat.Col(nil, i, x))
		m.SetCol(k, mat.Col(nil, i, mask))
	}
	before, after := scorers(t, x, mask), scorers(t, y, m)
	for name, s := range after {
		everySet(d, func(j int, parents []int) {
			var original []int
			for _, i := range parents {
				original = insert(original, order[i])
			}
			// Other sequences of elimination differ by rounding, at a noise variance of
			// 1e-6 by that of residuals of 1 divided by it.
			got, want := s.LogScore(j, parents), before[name].LogScore(order[j], original)
			if !near(got, want, 1e-11) {
				t.Errorf("%s: score(%d|%v): got %v, want %v", name, j, parents, got, want)
			}
		})
	}
}

// LogScores works for scores without a method of that name, reports scores that
// are not finite, and stops.
func TestLogScoresGeneric(t *testing.T) {
	const n, d = 12, 4
	s := newBGe(t, normals(34, n, d), nil, score.BGeOptions{})
	f := score.NewFunc(d, s.LogScore)
	want, got := make([]float64, 8), make([]float64, 8)
	s.LogScores(want, 2, []int{0, 1, 3})
	must.Do(t, score.LogScores(context.Background(), f, got, 2, []int{0, 1, 3}))
	for set := range got {
		if !near(got[set], want[set], 1e-13) {
			t.Errorf("set %b: got %v, want %v", set, got[set], want[set])
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := score.LogScores(ctx, f, got, 2, []int{0, 1, 3}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	bad := score.NewFunc(d, func(j int, parents []int) float64 {
		if len(parents) == 2 {
			return math.NaN()
		}
		return 0
	})
	message := "score: column 3 given [1 2]: log score is NaN, want a finite number or -Inf"
	if err := score.LogScores(context.Background(), bad, got, 2, []int{0, 1, 3}); err == nil ||
		err.Error() != message {
		t.Errorf("got %v, want %s", err, message)
	}
}
