package models_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"tobac/autograd"
	"tobac/dag"
	"tobac/models"
	"tobac/svgd"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A score model of one's own is a function of nodes. Here counts of events have
// a Poisson distribution with an unknown rate e^x, whose prior is Gamma(2, 1):
// the posterior of the rate is Gamma(2 + Σ counts, 1 + n).
func ExampleNewTarget() {
	counts := []float64{2, 5, 3, 1, 4, 6, 2}
	shape, speed := 2+floats.Sum(counts), 1+float64(len(counts))
	density := func(x []*autograd.Node) *autograd.Node {
		return x[0].Scale(shape).Sub(x[0].Exp().Scale(speed))
	}
	target, err := models.NewTarget(50, []autograd.Shape{{}}, density, models.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer target.Close()

	x := mat.NewDense(50, 1, nil)
	floats.Span(x.RawMatrix().Data, -1, 1)
	sampler := svgd.Sampler{Target: target, Optimizer: svgd.Adam{StepSize: 0.05}}
	if err := sampler.Run(context.Background(), []*mat.Dense{x}, 0, 500); err != nil {
		log.Fatal(err)
	}
	x.Apply(func(_, _ int, v float64) float64 { return math.Exp(v) }, x)
	mean, sd := stat.PopMeanStdDev(x.RawMatrix().Data, nil)
	fmt.Printf("mean rate %.1f, standard deviation %.1f\n", mean, sd)
	fmt.Printf("exact     %.1f, standard deviation %.1f\n", shape/speed, math.Sqrt(shape)/speed)
	// Output:
	// mean rate 3.1, standard deviation 0.6
	// exact     3.1, standard deviation 0.6
}

// Three variables in causal order: 0 → 1 with weight 1.5, 1 → 2 with weight −1,
// and no edge 0 → 2. Every particle carries a graph and its weights; the most
// probable of them is printed.
func ExampleNewTOBAC() {
	rng := rand.New(rand.NewPCG(2, 2))
	x := mat.NewDense(100, 3, nil)
	for i := range 100 {
		noise := func() float64 { return math.Sqrt(0.1) * rng.NormFloat64() }
		a := noise()
		b := 1.5*a + noise()
		x.SetRow(i, []float64{a, b, -b + noise()})
	}
	likelihood, err := models.NewLinear(x, nil, models.LinearOptions{NoiseVariance: 0.1})
	if err != nil {
		log.Fatal(err)
	}
	target, err := models.NewTOBAC(likelihood,
		models.TOBACConfig{Prior: models.ErdosRenyi(0.3)})
	if err != nil {
		log.Fatal(err)
	}
	defer target.Close()

	particles := target.Init()
	sampler := svgd.Sampler{Target: target, Kernel: svgd.Additive{Bandwidths: []float64{5, 500}}}
	if err := sampler.Run(context.Background(), particles, 0, 1000); err != nil {
		log.Fatal(err)
	}

	var graphs []*dag.Graph
	for m := range 30 {
		graphs = append(graphs, target.HardGraph(particles[0].RawRowView(m)))
	}
	prior, data, err := models.LogJoint(likelihood, graphs, particles[1])
	if err != nil {
		log.Fatal(err)
	}
	best := floats.MaxIdx(floats.AddTo(make([]float64, 30), prior, data))
	for _, e := range graphs[best].Edges() {
		fmt.Printf("%d → %d, weight %.1f\n", e.From, e.To, particles[1].At(best, e.From*3+e.To))
	}
	// Output:
	// 0 → 1, weight 1.6
	// 1 → 2, weight -1.0
}

// Two graphs on the same data, compared by the data's density given graph and
// weights: without the edge, the second variable's variance is left unexplained.
func ExampleLogJoint() {
	x := mat.NewDense(4, 2, []float64{
		1, 2.1,
		-1, -1.8,
		0.5, 0.9,
		-0.5, -1.2,
	})
	likelihood, err := models.NewLinear(x, nil, models.LinearOptions{})
	if err != nil {
		log.Fatal(err)
	}
	edge, err := dag.FromEdges(2, []dag.Edge{{From: 0, To: 1}})
	if err != nil {
		log.Fatal(err)
	}
	weights := mat.NewDense(2, 4, []float64{
		0, 2, 0, 0, // weight 2 on 0 → 1
		0, 0, 0, 0,
	})
	prior, data, err := models.LogJoint(likelihood, []*dag.Graph{edge, dag.New(2)}, weights)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("log p(D|G,Θ) with the edge %.2f, without %.2f\n", data[0], data[1])
	fmt.Printf("log p(Θ|G) of its weight %.2f\n", prior[0])
	// Output:
	// log p(D|G,Θ) with the edge -11.14, without -60.14
	// log p(Θ|G) of its weight -2.92
}
