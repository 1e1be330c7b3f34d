package engine_test

import (
	"context"
	"fmt"

	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/sums"
	"tobac/internal/enginetest"
	"tobac/ordering"
	"tobac/sem"
)

// A problem of three variables with the edges X0 → X1 → X2, and an engine at work on it.
func Example() {
	ctx := context.Background()
	graph, err := dag.FromEdges(3, []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
	if err != nil {
		panic(err)
	}
	table, err := dataset.SimulateLinear(graph, dataset.LinearConfig{Rows: 50, Seed: 1})
	if err != nil {
		panic(err)
	}
	p := &engine.Problem{Data: table.Train, Model: sem.Linear{}, Workers: 1,
		Report: func(engine.Progress) {}, Seconds: new(engine.Seconds)}

	e, err := (&sums.Exact{}).Engine().Prepare(p) // all defaults filled in
	if err != nil {
		panic(err)
	}
	s, err := e.Engine().Begin(ctx, p) // computes what has no steps
	if err != nil {
		panic(err)
	}
	defer s.Close()
	_, steps := s.Steps()
	if err := s.Advance(ctx, steps); err != nil {
		panic(err)
	}
	o, err := s.Outcome(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s, %d steps: X0 → X1 has the probability %.1f\n", engine.SettingsText(e), steps,
		o.Marginals.Probabilities.At(0, 1))

	p.Order.Method = ordering.EqVarOptions{}
	_, err = e.Engine().Prepare(p)
	fmt.Println(err)
	// Output:
	// exact, 0 steps: X0 → X1 has the probability 1.0
	// the engine exact infers the order, and takes none that a method finds; allowed: the engine svgd
}

// Infer runs an engine from its beginning to its end.
func ExampleInfer() {
	o, err := engine.Infer(context.Background(), &sums.Exact{}, enginetest.Chain())
	if err != nil {
		panic(err)
	}
	fmt.Println(o.Posterior.Model, "–", o.Method)
	// Output:
	// linear – exact, over all graphs
}
