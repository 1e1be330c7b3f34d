package markov_test

import (
	"context"
	"fmt"

	"tobac/engine"
	"tobac/engine/markov"
	"tobac/internal/enginetest"
	"tobac/sem"
)

// Edges of a chain X0 → X1 → X2 by two short Markov chains.
func Example() {
	p := enginetest.Chain()
	p.Model = sem.Linear{}
	o, err := engine.Infer(context.Background(),
		&markov.MCMC{Chains: 2, Iterations: 300, WarmUp: 100}, p)
	if err != nil {
		panic(err)
	}
	fmt.Println(o.Method)
	fmt.Printf("X0 → X1: %.1f, X0 → X2: %.1f\n", o.Marginals.Probabilities.At(0, 1),
		o.Marginals.Probabilities.At(0, 2))
	// Output:
	// mcmc, 2 chains of 300 iterations
	// X0 → X1: 1.0, X0 → X2: 0.1
}
