package bcd_test

import (
	"context"
	"fmt"
	"log"

	"tobac/internal/bcd"

	"gonum.org/v1/gonum/mat"
)

// X1 is twice X0, with noise; X2 is noise. All noise variances are equal, so that the
// direction follows from the variances.
func Example() {
	x := mat.NewDense(200, 3, nil)
	noise := uniforms(600, 9)
	for i := range 200 {
		e := noise[3*i : 3*i+3] // of standard deviation 0.29
		x.Set(i, 0, e[0]-0.5)
		x.Set(i, 1, 2*x.At(i, 0)+e[1]-0.5)
		x.Set(i, 2, e[2]-0.5)
	}
	m, err := bcd.New(x, bcd.Settings{Steps: 600, Batch: 16, LearningRate: 5e-3,
		Schedule: bcd.Constant(0.2), ScaleRule: bcd.PiironenVehtari, L2: 1}, 2, 1)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	if err := m.Advance(context.Background(), m.Steps()); err != nil {
		log.Fatal(err)
	}
	draws, err := m.Draws(context.Background(), 100)
	if err != nil {
		log.Fatal(err)
	}
	for _, edge := range [][2]int{{0, 1}, {1, 2}, {0, 2}} {
		count, sum := 0, 0.0
		for _, draw := range draws {
			if draw.Graph.Has(edge[0], edge[1]) {
				count++
				sum += draw.Equations.Weights.At(edge[0], edge[1])
			}
		}
		fmt.Printf("%d -> %d in %d draws of 100, mean weight %.0f\n", edge[0], edge[1], count,
			sum/float64(max(count, 1)))
	}
	// Output:
	// 0 -> 1 in 100 draws of 100, mean weight 2
	// 1 -> 2 in 0 draws of 100, mean weight 0
	// 0 -> 2 in 0 draws of 100, mean weight 0
}
