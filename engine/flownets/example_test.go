package flownets_test

import (
	"context"
	"fmt"

	"tobac/engine"
	"tobac/engine/flownets"
	"tobac/internal/enginetest"
	"tobac/sem"
)

// Edges of a chain X0 → X1 → X2 by DAG-GFlowNet, whose flows are exact for so few variables.
func Example() {
	p := enginetest.Chain()
	p.Model = sem.Linear{}
	o, err := engine.Infer(context.Background(), &flownets.GFlowNet{}, p)
	if err != nil {
		panic(err)
	}
	fmt.Println(o.Method)
	fmt.Printf("X0 → X1: %.1f, X0 → X2: %.1f\n", o.Marginals.Probabilities.At(0, 1),
		o.Marginals.Probabilities.At(0, 2))
	fmt.Println("needs no training:", o.Training.Exact)
	// Output:
	// gflownet, DAG-GFlowNet: exact flows
	// X0 → X1: 1.0, X0 → X2: 0.1
	// needs no training: true
}
