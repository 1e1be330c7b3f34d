package models_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// integratedPosterior is a model of the cases with graphs and parameters.
func integratedPosterior(t *testing.T, opt models.FeedForwardOptions) (
	lik models.IntegratedNetwork, full models.Likelihood, x, mask *mat.Dense,
	graphs []*dag.Graph, theta *mat.Dense) {
	t.Helper()
	x, mask, _ = integratedCases(t)
	lik = must.Get(models.NewIntegrated(x, mask, opt))(t)
	if opt.NoiseVariances == models.OwnVariances {
		opt.NoiseVariances = models.VarianceParameters
	}
	full = must.Get(models.NewFeedForward(x, mask, opt))(t)
	g := dag.New(4)
	g.Set(0, 1, true)
	g.Set(0, 3, true)
	g.Set(1, 3, true)
	graphs = []*dag.Graph{g, dag.New(4)}
	if n := lik.ParamLen(); n > 0 {
		theta = mat.NewDense(2, n, nil)
		for m := range 2 {
			lik.InitParams(theta.RawRowView(m), newRand(uint64(m)))
		}
	}
	return lik, full, x, mask, graphs, theta
}

// Bayes' rule holds at any last layer: log p(D|G,Θ) = log p(D, W, b, σ²|G,Θ) − log p(W, b,
// σ²|D,G,Θ), where the last is estimated by the moments of draws, which are normal given the noise
// variance: its mean and covariance follow from the density by differences. So the draws have the
// mean that the function without generator returns, and at it the gradient of the full log joint
// vanishes.
func TestCompleteMeansAndDraws(t *testing.T) {
	for name, opt := range map[string]models.FeedForwardOptions{
		"published": {}, "two layers": {Hidden: []int{3, 2}},
		"no hidden layer":  {Hidden: []int{}, ParamVariance: 2},
		"own variances":    {NoiseVariances: models.OwnVariances, Hidden: []int{2}},
		"variances beside": {NoiseVariances: models.VarianceParameters, NoBias: true},
	} {
		t.Run(name, func(t *testing.T) {
			lik, full, _, _, graphs, theta := integratedPosterior(t, opt)
			mean := must.Get(lik.Complete(graphs, theta, nil))(t)
			if _, c := mean.Dims(); c != full.ParamLen() {
				t.Fatalf("%d parameters, want %d", c, full.ParamLen())
			}
			const draws = 4000
			at := slices.Repeat(graphs[:1], draws)
			var rows *mat.Dense
			if theta != nil {
				rows = repeat(theta.RawRowView(0), draws)
			}
			drawn := must.Get(lik.Complete(at, rows, func(m int) *rand.Rand {
				return newRand(uint64(100 + m))
			}))(t)
			for c := range full.ParamLen() {
				got, want := mat.Col(nil, c, drawn), mean.At(0, c)
				m, sd := stat.MeanStdDev(got, nil)
				// at most 130 numbers: one in 1000 tests would fail
				if !(math.Abs(m-want) <= 4.5*sd/math.Sqrt(draws)+1e-12) {
					t.Errorf("parameter %d: mean of draws %v, want %v, sd %v", c, m, want, sd)
				}
			}
			if opt.NoiseVariances == models.OwnVariances {
				return // a mixture of normal distributions
			}
			// The log density of the draws under the full model is normal: its mean below the
			// maximum is half the number of weights, and so is its variance.
			prior, data := must.Two(models.LogJoint(full, at, drawn))(t)
			floats.Add(prior, data)
			top, topData := must.Two(models.LogJoint(full, graphs, mean))(t)
			last := 4 * (1 + lastUnits(opt)) // weights and biases of four variables
			if opt.NoBias {
				last -= 4
			}
			if opt.Hidden != nil && len(opt.Hidden) == 0 {
				last = 4 + len(graphs[0].Edges()) // others have no prior in the full model
			}
			m, variance := stat.MeanVariance(prior, nil)
			below := top[0] + topData[0] - m
			if sigma := math.Sqrt(
				float64(last) / 2 / draws); !(math.Abs(below-float64(last)/2) <= 4*sigma) {
				t.Errorf("draws are %v below the maximum, want %v ± %v", below, float64(last)/2,
					sigma)
			}
			// 4 sigma: its relative error is √(2/draws)·√(1+6/last)
			if !(math.Abs(variance/(float64(last)/2)-1) <= 0.15) {
				t.Errorf("variance %v, want %v", variance, float64(last)/2)
			}
		})
	}
}

func lastUnits(opt models.FeedForwardOptions) int {
	switch {
	case opt.Hidden == nil:
		return 5
	case len(opt.Hidden) == 0:
		return 4
	}
	return opt.Hidden[len(opt.Hidden)-1]
}

// The density of further rows is the mean, over draws of the last layer, of the full model's
// density.
func TestIntegratedNetworkHeldOut(t *testing.T) {
	for name, opt := range map[string]models.FeedForwardOptions{"given": {NoiseVariance: 0.8,
		Hidden: []int{2}},
		"own": {NoiseVariances: models.OwnVariances, NoiseVariance: 0.5, Hidden: []int{2}}} {
		t.Run(name, func(t *testing.T) {
			lik, _, _, _, graphs, theta := integratedPosterior(t, opt)
			rows, mask := noisyTable(99, 2, 4), mat.NewDense(2, 4, nil)
			mask.Set(1, 3, 1)
			mask.Set(0, 2, 1) // of a variable without rows
			mask.Set(1, 2, 1)
			got := must.Get(lik.HeldOut(rows, mask, graphs, theta))(t)
			if opt.NoiseVariances == models.OwnVariances {
				opt.NoiseVariances = models.VarianceParameters
			}
			full := must.Get(models.NewFeedForward(rows, mask, opt))(t)
			const draws = 20000
			drawn := must.Get(lik.Complete(slices.Repeat(graphs[:1], draws),
				repeat(theta.RawRowView(0), draws), func(m int) *rand.Rand {
					return newRand(uint64(m))
				}))(t)
			_, data := must.Two(models.LogJoint(full, slices.Repeat(graphs[:1], draws), drawn))(t)
			want := floats.LogSumExp(data) - math.Log(draws)
			if !(math.Abs(got[0]-want) <= 0.15) {
				t.Errorf("got %v, want %v", got[0], want)
			}
			if _, err := lik.HeldOut(mat.NewDense(1, 3, nil), nil, graphs, theta); err == nil {
				t.Error("no error for rows of another width")
			}
		})
	}
}
