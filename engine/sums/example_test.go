package sums_test

import (
	"context"
	"fmt"

	"tobac/engine"
	"tobac/engine/sums"
	"tobac/internal/enginetest"
)

// Edges of a chain X0 → X1 → X2, summed over all graphs under the model with the greatest evidence.
func Example() {
	p := enginetest.Chain()
	o, err := engine.Infer(context.Background(), &sums.Exact{}, p)
	if err != nil {
		panic(err)
	}
	fmt.Println(o.Posterior.Model)
	fmt.Println(o.Method)
	fmt.Printf("X0 → X1: %.1f, X0 → X2: %.1f\n", o.Marginals.Probabilities.At(0, 1),
		o.Marginals.Probabilities.At(0, 2))
	// Output:
	// linear
	// exact, over all graphs
	// X0 → X1: 1.0, X0 → X2: 0.1
}
