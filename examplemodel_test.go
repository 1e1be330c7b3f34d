package tobac_test

import (
	"context"
	"fmt"
	"log"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// The marginal score on three variables of which it is known that X2 has no
// effect on the others: a probability of 0 rules an edge out. DiBS takes the same
// settings, without an order.
func ExampleConfig_model() {
	graph, err := dag.FromEdges(3, []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
	if err != nil {
		log.Fatal(err)
	}
	sim, err := dataset.SimulateLinear(graph, dataset.LinearConfig{Rows: 100, Seed: 4})
	if err != nil {
		log.Fatal(err)
	}
	known, err := models.NewEdgePrior(mat.NewDense(3, 3, []float64{
		0, 0.3, 0.3,
		0.3, 0, 0.3,
		0, 0, 0,
	}))
	if err != nil {
		log.Fatal(err)
	}
	for _, method := range []tobac.Method{tobac.TOBAC, tobac.DiBS} {
		posterior, err := tobac.Fit(context.Background(), sim.Train, tobac.Config{
			Model: tobac.BGe{}, Method: method, Prior: known, Gradient: models.ScoreFunction,
			Steps: 200, StepSize: 0.02, Samples: 32, Seed: 3, // a short run
		})
		if err != nil {
			log.Fatal(err)
		}
		consensus, _ := posterior.Consensus()
		fmt.Printf("%v: order %v, particles with a cycle %d, into X2 %v, from X2 %v\n", method, posterior.Order, posterior.Cyclic(), consensus.Parents(2), consensus.Children(2))
	}
	// Output:
	// tobac: order [0 1 2], particles with a cycle 0, into X2 [1], from X2 []
	// dibs: order [], particles with a cycle 0, into X2 [1], from X2 []
}
