package models_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"tobac/autograd"
	"tobac/internal/must"
	"tobac/models"
	"tobac/schedule"
	"tobac/svgd"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// banana is a Gaussian, and a second one around a parabola in the first,
//
//	x₁ ~ N(0, v),   x₂ | x₁ ~ N(b(x₁² − v), 1),
//
// but for a constant.
func banana(curvature, variance float64) func(x []*autograd.Node) *autograd.Node {
	return func(x []*autograd.Node) *autograd.Node {
		x1, x2 := x[0].Index(0, 0), x[0].Index(0, 1)
		ridge := x1.Square().AddScalar(-variance).Scale(curvature)
		return x1.Square().Scale(1 / variance).Add(x2.Sub(ridge).Square()).Scale(-0.5)
	}
}

// gaussianMixture is ln Σ_c w_c N(x; m_c, v_c I)/Σ_c w_c.
func gaussianMixture(means [][]float64,
	variances, weights []float64) func(x []*autograd.Node) *autograd.Node {
	k, p, total := len(means), len(means[0]), floats.Sum(weights)
	slopes, offsets := make([]float64, k), make([]float64, k)
	for c, v := range variances {
		slopes[c] = -1 / (2 * v)
		offsets[c] = math.Log(weights[c]/total) - 0.5*float64(p)*math.Log(2*math.Pi*v)
	}
	return func(x []*autograd.Node) *autograd.Node {
		b := x[0].Builder()
		squares := x[0].Sub(b.Constant(slices.Concat(means...), autograd.Shape{k, p})).Square().Sum(
			1)
		return squares.Mul(b.Constant(slopes, autograd.Shape{k})).Add(b.Constant(offsets,
			autograd.Shape{k})).LogSumExp()
	}
}

// TestToysAreSampled runs SVGD from a fixed seed to a standstill and compares
// the particles' moments with the exact ones. What is left is the bias of M
// particles under a squared exponential kernel, which flattens the tails: at
// M = 120 the means are within 0.05, variances within 12 per cent, and the
// banana's bend E x₁²x₂ within 0.2; at M = 30 every variance is further off.
func TestToysAreSampled(t *testing.T) {
	for _, tt := range []struct {
		name           string
		density        func(x []*autograd.Node) *autograd.Node
		mean, variance [2]float64
		bend           float64 // NaN means not compared
	}{
		{"banana", banana(0.3, 1), [2]float64{0, 0}, [2]float64{1, 1.18}, 0.6},
		{"mixture", gaussianMixture([][]float64{{-1.5, 0}, {1.5, 1}}, []float64{1, 1},
			[]float64{1, 1}),
			[2]float64{0, 0.5}, [2]float64{1 + 2.25, 1 + 0.25}, math.NaN()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mean, variance, bend := sampledMoments(t, tt.density, 120)
			_, coarse, _ := sampledMoments(t, tt.density, 30)
			for k := range 2 {
				if !(math.Abs(mean[k]-tt.mean[k]) <= 0.05) {
					t.Errorf("mean of x%d is %v, want %v ± 0.05", k+1, mean[k], tt.mean[k])
				}
				off, offCoarse := math.Abs(variance[k]/tt.variance[k]-1),
					math.Abs(coarse[k]/tt.variance[k]-1)
				if off > 0.12 || off >= offCoarse {
					t.Errorf("variance of x%d is %v, with 30 particles %v, want %v ± 12 %% and "+
						"better than with 30", k+1, variance[k], coarse[k], tt.variance[k])
				}
			}
			if !math.IsNaN(tt.bend) && !(math.Abs(bend-tt.bend) <= 0.2) {
				t.Errorf("mean of x₁²x₂ is %v, want %v ± 0.2", bend, tt.bend)
			}
		})
	}
}

// sampledMoments are the moments of m particles after 400 steps of SVGD.
func sampledMoments(t *testing.T, density func(x []*autograd.Node) *autograd.Node,
	m int) (mean, variance [2]float64, bend float64) {
	const steps = 400
	target := newTarget(t, m, []autograd.Shape{{2}}, density, models.Options{})
	x := []*mat.Dense{mat.NewDense(m, 2, normals(newRand(92), 2*m))}
	s := svgd.Sampler{Target: target, Optimizer: svgd.Scheduled{Optimizer: svgd.Adam{StepSize: 0.1},
		Factor: schedule.Ramp{From: 1, Start: steps / 2, End: steps}}}
	must.Do(t, s.Run(context.Background(), x, 0, steps))
	for k := range 2 {
		mean[k], variance[k] = stat.PopMeanVariance(mat.Col(nil, k, x[0]), nil)
	}
	for i := range m {
		bend += x[0].At(i, 0) * x[0].At(i, 0) * x[0].At(i, 1) / float64(m)
	}
	return mean, variance, bend
}
