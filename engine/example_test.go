package engine_test

import (
	"context"
	"fmt"

	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/sums"
	"tobac/ordering"
	"tobac/sem"
)

// A problem of three variables with the edges X0 → X1 → X2, and an engine at work on it.
func Example() {
	ctx := context.Background()
	graph := must(dag.FromEdges(3, []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}}))
	table := must(dataset.SimulateLinear(graph, dataset.LinearConfig{Rows: 50, Seed: 1})).Train
	p := &engine.Problem{Data: table, Model: sem.Linear{}, Workers: 1, Report: func(engine.Progress) {}, Seconds: new(engine.Seconds)}

	e := must(engine.Engine(&sums.Exact{}).Prepare(p)) // all defaults filled in
	s := must(e.Begin(ctx, p))                         // computes what has no steps
	defer s.Close()
	_, steps := s.Steps()
	if err := s.Advance(ctx, steps); err != nil {
		panic(err)
	}
	o := must(s.Outcome(ctx))
	fmt.Printf("%v, %d steps: X0 → X1 has the probability %.1f\n", e, steps, o.Marginals.Probabilities.At(0, 1))

	p.Order.Method = ordering.EqVarOptions{}
	_, err := e.Prepare(p)
	fmt.Println(err)
	// Output:
	// exact, 0 steps: X0 → X1 has the probability 1.0
	// the engine exact infers the order, and a method is to find it; allowed: the engine svgd
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
