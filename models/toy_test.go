package models_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/models"
	"tobac/schedule"
	"tobac/svgd"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// banana is a Gaussian, and a second one around a parabola in the first,
//
//	x₁ ~ N(0, v),   x₂ | x₁ ~ N(b(x₁² − v), 1).
func banana(curvature, variance float64) func(x []*autograd.Node) *autograd.Node {
	return func(x []*autograd.Node) *autograd.Node {
		x1, x2 := x[0].Index(0, 0), x[0].Index(0, 1)
		ridge := x1.Square().AddScalar(-variance).Scale(curvature)
		squares := x1.Square().Scale(1 / variance).Add(x2.Sub(ridge).Square())
		return squares.Scale(-0.5).AddScalar(-math.Log(2*math.Pi) - 0.5*math.Log(variance))
	}
}

// gaussianMixture is ln Σ_c w_c N(x; m_c, v_c I)/Σ_c w_c.
func gaussianMixture(means [][]float64, variances, weights []float64) func(x []*autograd.Node) *autograd.Node {
	k, p, total := len(means), len(means[0]), floats.Sum(weights)
	slopes, offsets := make([]float64, k), make([]float64, k)
	for c, v := range variances {
		slopes[c] = -1 / (2 * v)
		offsets[c] = math.Log(weights[c]/total) - 0.5*float64(p)*math.Log(2*math.Pi*v)
	}
	return func(x []*autograd.Node) *autograd.Node {
		b := x[0].Builder()
		squares := x[0].Sub(b.Constant(slices.Concat(means...), autograd.Shape{k, p})).Square().Sum(1)
		return squares.Mul(b.Constant(slopes, autograd.Shape{k})).Add(b.Constant(offsets, autograd.Shape{k})).LogSumExp()
	}
}

func naiveBanana(b, v float64, x []float64) float64 {
	return lnNormal(x[0], 0, v) + lnNormal(x[1], b*(x[0]*x[0]-v), 1)
}

// naiveMixture sums the densities without a shift: fine near the components.
func naiveMixture(means [][]float64, variances, weights []float64, x []float64) float64 {
	total, density := 0.0, 0.0
	for c, m := range means {
		l := 0.0
		for i := range m {
			l += lnNormal(x[i], m[i], variances[c])
		}
		density += weights[c] * math.Exp(l)
		total += weights[c]
	}
	return math.Log(density / total)
}

var (
	mixtureMeans     = [][]float64{{-1, 0.5, 2}, {1.5, -1, 0}, {0, 0, -1}}
	mixtureVariances = []float64{0.5, 2, 1}
	mixtureWeights   = []float64{3, 1, 2}
)

// A toy is a density with its plain formula.
type toy struct {
	name    string
	density func(x []*autograd.Node) *autograd.Node
	naive   func(x []float64) float64
	p       int
}

func toys() []toy {
	return []toy{
		{"banana", banana(0.7, 1.5), func(x []float64) float64 { return naiveBanana(0.7, 1.5, x) }, 2},
		{"straight banana", banana(0, 2), func(x []float64) float64 { return naiveBanana(0, 2, x) }, 2},
		{"mixture", gaussianMixture(mixtureMeans, mixtureVariances, mixtureWeights),
			func(x []float64) float64 { return naiveMixture(mixtureMeans, mixtureVariances, mixtureWeights, x) }, 3},
		{"one component", gaussianMixture([][]float64{{2}}, []float64{3}, []float64{0.1}),
			func(x []float64) float64 { return lnNormal(x[0], 2, 3) }, 1},
	}
}

func TestToyDensities(t *testing.T) {
	rng := newRand(91)
	for _, tt := range toys() {
		t.Run(tt.name, func(t *testing.T) {
			const m = 20
			x := mat.NewDense(m, tt.p, normals(rng, m*tt.p))
			x.SetRow(0, make([]float64, tt.p))
			target := newTarget(t, m, []autograd.Shape{{tt.p}}, tt.density, models.Options{})
			got, err := target.LogDensity([]*mat.Dense{x})
			if err != nil {
				t.Fatal(err)
			}
			s := score(t, target, []*mat.Dense{x}, 0)[0]
			for i := range m {
				row := x.RawRowView(i)
				check(t, "log density", got[i:i+1], []float64{tt.naive(row)}, 1e-13)
				for k := range row {
					// Differences of the independent formula; 1e-9 is what their
					// rounding leaves at a step of 0.01 with extrapolation.
					want, _ := gradtest.Derivative(func(h float64) float64 {
						at := append([]float64{}, row...)
						at[k] += h
						return tt.naive(at)
					}, 0.01)
					check(t, "score", []float64{s.At(i, k)}, []float64{want}, 1e-9)
				}
			}
			build := func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node { return tt.density(x) }
			if err := gradtest.Check(build, [][]float64{x.RawRowView(1)}, []autograd.Shape{{tt.p}}, gradtest.Options{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestToysAreNormalised integrates the densities over a grid that holds all but
// 1e-9 of their mass; the trapezoid rule is exact there to rounding.
func TestToysAreNormalised(t *testing.T) {
	const n, half, step = 240, 12.0, 0.1
	var points []float64
	for i := range n + 1 {
		for j := range n + 1 {
			points = append(points, float64(i)*step-half, float64(j)*step-half)
		}
	}
	m := (n + 1) * (n + 1)
	for _, tt := range []struct {
		name           string
		density        func(x []*autograd.Node) *autograd.Node
		mean, variance [2]float64
		cross          float64 // E x₁²x₂ for the banana
	}{
		{"banana", banana(0.5, 0.6), [2]float64{0, 0}, [2]float64{0.6, 1 + 2*0.25*0.36}, 2 * 0.5 * 0.36},
		{"mixture", gaussianMixture([][]float64{{-1, 2}, {3, 0}}, []float64{1, 0.5}, []float64{1, 3}),
			[2]float64{2, 0.5}, [2]float64{0.625 + 3, 0.625 + 0.75}, math.NaN()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target := newTarget(t, m, []autograd.Shape{{2}}, tt.density, models.Options{})
			logs, err := target.LogDensity([]*mat.Dense{mat.NewDense(m, 2, points)})
			if err != nil {
				t.Fatal(err)
			}
			var mass, cross float64
			var mean, second [2]float64
			for i, l := range logs {
				p := math.Exp(l) * step * step
				mass += p
				for k := range 2 {
					mean[k] += p * points[2*i+k]
					second[k] += p * points[2*i+k] * points[2*i+k]
				}
				cross += p * points[2*i] * points[2*i] * points[2*i+1]
			}
			check(t, "mass", []float64{mass}, []float64{1}, 1e-8)
			check(t, "mean", mean[:], tt.mean[:], 1e-8)
			for k := range 2 {
				second[k] -= mean[k] * mean[k]
			}
			check(t, "variance", second[:], tt.variance[:], 1e-6)
			if !math.IsNaN(tt.cross) {
				check(t, "E x₁²x₂", []float64{cross}, []float64{tt.cross}, 1e-6)
			}
		})
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
		{"mixture", gaussianMixture([][]float64{{-1.5, 0}, {1.5, 1}}, []float64{1, 1}, []float64{1, 1}),
			[2]float64{0, 0.5}, [2]float64{1 + 2.25, 1 + 0.25}, math.NaN()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mean, variance, bend := sampledMoments(t, tt.density, 120)
			_, coarse, _ := sampledMoments(t, tt.density, 30)
			for k := range 2 {
				if !(math.Abs(mean[k]-tt.mean[k]) <= 0.05) {
					t.Errorf("mean of x%d is %v, want %v ± 0.05", k+1, mean[k], tt.mean[k])
				}
				off, offCoarse := math.Abs(variance[k]/tt.variance[k]-1), math.Abs(coarse[k]/tt.variance[k]-1)
				if off > 0.12 || off >= offCoarse {
					t.Errorf("variance of x%d is %v, with 30 particles %v, want %v ± 12 %% and better than with 30", k+1, variance[k], coarse[k], tt.variance[k])
				}
			}
			if !math.IsNaN(tt.bend) && !(math.Abs(bend-tt.bend) <= 0.2) {
				t.Errorf("mean of x₁²x₂ is %v, want %v ± 0.2", bend, tt.bend)
			}
		})
	}
}

// sampledMoments are the moments of m particles after 400 steps of SVGD.
func sampledMoments(t *testing.T, density func(x []*autograd.Node) *autograd.Node, m int) (mean, variance [2]float64, bend float64) {
	const steps = 400
	target := newTarget(t, m, []autograd.Shape{{2}}, density, models.Options{})
	x := []*mat.Dense{mat.NewDense(m, 2, normals(newRand(92), 2*m))}
	s := svgd.Sampler{Target: target, Optimizer: svgd.Scheduled{Optimizer: svgd.Adam{StepSize: 0.1}, Factor: schedule.Ramp{From: 1, Start: steps / 2, End: steps}}}
	if err := s.Run(context.Background(), x, 0, steps); err != nil {
		t.Fatal(err)
	}
	for k := range 2 {
		mean[k], variance[k] = stat.PopMeanVariance(mat.Col(nil, k, x[0]), nil)
	}
	for i := range m {
		bend += x[0].At(i, 0) * x[0].At(i, 0) * x[0].At(i, 1) / float64(m)
	}
	return mean, variance, bend
}
