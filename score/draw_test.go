package score_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/must"
	"tobac/score"
)

// Draw has the weights of Sample, noise variances with the mean of the posterior, and
// intercepts with the variance v/(n + α_μ).
func TestDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	x := mat.NewDense(30, 3, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	bge := must.Get(score.NewBGe(x, nil, score.BGeOptions{}))(t)
	linear := must.Get(score.NewLinear(x, nil, score.LinearOptions{NoiseVariance: 2}))(t)
	through := must.Get(score.NewLinear(x, nil,
		score.LinearOptions{NoiseVariance: 2, NoIntercept: true}))(t)
	for _, row := range []struct {
		name     string
		s        score.Weighted
		strength float64
	}{{"bge", bge, 31}, {"linear", linear, 31}, {"no intercept", through, 0}} {
		for _, parents := range [][]int{nil, {0}, {0, 1}} {
			e := row.s.Equation(2, parents)
			if e.Strength != row.strength {
				t.Errorf("%s: strength %v, want %v", row.name, e.Strength, row.strength)
			}
			const draws = 20000
			variance, squares := 0.0, 0.0
			a, b, other := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 1)),
				rand.New(rand.NewPCG(2, 2))
			for range draws {
				w, above, v := e.Draw(a, other)
				for k, want := range e.Sample(nil, b) {
					if w[k] != want {
						t.Fatalf("%s: weights %v, Sample differs in %v", row.name, w, want)
					}
				}
				variance += v / draws
				squares += above * above / v / draws
			}
			// v has a relative standard deviation of about sqrt(2/33), its mean of 0.0018; four
			// sigmas.
			if !(math.Abs(variance/e.NoiseVariance-1) <= 0.008) {
				t.Errorf("%s: noise variances of the mean %v, want %v", row.name, variance,
					e.NoiseVariance)
			}
			// The mean of 20,000 squares of standard normal numbers is 1 ± 0.01; four sigmas.
			if row.strength == 0 {
				if squares != 0 {
					t.Errorf("%s: an intercept is drawn", row.name)
				}
			} else if !(math.Abs(squares*row.strength-1) <= 0.04) {
				t.Errorf("%s: intercepts of the variance %v v, want 1/%v", row.name, squares,
					row.strength)
			}
		}
	}
}
