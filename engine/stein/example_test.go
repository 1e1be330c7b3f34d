package stein_test

import (
	"context"
	"fmt"

	"tobac/engine"
	"tobac/engine/stein"
	"tobac/internal/enginetest"
	"tobac/sem"
)

// Edges of a chain X0 → X1 → X2 by particles under its order.
func Example() {
	p := enginetest.Chain()
	p.Model = sem.Linear{}
	p.Order.Known = []int{0, 1, 2}
	o, err := engine.Infer(context.Background(), &stein.SVGD{Particles: 5, Steps: 200, Samples: 8},
		p)
	if err != nil {
		panic(err)
	}
	fmt.Println(o.Method)
	fmt.Printf("X0 → X1: %.1f, X0 → X2: %.1f\n", o.Marginals.Probabilities.At(0, 1),
		o.Marginals.Probabilities.At(0, 2))
	// Output:
	// svgd, 5 particles, 200 steps, 8 samples, nodewise estimator
	// X0 → X1: 1.0, X0 → X2: 0.2
}
