package tempering_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"tobac/internal/tempering"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// The third variable is the absolute value of the first; the second has nothing to do with either.
func ExampleRun() {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(60, 3, nil)
	for i := range 60 {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		y := a
		if a < 0 {
			y = -a
		}
		x.SetRow(i, []float64{a, b, y + 0.3*rng.NormFloat64()})
	}
	prior, err := score.ErdosRenyi(3, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	r, err := tempering.Run(context.Background(), x, nil, []int{0, 1, 2}, prior,
		tempering.Config{NoiseVariance: 0.1, Iterations: 400})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("X0 → X2: %.1f\nX1 → X2: %.1f\nX2 → X0: %.1f\n", r.Probabilities.At(0, 2),
		r.Probabilities.At(1, 2), r.Probabilities.At(2, 0))
	fmt.Println("draws of networks:", len(r.Draws))
	// Output:
	// X0 → X2: 1.0
	// X1 → X2: 0.0
	// X2 → X0: 0.0
	// draws of networks: 200
}
