package local_test

import (
	"context"
	"fmt"

	"tobac/engine"
	"tobac/engine/local"
	"tobac/internal/enginetest"
	"tobac/sem"
)

// The graph X0 → X1 → X2 by local search, on all rows and on 20 random halves of them.
func Example() {
	p := enginetest.Chain()
	p.Model = sem.Linear{}
	o, err := engine.Infer(context.Background(), &local.Search{}, p)
	if err != nil {
		panic(err)
	}
	fmt.Println(o.Method)
	fmt.Println(o.Draws[0].Graph.Edges())
	fmt.Printf("X0 → X1: %.1f, X0 → X2: %.1f\n", o.Marginals.Probabilities.At(0, 1),
		o.Marginals.Probabilities.At(0, 2))
	// Output:
	// search, all rows and 20 random halves of them
	// [{0 1} {1 2}]
	// X0 → X1: 1.0, X0 → X2: 0.0
}
