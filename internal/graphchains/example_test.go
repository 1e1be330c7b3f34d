package graphchains_test

import (
	"context"
	"fmt"

	"tobac/engine"
	"tobac/internal/enginetest"
	"tobac/internal/graphchains"
)

// Short chains choose the model for a table.
func Example() {
	p := enginetest.Chain()
	p.Report = func(engine.Progress) {}
	s, err := graphchains.Settle(context.Background(), p.Data, p.ScoredModels(), p, graphchains.Pilot, p.Trust())
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Model)
	// Output:
	// linear
}
