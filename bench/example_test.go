package bench_test

import (
	"encoding/json"
	"fmt"
	"log"

	"tobac/bench"
	"tobac/dag"
)

// Two particles judged against the true graph 0 → 1 → 2.
func ExampleEvaluate() {
	edges := func(pairs ...dag.Edge) *dag.Graph {
		g, err := dag.FromEdges(3, pairs)
		if err != nil {
			log.Fatal(err)
		}
		return g
	}
	truth := edges(dag.Edge{From: 0, To: 1}, dag.Edge{From: 1, To: 2})
	posterior := bench.Empirical([]*dag.Graph{
		edges(dag.Edge{From: 0, To: 1}, dag.Edge{From: 2, To: 1}),
		edges(dag.Edge{From: 0, To: 1}, dag.Edge{From: 0, To: 2}, dag.Edge{From: 1, To: 2}),
	})
	report, err := bench.Evaluate(posterior, truth, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("E-SHD %.2f (empty graph %.0f)\n", report.ESHD, report.ESHDEmptyGraph)
	fmt.Printf("AUROC %.3f (with diagonal %.3f)\n", report.AUROC, report.AUROCWithDiagonal)
	negLL, err := json.Marshal(report.NegLL) // no held-out data
	fmt.Printf("Neg.LL %s %v\n", negLL, err)
	// Output:
	// E-SHD 1.00 (empty graph 2)
	// AUROC 0.875 (with diagonal 0.929)
	// Neg.LL null <nil>
}

// Weights in proportion to densities: here the second graph is three times as
// likely as the first.
func ExampleMixture() {
	first, second := dag.New(2), dag.New(2)
	second.Set(0, 1, true)
	posterior, err := bench.Mixture([]*dag.Graph{first, second}, []float64{-1234.5, -1234.5 + 1.0986122886681098})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P(0 → 1) = %.2f, %.1f effective particles\n",
		posterior.EdgeProbabilities().At(0, 1), posterior.EffectiveSampleSize())
	// Output:
	// P(0 → 1) = 0.75, 1.6 effective particles
}
