package neural_test

import (
	"context"
	"fmt"

	"tobac/engine"
	"tobac/engine/neural"
	"tobac/internal/enginetest"
	"tobac/sem"
)

// Edges of a chain X0 → X1 → X2 under networks with four hidden units, given its order.
func Example() {
	p := enginetest.Chain()
	p.Model = sem.FeedForward{Hidden: []int{4}}
	p.Order.Known = []int{0, 1, 2}
	o, err := engine.Infer(context.Background(), &neural.Tempering{Iterations: 40, Rungs: 4}, p)
	if err != nil {
		panic(err)
	}
	fmt.Println(o.Method)
	fmt.Printf("X0 → X1: %.1f, X0 → X2: %.1f\n", o.Marginals.Probabilities.At(0, 1),
		o.Marginals.Probabilities.At(0, 2))
	// Output:
	// tempering, 2 chains of 40 iterations for each variable, at 4 temperatures
	// X0 → X1: 1.0, X0 → X2: 0.0
}
