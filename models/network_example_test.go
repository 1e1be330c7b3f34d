package models_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/models"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
)

// Nine points of a curve with some noise.
var (
	curveX = []float64{-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2}
	curveY = []float64{-0.9, -1.1, -1.0, -0.4, 0.1, 0.5, 0.8, 1.0, 0.7}
)

// network is the function w₂·tanh(w₁x + b₁) + b₂ with two hidden units, at n
// points: n values.
func network(theta *autograd.Node, points []float64) *autograd.Node {
	n := len(points)
	x := theta.Builder().Constant(points, autograd.Shape{n, 1})
	w1, b1 := theta.Slice(0, 0, 2).Reshape(autograd.Shape{1, 2}), theta.Slice(0, 2, 4)
	w2, b2 := theta.Slice(0, 4, 6).Reshape(autograd.Shape{2, 1}), theta.Slice(0, 6, 7)
	return x.MatMul(w1).Add(b1).Tanh().MatMul(w2).Add(b2).Reshape(autograd.Shape{n})
}

// networkPosterior has N(0, 1) priors on all seven parameters, and noise of
// variance 0.1.
func networkPosterior(x []*autograd.Node) *autograd.Node {
	y := x[0].Builder().Constant(curveY, autograd.Shape{len(curveY)})
	residual := y.Sub(network(x[0], curveX))
	return residual.Square().Sum().Scale(-1 / (2 * 0.1)).Sub(x[0].Square().Sum().Scale(0.5))
}

// Regression by a Bayesian neural network. Its posterior has eight equal modes,
// since units can be swapped and change sign: the particles start near one. The
// bandwidth is wide enough to keep a hundred of them apart in seven dimensions.
// The reference weighs draws from the prior by their likelihood.
func ExampleNewTarget_neuralNetwork() {
	const particles, params = 100, 7
	start := []float64{1, 1, 1, -1, 1, 1, 0}
	shapes := []autograd.Shape{{params}}
	err := gradtest.Check(func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node {
		return networkPosterior(x)
	}, [][]float64{start}, shapes, gradtest.Options{})
	fmt.Println("gradient:", err)

	target, err := models.NewTarget(particles, shapes, networkPosterior, models.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer target.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(particles, params, nil)
	x.Apply(func(_, j int, _ float64) float64 { return start[j] + 0.3*rng.NormFloat64() }, x)
	sampler := svgd.Sampler{Target: target, Kernel: svgd.RBF{Bandwidth: svgd.Fixed(8)},
		Optimizer: svgd.Adam{StepSize: 0.02}}
	if err := sampler.Run(context.Background(), []*mat.Dense{x}, 0, 2000); err != nil {
		log.Fatal(err)
	}
	at := []float64{-3, -1, 1, 3}
	mean, sd := curveMoments(at, particles, func(i int) ([]float64, float64) {
		return x.RawRowView(i), 1
	})
	want, spread := weightedPrior(at, 200000)
	for i, v := range at {
		fmt.Printf("f(%2v): particles %.1f ± %.1f, reference %.1f ± %.1f\n", v, mean[i], sd[i],
			want[i], spread[i])
	}
	// Output:
	// gradient: <nil>
	// f(-3): particles -1.1 ± 0.3, reference -1.1 ± 0.3
	// f(-1): particles -0.8 ± 0.2, reference -0.8 ± 0.2
	// f( 1): particles 0.7 ± 0.2, reference 0.7 ± 0.2
	// f( 3): particles 0.9 ± 0.3, reference 0.9 ± 0.3
}

// plainNetwork is network at one point, in plain Go.
func plainNetwork(theta []float64, x float64) float64 {
	y := theta[6]
	for a := range 2 {
		y += theta[4+a] * math.Tanh(theta[a]*x+theta[2+a])
	}
	return y
}

// curveMoments are the mean and the standard deviation of the curve at some
// points, over n weighted draws of the parameters.
func curveMoments(at []float64, n int,
	draw func(i int) (theta []float64, weight float64)) (mean, sd []float64) {
	mean, sd = make([]float64, len(at)), make([]float64, len(at))
	total := 0.0
	for i := range n {
		theta, w := draw(i)
		total += w
		for k, v := range at {
			y := plainNetwork(theta, v)
			mean[k] += w * y
			sd[k] += w * y * y
		}
	}
	for k := range at {
		mean[k] /= total
		sd[k] = math.Sqrt(sd[k]/total - mean[k]*mean[k])
	}
	return mean, sd
}

// weightedPrior estimates the posterior's moments from n draws of the prior,
// weighted by the likelihood: their effective number is about n/200.
func weightedPrior(at []float64, n int) (mean, sd []float64) {
	rng, theta := rand.New(rand.NewPCG(3, 4)), make([]float64, 7)
	return curveMoments(at, n, func(int) ([]float64, float64) {
		for i := range theta {
			theta[i] = rng.NormFloat64()
		}
		logw := 0.0
		for i, v := range curveX {
			r := curveY[i] - plainNetwork(theta, v)
			logw -= r * r / (2 * 0.1)
		}
		return theta, math.Exp(logw)
	})
}
