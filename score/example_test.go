package score_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"tobac/score"
)

// chain simulates 0 → 1 → 2 with weights 1.5 and −1, noise of variance 0.25 and the
// mean 10.
func chain(n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(1, 0))
	x := mat.NewDense(n, 3, nil)
	for r := range n {
		a := 0.5 * rng.NormFloat64()
		b := 1.5*a + 0.5*rng.NormFloat64()
		c := -b + 0.5*rng.NormFloat64()
		x.SetRow(r, []float64{10 + a, 10 + b, 10 + c})
	}
	return x
}

// The scores of all sets of parents of variable 1, under a linear model with equal
// noise variances and a prior of independent edges.
func Example() {
	ctx, x := context.Background(), chain(200)
	prior, err := score.ErdosRenyi(3, 0.5)
	if err != nil {
		panic(err)
	}
	variance, err := score.EstimateNoiseVariance(ctx, x, nil, prior, score.LinearOptions{}, 1)
	if err != nil {
		panic(err)
	}
	linear, err := score.NewLinear(x, nil, score.LinearOptions{NoiseVariance: variance})
	if err != nil {
		panic(err)
	}
	fmt.Printf("noise variance %.2f\n", variance)
	candidates := []int{0, 2}
	table := make([]float64, 1<<len(candidates))
	if err := score.LogScores(ctx, linear, table, 1, candidates); err != nil {
		panic(err)
	}
	prior.AddTo(table, 1, candidates)
	for set, q := range table {
		fmt.Printf("%02b %.1f\n", set, q)
	}
	e := linear.Equation(1, []int{0})
	fmt.Printf("x1 = %.1f + %.1f x0\n", e.Intercept, e.Mean[0])
	// Output:
	// noise variance 0.26
	// 00 -365.5
	// 01 -149.8
	// 10 -135.5
	// 11 -102.8
	// x1 = -4.7 + 1.5 x0
}

// A score of your own: the Bayesian information criterion of a linear regression.
func ExampleNewFunc() {
	x := chain(200)
	n, d := x.Dims()
	bic := func(j int, parents []int) float64 {
		design := mat.NewDense(n, len(parents)+1, nil)
		for r := range n {
			design.Set(r, 0, 1)
			for k, i := range parents {
				design.Set(r, k+1, x.At(r, i))
			}
		}
		var weights, residual mat.VecDense
		if err := weights.SolveVec(design, x.ColView(j)); err != nil {
			return math.Inf(-1)
		}
		residual.MulVec(design, &weights)
		residual.SubVec(x.ColView(j), &residual)
		rss := mat.Dot(&residual, &residual)
		rows := float64(n)
		return -0.5*rows*(math.Log(2*math.Pi*rss/rows)+1) -
			0.5*float64(len(parents)+2)*math.Log(rows)
	}
	s := score.NewFunc(d, bic)
	fmt.Println(score.Check(context.Background(), s))
	fmt.Printf("%.1f %.1f\n", s.LogScore(0, nil)+s.LogScore(1, []int{0}),
		s.LogScore(1, nil)+s.LogScore(0, []int{1}))
	// Output:
	// <nil>
	// -306.8 -306.8
}
