package orders_test

import (
	"context"
	"fmt"

	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/orders"
	"tobac/ordering"
)

// The distinct orders that a method finds in resamples of the rows of a chain X2 → X0 → X1.
func ExampleGivenOrders() {
	graph, err := dag.FromEdges(3, []dag.Edge{{From: 2, To: 0}, {From: 0, To: 1}})
	if err != nil {
		panic(err)
	}
	simulated, err := dataset.SimulateLinear(graph, dataset.LinearConfig{Rows: 200, Seed: 1})
	if err != nil {
		panic(err)
	}
	p := &engine.Problem{Data: simulated.Train,
		Order: engine.Order{Method: ordering.EqVarOptions{}, Count: 20}, Workers: 1}
	all, _, err := orders.GivenOrders(context.Background(), p)
	if err != nil {
		panic(err)
	}
	for _, o := range all {
		fmt.Println(o.Order, "in", o.Count, "of 20 resamples")
	}
	// Output:
	// [2 0 1] in 20 of 20 resamples
}
