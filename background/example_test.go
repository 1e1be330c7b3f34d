package background_test

import (
	"fmt"

	"tobac/background"
	"tobac/dag"
)

// Smoking comes before everything else, and nothing depends on the diagnosis.
func Example() {
	names := []string{"smoking", "tar", "cancer", "diagnosis"}
	prior := background.Prior{
		Tiers:    []int{0, 1, 1, 1},
		Sinks:    []int{3},
		Required: []dag.Edge{{From: 0, To: 1}},
		Odds:     []background.EdgeOdds{{From: 1, To: 2, Odds: 10}},
	}
	fmt.Println("contradictions:", prior.CheckTogether(names, nil))
	fixed := prior.Fixed(4)
	fmt.Println("smoking → tar:", fixed.At(0, 1), " tar → cancer:", fixed.At(1, 2),
		" diagnosis → cancer:", fixed.At(3, 2))

	prior.Required = append(prior.Required, dag.Edge{From: 3, To: 2})
	fmt.Println(prior.CheckTogether(names, nil))
	// Output:
	// contradictions: <nil>
	// smoking → tar: 1  tar → cancer: NaN  diagnosis → cancer: 0
	// conflicting background knowledge: diagnosis → cancer is required, but diagnosis is a sink, which no edge leaves
}
