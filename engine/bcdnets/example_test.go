package bcdnets_test

import (
	"context"
	"fmt"

	"tobac/engine"
	"tobac/engine/bcdnets"
	"tobac/internal/enginetest"
	"tobac/sem"
)

// Pairs of a chain X0 → X1 → X2 that are joined, by a training of BCD Nets too short for
// directions.
func Example() {
	p := enginetest.Chain()
	p.Model = sem.Linear{}
	o, err := engine.Infer(context.Background(),
		&bcdnets.BCDNets{Training: bcdnets.Settings{Steps: 400, Batch: 4, LearningRate: 0.01,
			Starts: 1}}, p)
	if err != nil {
		panic(err)
	}
	probability := o.Marginals.Probabilities
	fmt.Println(o.Method)
	fmt.Printf("X0 – X1: %.1f, X0 – X2: %.1f\n", probability.At(0, 1)+probability.At(1, 0),
		probability.At(0, 2)+probability.At(2, 0))
	// Output:
	// bcd, BCD Nets: 400 steps
	// X0 – X1: 1.0, X0 – X2: 0.0
}
