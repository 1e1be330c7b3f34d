package models_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/models"
)

// The means give the log density that the program of the likelihood computes.
func TestForwardMeansGiveTheLikelihood(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n, d = 7, 4
	x := mat.NewDense(n, d, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	g := must.Get(dag.FromEdges(d,
		[]dag.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 2}, {From: 2, To: 3}}))(t)
	for _, opt := range []models.FeedForwardOptions{
		{}, {Hidden: []int{3, 2}, Activation: models.Tanh},
		{Hidden: []int{4}, Activation: models.Sigmoid, NoBias: true},
		{Hidden: []int{2, 5}, Activation: models.LeakyRelu, NoiseVariance: 0.7}, {Hidden: []int{}},
	} {
		f := must.Get(models.NewFeedForward(x, nil, opt))(t)
		variance := f.(models.Gaussian).NoiseVariance(0, 1)
		theta := make([]float64, f.ParamLen())
		for k := range theta {
			theta[k] = rng.NormFloat64()
		}
		_, want := must.Two(models.LogJoint(f, []*dag.Graph{g},
			mat.NewDense(1, len(theta), theta)))(t)
		got, mean := 0.0, make([]float64, n)
		for j := range d {
			parents := g.Parents(j)
			var columns [][]float64
			for _, i := range parents {
				columns = append(columns, mat.Col(nil, i, x))
			}
			f.(interface {
				Mean(dst, theta []float64, j int, parents []int, columns [][]float64)
			}).Mean(mean, theta, j, parents, columns)
			for r, m := range mean {
				e := x.At(r, j) - m
				got -= 0.5*math.Log(2*math.Pi*variance) + e*e/(2*variance)
			}
		}
		if !(math.Abs(got-want[0]) <= 1e-9*math.Abs(want[0])) {
			t.Errorf("%+v: log density %v of the means, %v of the program", opt, got, want[0])
		}
	}
}
