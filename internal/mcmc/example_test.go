package mcmc_test

import (
	"context"
	"fmt"
	"log"

	"tobac/internal/mcmc"
	"tobac/score"
)

// Two causes of one effect: their directions can be told, whatever the scores of
// the other sets of parents.
func Example() {
	s := score.NewFunc(3, func(j int, parents []int) float64 {
		if j == 2 && len(parents) == 2 {
			return 12 // 0 → 2 ← 1 explains much
		}
		return -float64(len(parents))
	})
	ctx := context.Background()
	m, err := mcmc.New(ctx, s, score.Uniform(3), mcmc.Options{WarmUp: 100, Rungs: 2, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	if err := m.Advance(ctx, 1100); err != nil {
		log.Fatal(err)
	}
	r, err := m.Result()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("0 → 2: %.2f, 1 → 2: %.2f, 2 → 0: %.2f\n", r.Edges.At(0, 2), r.Edges.At(1, 2),
		r.Edges.At(2, 0))
	fmt.Printf("R̂ below 1.1: %v, edges apart: %d\n", r.Diagnostics.MaxRHat() < 1.1,
		len(r.Diagnostics.Apart()))
	// Output:
	// 0 → 2: 1.00, 1 → 2: 1.00, 2 → 0: 0.00
	// R̂ below 1.1: true, edges apart: 0
}
