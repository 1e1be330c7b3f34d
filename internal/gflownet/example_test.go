package gflownet_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"
	"tobac/dataset"
	"tobac/internal/gflownet"
	"tobac/score"
)

// The posterior over the graphs of three proteins: exact flows, draws by the exact
// policy, and how near a policy comes that has learned for a moment.
func Example() {
	ctx := context.Background()
	table, _, err := dataset.Sachs()
	if err != nil {
		log.Fatal(err)
	}
	s, err := score.NewBGe(mat.DenseCopyOf(table.X.Slice(0, 100, 0, 3)), nil, score.BGeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := gflownet.New(s, score.Fair(3), gflownet.Settings{}, 1, 0)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	graphs, err := m.Draws(ctx, 1000)
	if err != nil {
		log.Fatal(err)
	}
	flows, err := m.Flows(ctx)
	if err != nil {
		log.Fatal(err)
	}
	adjacent := 0
	for _, g := range graphs {
		if g.Has(0, 1) || g.Has(1, 0) {
			adjacent++
		}
	}
	fmt.Printf("%s policy, %d graphs, P(0 → 1) = %.1f, 0 and 1 adjacent in %d of %d draws\n",
		m.Settings().Policy, flows.Graphs(), flows.Edges().At(0, 1), adjacent, len(graphs))

	learned, err := gflownet.New(s, score.Fair(3),
		gflownet.Settings{Policy: gflownet.Graph, Width: 16, Prefill: 20, Iterations: 100}, 1, 0)
	if err != nil {
		log.Fatal(err)
	}
	defer learned.Close()
	if err := learned.Advance(ctx, learned.Steps()); err != nil {
		log.Fatal(err)
	}
	c, err := learned.Compare(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("total variation of a learned policy below 0.05:", c.TotalVariation < 0.05)
	// Output:
	// exact policy, 25 graphs, P(0 → 1) = 0.5, 0 and 1 adjacent in 1000 of 1000 draws
	// total variation of a learned policy below 0.05: true
}
