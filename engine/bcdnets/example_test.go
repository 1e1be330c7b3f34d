package bcdnets_test

import (
	"context"
	"fmt"

	"tobac/bcd"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/bcdnets"
	"tobac/sem"
)

// Pairs of a chain X0 → X1 → X2 that are joined, by a training of BCD Nets too short for directions.
func Example() {
	ctx := context.Background()
	graph := must(dag.FromEdges(3, []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}}))
	table := must(dataset.SimulateLinear(graph, dataset.LinearConfig{Rows: 50, Seed: 1})).Train
	p := &engine.Problem{Data: table, Model: sem.Linear{}, Workers: 1, Report: func(engine.Progress) {}, Seconds: new(engine.Seconds)}

	e := must((&bcdnets.BCDNets{Training: bcd.Settings{Steps: 400, Batch: 4, LearningRate: 0.01, Starts: 1}}).Prepare(p))
	s := must(e.Begin(ctx, p))
	defer s.Close()
	_, steps := s.Steps()
	if err := s.Advance(ctx, steps); err != nil {
		panic(err)
	}
	o := must(s.Outcome(ctx))
	probability := o.Marginals.Probabilities
	fmt.Println(o.Method)
	fmt.Printf("X0 – X1: %.1f, X0 – X2: %.1f\n", probability.At(0, 1)+probability.At(1, 0), probability.At(0, 2)+probability.At(2, 0))
	// Output:
	// bcd, BCD Nets: 400 steps
	// X0 – X1: 1.0, X0 – X2: 0.0
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
