package tobac_test

import (
	"context"
	"fmt"
	"log"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine/stein"
	"tobac/models"
	"tobac/score"
	"tobac/sem"
)

// What is known about single edges, beside any prior and for every engine: X2 has no
// effect on the others. DiBS takes the same settings, without an order.
func ExampleConfig_prior() {
	graph, err := dag.FromEdges(3, []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
	if err != nil {
		log.Fatal(err)
	}
	sim, err := dataset.SimulateLinear(graph, dataset.LinearConfig{Rows: 100, Seed: 4})
	if err != nil {
		log.Fatal(err)
	}
	known := background.Prior{Forbidden: []dag.Edge{{From: 2, To: 0}, {From: 2, To: 1}}}
	dibs := stein.DiBS{SVGD: stein.SVGD{Steps: 200, StepSize: 0.02, Samples: 32}} // a short run
	for _, cfg := range []tobac.Config{
		{Model: sem.BGe{}, Prior: known},
		{Model: sem.BGe{}, Prior: known, Engine: &dibs, Seed: 3},
	} {
		result, err := tobac.Fit(context.Background(), sim.Train, cfg)
		if err != nil {
			log.Fatal(err)
		}
		consensus, _ := result.Consensus()
		fmt.Printf("%s: into X2 %v, from X2 %v\n", result.Engine, consensus.Parents(2),
			consensus.Children(2))
	}
	// Output:
	// exact: into X2 [1], from X2 []
	// dibs: into X2 [1], from X2 []
}

// A quiet model has linear equations with noise of the variance 0.05. Its likelihood makes it a
// model for SVGD.
type quiet struct{}

func (quiet) String() string { return "quiet" }

func (quiet) Likelihood(data *dataset.Table) (models.Likelihood, error) {
	return models.NewLinear(data.X, data.Mask(), models.LinearOptions{NoiseVariance: 0.05})
}

// A scored model has node scores in closed form too, and so its exact posterior.
type scored struct{ quiet }

func (scored) Hypotheses(_ context.Context, data *dataset.Table, _ *score.Prior,
	_ int) ([]sem.Hypothesis, error) {
	s, err := score.NewLinear(data.X, data.Mask(),
		score.LinearOptions{NoiseVariance: 0.05, NoIntercept: true})
	return []sem.Hypothesis{{Scores: s, NoiseVariance: 0.05}}, err
}

// A custom model, with a likelihood and then with node scores.
func ExampleConfig_model() {
	graph, err := dag.FromEdges(3, []dag.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
	if err != nil {
		log.Fatal(err)
	}
	sim, err := dataset.SimulateLinear(graph, dataset.LinearConfig{Rows: 100, Seed: 4})
	if err != nil {
		log.Fatal(err)
	}
	svgd := stein.SVGD{Particles: 10, Steps: 300, StepSize: 0.03, Samples: 32} // a short run
	for _, cfg := range []tobac.Config{{Model: quiet{}, Engine: &svgd, Seed: 1},
		{Model: scored{}}} {
		result, err := tobac.Fit(context.Background(), sim.Train, cfg)
		if err != nil {
			log.Fatal(err)
		}
		consensus, _ := result.Consensus()
		fmt.Println(result.Engine, consensus.Edges())
	}
	// Output:
	// svgd [{0 1} {1 2}]
	// exact [{0 1} {1 2}]
}
