package posterior_test

import (
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/posterior"
)

// Weights in proportion to densities: here the second graph is three times as
// likely as the first.
func ExampleWeighted() {
	first, second := dag.New(2), dag.New(2)
	second.Set(0, 1, true)
	e, err := posterior.Weighted([]*dag.Graph{first, second},
		[]float64{-1234.5, -1234.5 + 1.0986122886681098})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P(0 → 1) = %.2f, %.1f effective graphs\n", e.EdgeProbabilities().At(0, 1),
		e.EffectiveSampleSize())
	// Output:
	// P(0 → 1) = 0.75, 1.6 effective graphs
}

// Two fits, one under each order of two variables, become one posterior: the
// first has three times the weight of the second.
func ExampleMix() {
	under := func(order []int, probability, weight float64) *posterior.Posterior {
		p := &posterior.Posterior{Names: []string{"rain", "umbrellas"},
			Components: []posterior.Component{{Order: order, Weight: 1}}}
		p.Marginals = posterior.Marginals{Probabilities: mat.NewDense(2, 2, nil),
			WeightMean: mat.NewDense(2, 2, nil), WeightSD: mat.NewDense(2, 2, nil)}
		p.Probabilities.Set(order[0], order[1], probability)
		p.WeightMean.Set(order[0], order[1], weight)
		p.WeightSD.Set(order[0], order[1], 0.1)
		return p
	}
	p := posterior.Mix([]*posterior.Posterior{under([]int{0, 1}, 1, 2),
		under([]int{1, 0}, 0.8, 0.4)}, []float64{math.Log(3), 0})
	for _, e := range p.Edges() {
		fmt.Printf("%s → %s %.2f, adjacent %.2f, weight %.1f ± %.1f\n", p.Names[e.Source],
			p.Names[e.Target], e.Probability, e.Adjacent, e.WeightMean, e.WeightSD)
	}
	graph, _ := p.Consensus()
	fmt.Println("consensus", graph.Edges())
	// Output:
	// rain → umbrellas 0.75, adjacent 0.95, weight 2.0 ± 0.1
	// umbrellas → rain 0.20, adjacent 0.95, weight 0.4 ± 0.1
	// consensus [{0 1}]
}
