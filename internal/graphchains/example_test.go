package graphchains_test

import (
	"context"
	"fmt"

	"tobac/engine"
	"tobac/internal/enginetest"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/internal/problems"
)

// Short chains choose the model for a table.
func Example() {
	p := enginetest.Chain()
	p.Report = func(engine.Progress) {}
	s, err := graphchains.Settle(context.Background(), p.Data, problems.ScoredModels(p), p,
		graphchains.Pilot, inference.TrustOf(p))
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Model)
	// Output:
	// linear
}
