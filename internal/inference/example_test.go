package inference_test

import (
	"context"
	"fmt"

	"tobac/engine"
	"tobac/internal/enginetest"
	"tobac/internal/inference"
	"tobac/internal/problems"
)

// The models with node scores are compared by their evidence, and the best one is summed over.
func Example() {
	p := enginetest.Chain()
	p.Report = func(engine.Progress) {}
	inf, err := inference.Infer(context.Background(), p.Data, problems.ScoredModels(p), p,
		inference.TrustOf(p))
	if err != nil {
		panic(err)
	}
	fmt.Println(inf.Best, inf.Sum)
	fmt.Printf("X0 → X1: %.1f\n", inf.Posterior.Probabilities.At(0, 1))
	// Output:
	// linear over all graphs
	// X0 → X1: 1.0
}
