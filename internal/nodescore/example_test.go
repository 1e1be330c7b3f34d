package nodescore_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tobac/internal/nodescore"

	"gonum.org/v1/gonum/mat"
)

// Which noise variance do nonlinear scores support? One variable's scores stand for
// an engine that sums over all graphs.
func ExampleMaximiseNoiseVariance() {
	rng := rand.New(rand.NewPCG(1, 0))
	x := mat.NewDense(100, 3, nil)
	for r := range 100 {
		a := 0.5 * rng.NormFloat64()
		b := 1.5*a + 0.5*rng.NormFloat64()
		c := -b + 0.5*rng.NormFloat64()
		x.SetRow(r, []float64{10 + a, 10 + b, 10 + c})
	}
	gp, err := nodescore.NewGP(x, nil, nodescore.GPOptions{})
	if err != nil {
		panic(err)
	}
	evidence := func(variance float64) (float64, error) {
		s := gp.At(variance)
		return s.LogScore(0, nil) + s.LogScore(1, []int{0}) + s.LogScore(2, []int{1}), nil
	}
	best, err := nodescore.MaximiseNoiseVariance(context.Background(), gp.LeastVariance(), evidence)
	if err != nil {
		panic(err)
	}
	grid := gp.NoiseGrid(best, 5)
	fmt.Printf("%.2f\n", grid.Variances)
	// Output:
	// [0.20 0.22 0.25 0.27 0.30]
}
