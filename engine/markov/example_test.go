package markov_test

import (
	"context"
	"fmt"

	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/sem"
)

// Edges of a chain X0 → X1 → X2 by two short Markov chains.
func Example() {
	ctx := context.Background()
	graph := must(dag.FromEdges(3, []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}}))
	table := must(dataset.SimulateLinear(graph, dataset.LinearConfig{Rows: 50, Seed: 1})).Train
	p := &engine.Problem{Data: table, Model: sem.Linear{}, Workers: 1, Report: func(engine.Progress) {}, Seconds: new(engine.Seconds)}

	e := must((&markov.MCMC{Chains: 2, Iterations: 300, WarmUp: 100}).Prepare(p))
	s := must(e.Begin(ctx, p))
	defer s.Close()
	_, steps := s.Steps()
	if err := s.Advance(ctx, steps); err != nil {
		panic(err)
	}
	o := must(s.Outcome(ctx))
	fmt.Println(o.Method)
	fmt.Printf("X0 → X1: %.1f, X0 → X2: %.1f\n", o.Marginals.Probabilities.At(0, 1), o.Marginals.Probabilities.At(0, 2))
	// Output:
	// mcmc, 2 chains of 300 iterations
	// X0 → X1: 1.0, X0 → X2: 0.1
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
