package tobac_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/ordering"
)

// One hundred rows of a chain X0 → X1 → X2, and what they tell about it.
func ExampleFit() {
	graph, err := dag.FromEdges(3, []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
	if err != nil {
		log.Fatal(err)
	}
	sim, err := dataset.SimulateLinear(graph, dataset.LinearConfig{Rows: 100, Seed: 4})
	if err != nil {
		log.Fatal(err)
	}
	posterior, err := tobac.Fit(context.Background(), sim.Train, tobac.Config{
		Steps: 400, StepSize: 0.03, AlphaRate: 0.02, Seed: 3, // a short run
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("causal order:", posterior.Order)
	consensus, weights := posterior.Consensus()
	for _, e := range consensus.Edges() {
		fmt.Printf("%s → %s  weight %.1f (true %.1f)\n", posterior.Names[e.From], posterior.Names[e.To],
			weights.At(e.From, e.To), sim.Weights.At(e.From, e.To))
	}
	// Output:
	// causal order: [0 1 2]
	// X0 → X1  weight 2.0 (true 2.0)
	// X1 → X2  weight 2.2 (true 2.3)
}

// Standardised data of two variables do not tell which one causes the other: the
// orders of resamples disagree, and both directions have a probability.
func ExampleConfig_orders() {
	graph, err := dag.FromEdges(2, []dag.Edge{{From: 0, To: 1}})
	if err != nil {
		log.Fatal(err)
	}
	sim, err := dataset.SimulateLinear(graph, dataset.LinearConfig{Rows: 100, Seed: 4})
	if err != nil {
		log.Fatal(err)
	}
	data, err := sim.Train.Standardize()
	if err != nil {
		log.Fatal(err)
	}
	posterior, err := tobac.Fit(context.Background(), data, tobac.Config{Orders: 40, Particles: 5, Steps: 100, StepSize: 0.03, Seed: 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range posterior.Orders {
		fmt.Printf("order %v of %d resamples\n", o.Order, o.Count)
	}
	for _, e := range posterior.Edges() {
		fmt.Printf("%s → %s  probability %.1f\n", posterior.Names[e.Source], posterior.Names[e.Target], e.Probability)
	}
	// Output:
	// order [0 1] of 23 resamples
	// order [1 0] of 17 resamples
	// X0 → X1  probability 0.6
	// X1 → X0  probability 0.4
}

// A run in two parts: the second continues from the text that the first left
// behind, with the same bits as a run that never stopped.
func ExampleRun_Restore() {
	sachs, _, err := dataset.Sachs()
	if err != nil {
		log.Fatal(err)
	}
	data, err := sachs.Standardize()
	if err != nil {
		log.Fatal(err)
	}
	cfg := tobac.Config{Order: ordering.MethodEqVar, Steps: 6, Particles: 3, Samples: 8}
	run := func(from []byte, to int) []byte {
		r, err := tobac.NewRun(data, cfg)
		if err != nil {
			log.Fatal(err)
		}
		defer r.Close()
		if from != nil {
			var s tobac.Snapshot
			if err := json.Unmarshal(from, &s); err != nil {
				log.Fatal(err)
			}
			if err := r.Restore(&s); err != nil {
				log.Fatal(err)
			}
		}
		if err := r.Advance(context.Background(), to); err != nil {
			log.Fatal(err)
		}
		text, err := json.Marshal(r.Snapshot())
		if err != nil {
			log.Fatal(err)
		}
		return text
	}
	whole := run(nil, 6)
	halves := run(run(nil, 3), 6)
	fmt.Println("same bits:", string(whole) == string(halves))
	// Output:
	// same bits: true
}
