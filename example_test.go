package tobac_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/ordering"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
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
	result, err := tobac.Fit(context.Background(), sim.Train, tobac.Config{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("model:", result.Model)
	for _, e := range result.EdgesFrom(0.1) {
		fmt.Printf("%s → %s  probability %.2f, weight %.1f ± %.1f (true %.1f)\n",
			result.Names[e.Source], result.Names[e.Target],
			e.Probability, e.WeightMean, e.WeightSD, sim.Weights.At(e.Source, e.Target))
	}
	// Output:
	// model: linear
	// X0 → X1  probability 1.00, weight 2.0 ± 0.1 (true 2.0)
	// X1 → X2  probability 1.00, weight 2.2 ± 0.1 (true 2.3)
}

// Standardised data of two variables do not tell which one causes the other: the
// exact posterior gives both directions the same probability.
func ExampleFit_standardised() {
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
	result, err := tobac.Fit(context.Background(), data, tobac.Config{Model: sem.BGe{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("X0 → X1: %.2f, X1 → X0: %.2f\n", result.Probabilities.At(0, 1),
		result.Probabilities.At(1, 0))
	// Output:
	// X0 → X1: 0.50, X1 → X0: 0.50
}

// How far TOBAC's particles, under orders drawn from an exact posterior, are from it.
func ExampleNewComparison() {
	sachs, _, err := dataset.Sachs()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	exact, err := tobac.Fit(ctx, sachs, tobac.Config{
		Model: sem.BGe{}, Order: engine.Order{Count: 2},
	})
	if err != nil {
		log.Fatal(err)
	}
	// a short run
	run, err := tobac.NewComparison(ctx, sachs, exact,
		&stein.SVGD{Steps: 20, Particles: 5, Samples: 16})
	if err != nil {
		log.Fatal(err)
	}
	defer run.Close()
	if err := run.Advance(ctx, run.Steps()); err != nil {
		log.Fatal(err)
	}
	particles, err := run.Result(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(particles.Draws), "particles under", len(particles.Components),
		"orders, compared with the engine", exact.Engine)
	fmt.Println("nearer to it than a graph without edges:",
		exact.Marginals.Distance(particles.Marginals, nil) < 0.75*mat.Sum(exact.Probabilities)/
			(11*10))
	// Output:
	// 10 particles under 2 orders, compared with the engine exact
	// nearer to it than a graph without edges: true
}

// The orders of resamples of the rows, as an estimator finds them, and the particles of
// SVGD under each: the posterior is their mixture.
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
	result, err := tobac.Fit(context.Background(), data, tobac.Config{
		Model: sem.Linear{}, Order: engine.Order{Method: ordering.MethodEqVar, Count: 40},
		Engine: &stein.SVGD{Particles: 5, Steps: 100, StepSize: 0.03}, Seed: 3,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range result.Components {
		fmt.Printf("order %v of %d resamples\n", c.Order, c.Count)
	}
	for _, e := range result.Edges() {
		fmt.Printf("%s → %s  probability %.1f\n", result.Names[e.Source], result.Names[e.Target],
			e.Probability)
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
	ctx := context.Background()
	cfg := tobac.Paper()
	svgd := cfg.Engine.(*stein.SVGD)
	svgd.Steps, svgd.Particles, svgd.Samples = 6, 3, 8
	run := func(from []byte, to int) []byte {
		r, err := tobac.NewRun(ctx, data, cfg)
		if err != nil {
			log.Fatal(err)
		}
		defer r.Close()
		if from != nil {
			var s tobac.Snapshot
			if err := json.Unmarshal(from, &s); err != nil {
				log.Fatal(err)
			}
			if err := r.Restore(ctx, &s); err != nil {
				log.Fatal(err)
			}
		}
		if err := r.Advance(ctx, to); err != nil {
			log.Fatal(err)
		}
		s, err := r.Snapshot()
		if err != nil {
			log.Fatal(err)
		}
		text, err := json.Marshal(s)
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
