package exact_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/exact"
	"tobac/score"
)

// The posterior of the Sachs data over all acyclic graphs with 11 vertices.
func Example() {
	ctx := context.Background()
	table, _, err := dataset.Sachs()
	if err != nil {
		log.Fatal(err)
	}
	bge, err := score.NewBGe(table.X, nil, score.BGeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	posterior, err := exact.New(ctx, bge, score.Fair(bge.Vars()), exact.Options{})
	if err != nil {
		log.Fatal(err)
	}
	orders, err := posterior.Orders(ctx)
	if err != nil {
		log.Fatal(err)
	}
	graphs, err := orders.Graphs(ctx)
	if err != nil {
		log.Fatal(err)
	}
	best, logWeight, err := posterior.Best(ctx)
	if err != nil {
		log.Fatal(err)
	}
	edges := graphs.Edges()
	fmt.Printf("%.1f edges expected, %d in the best graph\n", mat.Sum(edges), best.Size())
	fmt.Printf("ln of the probability of the best graph: %.1f\n", logWeight-graphs.LogEvidence())
	fmt.Printf("%s → %s: %.2f, the converse: %.2f\n", table.Names[9], table.Names[8],
		edges.At(9, 8), edges.At(8, 9))
	// Output:
	// 8.6 edges expected, 8 in the best graph
	// ln of the probability of the best graph: -4.6
	// P38 → PKC: 1.00, the converse: 0.00
}

// Two variables and a score that prefers the edge 0 → 1 by ln 3 to no edge and to
// the converse. The graph without edges agrees with two orders, so that it counts
// twice over orders, and once over graphs.
func ExampleOrders_Draws() {
	ctx := context.Background()
	s := score.NewFunc(2, func(j int, parents []int) float64 {
		if j == 1 && len(parents) == 1 {
			return math.Log(3)
		}
		return 0
	})
	posterior, err := exact.New(ctx, s, score.Uniform(2), exact.Options{})
	if err != nil {
		log.Fatal(err)
	}
	orders, err := posterior.Orders(ctx)
	if err != nil {
		log.Fatal(err)
	}
	graphs, err := orders.Graphs(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P(0 → 1): %.3f over orders, %.3f over graphs\n", orders.Edges().At(0, 1),
		graphs.Edges().At(0, 1))
	draws, err := orders.Draws(ctx, 10000, 1)
	if err != nil {
		log.Fatal(err)
	}
	count, weight, all := 0, 0.0, 0.0
	for _, d := range draws {
		w := math.Exp(d.LogWeight)
		all += w
		if d.Graph.Has(0, 1) {
			count++
			weight += w
		}
	}
	fmt.Printf("%.2f of the draws, %.2f of their weights\n", float64(count)/float64(len(draws)),
		weight/all)
	// Output:
	// P(0 → 1): 0.500 over orders, 0.600 over graphs
	// 0.50 of the draws, 0.60 of their weights
}

// Given the order 1, 0, 2 the only edges are those along it.
func ExampleGivenOrder() {
	s := score.NewFunc(3, func(j int, parents []int) float64 { return float64(len(parents)) })
	given, err := exact.GivenOrder(context.Background(), s, score.Uniform(3), []int{1, 0, 2},
		exact.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", mat.Formatted(given.Edges()))
	// Output:
	// ⎡0.000  0.000  0.731⎤
	// ⎢0.731  0.000  0.731⎥
	// ⎣0.000  0.000  0.000⎦
}
