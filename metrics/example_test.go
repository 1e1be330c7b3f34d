package metrics_test

import (
	"encoding/json"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/metrics"
	"tobac/posterior"
)

// chain is the true graph 0 → 1 → 2.
func chain() *dag.Graph {
	g, err := dag.FromEdges(3, []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
	if err != nil {
		log.Fatal(err)
	}
	return g
}

// Two graphs of equal weight judged against the true graph 0 → 1 → 2.
func ExampleEvaluate() {
	collider, triangle := chain(), chain()
	collider.Set(1, 2, false)
	collider.Set(2, 1, true)
	triangle.Set(0, 2, true)
	graphs := posterior.Uniform([]*dag.Graph{collider, triangle})
	report, err := metrics.Evaluate(graphs, chain(), nil)
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

// Edge probabilities of a posterior that knows which variables are joined, but
// not in which direction: the reversed chain is as probable as the chain.
func ExampleEvaluateEdges() {
	p := mat.NewDense(3, 3, []float64{
		0, 0.5, 0,
		0.5, 0, 0.5,
		0, 0.5, 0,
	})
	report, err := metrics.EvaluateEdges(p, chain())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("E-SHD %.2f, AUROC %.2f, skeleton AUROC %.2f\n", report.ESHD, report.AUROC,
		report.SkeletonAUROC)
	fmt.Printf("Brier %.3f, log score %.3f\n", report.Brier, report.LogScore)
	// Output:
	// E-SHD 1.00, AUROC 0.75, skeleton AUROC 1.00
	// Brier 0.167, log score 0.464
}
