package models

import (
	"fmt"
	"math"
	"slices"

	"tobac/autograd"

	"gonum.org/v1/gonum/floats"
)

// Banana is a density for [NewTarget] on one block of two elements: a Gaussian,
// and a second one around a parabola in the first,
//
//	x₁ ~ N(0, v),   x₂ | x₁ ~ N(b(x₁² − v), 1),
//
// which is Rosenbrock's curved ridge with a known normalisation. The curvature
// b is any finite number, the variance v is positive. Both means and the
// covariance are 0, and
//
//	Var x₁ = v,   Var x₂ = 1 + 2b²v²,   E x₁²x₂ = 2bv².
//
// It panics if a parameter is out of range.
func Banana(curvature, variance float64) func(x []*autograd.Node) *autograd.Node {
	if !finite(curvature, variance) || variance <= 0 {
		panic(fmt.Sprintf("models: banana with curvature %v and variance %v, want finite numbers and a positive variance", curvature, variance))
	}
	return func(x []*autograd.Node) *autograd.Node {
		point := x[0].Reshape(autograd.Shape{2})
		x1, x2 := point.Index(0, 0), point.Index(0, 1)
		ridge := x1.Square().AddScalar(-variance).Scale(curvature)
		squares := x1.Square().Scale(1 / variance).Add(x2.Sub(ridge).Square())
		return squares.Scale(-0.5).AddScalar(-math.Log(2*math.Pi) - 0.5*math.Log(variance))
	}
}

// GaussianMixture is a density for [NewTarget] on one block with as many
// elements as each mean has, p:
//
//	log p(x) = ln Σ_c w_c N(x; m_c, v_c I)
//
// with a mean m_c, a variance v_c and a weight w_c for every component. Weights
// are positive and are divided by their sum. The mean of the mixture is
// μ = Σ_c w_c m_c, its covariance Σ_c w_c (v_c I + m_c m_cᵀ) − μμᵀ.
//
// It panics if there is no component, if the lists differ in length, and if a
// number is out of range.
func GaussianMixture(means [][]float64, variances, weights []float64) func(x []*autograd.Node) *autograd.Node {
	k := len(means)
	if k == 0 || len(variances) != k || len(weights) != k {
		panic(fmt.Sprintf("models: mixture with %d means, %d variances and %d weights, want the same positive number of each", k, len(variances), len(weights)))
	}
	p, total := len(means[0]), 0.0
	for c, m := range means {
		if len(m) == 0 || len(m) != p || !finite(m...) || !finite(variances[c], weights[c]) || variances[c] <= 0 || weights[c] <= 0 {
			panic(fmt.Sprintf("models: mixture component %d has mean %v, variance %v and weight %v, want %d finite numbers and two positive ones", c, m, variances[c], weights[c], max(p, 1)))
		}
		total += weights[c]
	}
	centres := slices.Concat(means...)
	slopes, offsets := make([]float64, k), make([]float64, k)
	for c, v := range variances {
		slopes[c] = -1 / (2 * v)
		offsets[c] = math.Log(weights[c]/total) - 0.5*float64(p)*math.Log(2*math.Pi*v)
	}
	return func(x []*autograd.Node) *autograd.Node {
		b := x[0].Builder()
		centre := b.Constant(centres, autograd.Shape{k, p})
		squares := x[0].Reshape(autograd.Shape{1, p}).Sub(centre).Square().Sum(1)
		slope, offset := b.Constant(slopes, autograd.Shape{k}), b.Constant(offsets, autograd.Shape{k})
		return squares.Mul(slope).Add(offset).LogSumExp()
	}
}

// finite reports whether x holds neither a NaN nor an infinity. A finite sum has finite
// terms only; that of finite terms may overflow.
func finite(x ...float64) bool {
	sum := floats.Sum(x)
	return sum-sum == 0 || !slices.ContainsFunc(x, func(v float64) bool { return v-v != 0 })
}
