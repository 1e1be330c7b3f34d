package models_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/models"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Temperature in °F at the launch of the 23 space shuttle flights before the
// Challenger accident whose boosters were recovered, and whether an O-ring of a
// field joint was damaged. Report of the Presidential Commission on the Space
// Shuttle Challenger Accident (1986), volume I, chapter VI: a work of the United
// States Government, in the public domain.
var (
	launchTemperature = []float64{66, 70, 69, 68, 67, 72, 73, 70, 57, 63, 70, 78, 67, 53, 67, 75,
		70, 81, 76, 79, 75, 76, 58}
	launchDamage = []float64{0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0,
		1}
)

// logistic is the log posterior of an intercept and a slope, each N(0, 3²):
//
//	P(damage) = σ(x₀ + x₁ (T − 70)/10).
func logistic(x []*autograd.Node) *autograd.Node {
	b, n := x[0].Builder(), autograd.Shape{len(launchDamage)}
	temperature := b.Constant(launchTemperature, n).AddScalar(-70).Scale(0.1)
	logit := temperature.Mul(x[0].Index(0, 1)).Add(x[0].Index(0, 0))
	logLikelihood := b.Constant(launchDamage, n).Mul(logit).Sub(logit.Softplus()).Sum()
	return logLikelihood.Sub(x[0].Square().Sum().Scale(1. / 18))
}

// A logistic regression of real data, with exact moments by sums over a grid.
func ExampleNewTarget_logisticRegression() {
	shapes := []autograd.Shape{{2}}
	err := gradtest.Check(func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node {
		return logistic(x)
	}, [][]float64{{-1, -2}}, shapes, gradtest.Options{})
	fmt.Println("gradient:", err)

	const particles = 100
	target, err := models.NewTarget(particles, shapes, logistic, models.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer target.Close()
	x := mat.NewDense(particles, 2, nil)
	// scattered
	x.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(1 + i + 40*i*j)) }, x)
	sampler := svgd.Sampler{Target: target, Optimizer: svgd.Adam{StepSize: 0.05}}
	if err := sampler.Run(context.Background(), []*mat.Dense{x}, 0, 1000); err != nil {
		log.Fatal(err)
	}
	exact, sd := logisticMoments()
	for j, name := range []string{"intercept", "slope"} {
		m, s := stat.PopMeanStdDev(mat.Col(nil, j, x), nil)
		fmt.Printf("%-9s  particles %.1f ± %.1f, exact %.1f ± %.1f\n", name, m, s, exact[j], sd[j])
	}
	// Output:
	// gradient: <nil>
	// intercept  particles -1.2 ± 0.6, exact -1.2 ± 0.6
	// slope      particles -2.4 ± 1.0, exact -2.4 ± 1.0
}

// logisticMoments are the exact mean and standard deviation of both parameters.
func logisticMoments() (mean, sd [2]float64) {
	var total float64
	var sum, squares [2]float64
	for a := -6.0; a < 6; a += 0.05 {
		for b := -9.0; b < 5; b += 0.05 {
			logp := -(a*a + b*b) / 18
			for i, t := range launchTemperature {
				logit := a + b*(t-70)/10
				logp += launchDamage[i]*logit - math.Log1p(math.Exp(logit))
			}
			p := math.Exp(logp)
			total += p
			for j, v := range [2]float64{a, b} {
				sum[j] += p * v
				squares[j] += p * v * v
			}
		}
	}
	for j := range mean {
		mean[j] = sum[j] / total
		sd[j] = math.Sqrt(squares[j]/total - mean[j]*mean[j])
	}
	return mean, sd
}
